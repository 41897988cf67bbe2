// SPDX-License-Identifier: Apache-2.0

// Package wine runs programs for Windows on this machine.
package wine

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Drive is wine's name for this machine's files.
const Drive = "Z:"

// IsForWindows reports whether a file is a program for Windows.
func IsForWindows(program string) bool { return strings.HasSuffix(program, ".exe") }

// System is a running Windows of wine, with its own registry.
type System struct {
	folder string
	keeper *exec.Cmd
	input  io.Closer
}

// Start creates a system and keeps it running: otherwise each program would boot one, which takes
// seconds. A process of the system, not the program, opens connections and files, so that a user or
// a kernel namespace must be set for the system as well: `change` changes how it starts, in the
// folder with all its files.
func Start(change func(*exec.Cmd)) (*System, error) {
	folder, err := os.MkdirTemp("", "dsdoctor-windows-")
	if err != nil {
		return nil, err
	}
	s := &System{folder: folder}
	s.keeper = exec.Command("wine", "cmd")
	s.keeper.Env = s.Environment(nil)
	s.keeper.Dir = folder
	if change != nil {
		change(s.keeper)
	}
	if err := s.boot(); err != nil {
		s.Stop()
		return nil, fmt.Errorf("wine does not start: %w", err)
	}
	return s, nil
}

// boot returns after cmd.exe has printed its greeting; it then waits for a line that never comes.
func (s *System) boot() (err error) {
	if s.input, err = s.keeper.StdinPipe(); err != nil {
		return err
	}
	greeting, err := s.keeper.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.keeper.Start(); err != nil {
		return err
	}
	if _, err := greeting.Read(make([]byte, 1)); err != nil {
		return err
	}
	go io.Copy(io.Discard, greeting)
	return nil
}

// Stop ends all programs of the system.
func (s *System) Stop() {
	if s.keeper.Process != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		stop := exec.CommandContext(ctx, "wineserver", "--kill")
		stop.Env = s.Environment(nil)
		stop.Run()
		s.input.Close()
		s.keeper.Wait()
	}
	os.RemoveAll(s.folder)
}

// Command prepares a run of a program with only these variables.
func (s *System) Command(ctx context.Context, variables map[string]string, program string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "wine", append([]string{program}, arguments...)...)
	command.Env = s.Environment(variables)
	return command
}

// NeverBegan reports whether wine ended a program before it began, which wine 8 does once in
// thousands of runs: with exit code 1 and no output. For programs that print a message if they exit
// with 1.
func NeverBegan(code int, stdout, stderr string) bool {
	return code == 1 && stdout == "" && stderr == ""
}

// Environment is wine's own and the program's, whose HOME and PATH must not be those of wine.
func (s *System) Environment(variables map[string]string) []string {
	result := []string{"PATH=/usr/bin:/bin", "HOME=" + s.folder, "WINEPREFIX=" + s.prefix(), "WINEDEBUG=-all", "DISPLAY="}
	for name, value := range variables {
		if name == "HOME" || name == "PATH" {
			name = "WINE" + name
		}
		result = append(result, name+"="+value)
	}
	return result
}

func (s *System) prefix() string { return filepath.Join(s.folder, "prefix") }
