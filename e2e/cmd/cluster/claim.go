// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// claimed is a lock on DIR/cluster.pid that the system drops when its process dies. A file that a
// killed run left behind is not locked.
type claimed struct {
	file *os.File
}

func pidFile(dir string) string { return filepath.Join(dir, "cluster.pid") }

func claim(dir string) (*claimed, error) {
	file, err := os.OpenFile(pidFile(dir), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		file.Close()
		return nil, fmt.Errorf("a cluster already runs in %s: end it with \"down\"", dir)
	}
	// A kubeconfig found now belongs to a run that has ended.
	if err := os.Remove(filepath.Join(dir, "kubeconfig")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := file.Truncate(0); err != nil {
		return nil, err
	}
	_, err = file.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	return &claimed{file}, err
}

func (c *claimed) release() {
	os.Remove(c.file.Name())
	c.file.Close()
}

// holder is the process that holds the claim on dir; 0 if there is none.
func holder(dir string) (int, error) {
	file, err := os.Open(pidFile(dir))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		return 0, nil
	}
	content, err := os.ReadFile(file.Name())
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(content)))
}

func down(dir string) error {
	pid, err := holder(dir)
	if err != nil {
		return err
	}
	if pid == 0 {
		fmt.Println("no cluster runs in", dir)
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return fmt.Errorf("process %d: %w", pid, err)
	}
	for range 300 {
		if now, err := holder(dir); err != nil || now == 0 {
			fmt.Println("cluster is down")
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("process %d still runs after 30 seconds", pid)
}
