// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// sample is what a process has used at a time.
type sample struct {
	at           time.Time
	cpu          time.Duration // user and system
	memory, peak float64       // MB
}

// cost is what a process uses in a phase.
type cost struct {
	cpu          float64 // percent of one core
	memory, peak float64 // MB, at the end
}

func (s sample) since(before sample) cost {
	return cost{100 * float64(s.cpu-before.cpu) / float64(s.at.Sub(before.at)), s.memory, s.peak}
}

func take(pid int) sample {
	s := sample{at: time.Now(), cpu: processCPU(pid)}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for _, l := range strings.Split(string(status), "\n") {
		fields := strings.Fields(l)
		if len(fields) < 2 {
			continue
		}
		kilobytes, _ := strconv.ParseFloat(fields[1], 64)
		switch fields[0] {
		case "VmRSS:":
			s.memory = kilobytes / 1024
		case "VmHWM:":
			s.peak = kilobytes / 1024
		}
	}
	return s
}

// processCPU is the CPU time of a process so far, user and system; 0 if it has ended.
func processCPU(pid int) time.Duration {
	const perSecond = 100 // USER_HZ, fixed on Linux
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The command name, in parentheses, may itself contain spaces and parentheses.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / perSecond
}
