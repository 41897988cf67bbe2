// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	homePrefix   = "dsdoctor-e2e-"
	ownerName    = "owner.json"
	auditLogName = "audit.log"
)

// owner identifies the process of a data directory. It includes the start time, because the process
// id may have been reused.
type owner struct {
	PID     int    `json:"pid"`
	Started string `json:"started"`
}

func (o owner) alive() bool {
	started, ok := startTime(o.PID)
	return ok && started == o.Started
}

// startTime reads field 22 of /proc/PID/stat: clock ticks since boot.
func startTime(pid int) (string, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The command name, in parentheses, may itself contain spaces and parentheses.
	_, rest, ok := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 || fields[0] == "Z" {
		return "", false
	}
	return fields[19], true
}

// makeHome creates the directory for all files of one run.
func makeHome() (string, error) {
	home, err := os.MkdirTemp("", homePrefix)
	if err != nil {
		return "", err
	}
	pid := os.Getpid()
	started, _ := startTime(pid)
	content, err := json.Marshal(owner{PID: pid, Started: started})
	if err != nil {
		return "", err
	}
	return home, os.WriteFile(filepath.Join(home, ownerName), content, 0o600)
}

// RemoveLeftovers deletes the directories of killed runs, and returns them.
func RemoveLeftovers() ([]string, error) {
	homes, err := filepath.Glob(filepath.Join(os.TempDir(), homePrefix+"*"))
	if err != nil {
		return nil, err
	}
	var removed []string
	for _, home := range homes {
		content, err := os.ReadFile(filepath.Join(home, ownerName))
		if err != nil {
			continue // not ours, or a run that is just starting
		}
		var o owner
		if json.Unmarshal(content, &o) != nil || o.alive() || !ownedByUs(home) {
			continue
		}
		if err := os.RemoveAll(home); err != nil {
			return removed, err
		}
		removed = append(removed, home)
	}
	return removed, nil
}

func ownedByUs(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
