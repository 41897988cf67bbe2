// SPDX-License-Identifier: Apache-2.0

package client

import (
	"os"

	"golang.org/x/sys/unix"
)

// unlockTerminal unlocks the other end of a pseudo-terminal and returns its number.
func unlockTerminal(controller *os.File) (int, error) {
	if err := unix.IoctlSetPointerInt(int(controller.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return 0, err
	}
	return unix.IoctlGetInt(int(controller.Fd()), unix.TIOCGPTN)
}
