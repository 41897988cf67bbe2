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

// Drive is what wine calls this machine's files.
const Drive = "Z:"

// IsForWindows says whether a file is a program for Windows.
func IsForWindows(program string) bool { return strings.HasSuffix(program, ".exe") }

// System is what wine takes for a running Windows, with a registry of its own.
type System struct {
	folder string
	keeper *exec.Cmd
	input  io.Closer
}

// Start makes a system and keeps it running: each program would otherwise boot one of its own, for
// seconds. Connections and files are opened by a process of the system, not by the program, so that a user
// or a namespace of the kernel has to be that of the system as well: `change` changes how it starts, in the
// folder that holds everything of it.
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

// boot returns when cmd.exe has greeted, which waits for a line that never comes.
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

// Stop ends all of its programs.
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

// Command prepares a run of a program with nothing but these variables.
func (s *System) Command(ctx context.Context, variables map[string]string, program string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "wine", append([]string{program}, arguments...)...)
	command.Env = s.Environment(variables)
	return command
}

// NeverBegan says whether wine has ended a program before it began, as wine 8 does once in thousands of
// times: with 1 and without a word. To be asked about programs that say something when they end with 1.
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
