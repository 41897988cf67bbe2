// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// run is a command and its least cost.
type run struct {
	name, program      string
	words              []string
	client, server     time.Duration // CPU, user and system
	wall               time.Duration
	memory, outputSize int64 // bytes
}

func (r *run) once(ctx context.Context, dir string, server int) error {
	output, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		return err
	}
	defer output.Close()
	command := exec.CommandContext(ctx, r.program, r.words...)
	command.Env = environment(dir)
	var complaint strings.Builder
	command.Stdout, command.Stderr = output, &complaint
	before, begin := processCPU(server), time.Now()
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", r.name, err, complaint.String())
	}
	wall := time.Since(begin)
	serverCPU := processCPU(server) - before
	client := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	memory := command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	if info, err := output.Stat(); err == nil {
		r.outputSize = info.Size()
	}
	if r.client == 0 || client < r.client {
		r.client = client
	}
	if r.wall == 0 || wall < r.wall {
		r.wall = wall
	}
	if r.server == 0 || serverCPU < r.server {
		r.server = serverCPU
	}
	if r.memory == 0 || memory < r.memory {
		r.memory = memory
	}
	return nil
}

// processCPU is the CPU time of a process so far, user and system; negative if it has ended.
func processCPU(pid int) time.Duration {
	const perSecond = 100 // USER_HZ, fixed on Linux
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return -1
	}
	// The command name, in parentheses, may itself contain spaces and parentheses.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 || fields[0] == "Z" {
		return -1
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / perSecond
}
