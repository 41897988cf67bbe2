// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"fmt"
	"net"
	"syscall"
)

// Mute accepts connections and never sends a byte; stop closes it.
func Mute() (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	go func() {
		var held []net.Conn
		for {
			connection, err := listener.Accept()
			if err != nil {
				for _, c := range held {
					c.Close()
				}
				return
			}
			held = append(held, connection)
		}
	}()
	return listener.Addr().String(), func() { listener.Close() }, nil
}

// Refusing reserves a port that refuses every connection; release frees it. A port that was just
// free may already belong to another server.
func Refusing() (address string, release func(), err error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", nil, err
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		syscall.Close(socket)
		return "", nil, err
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		syscall.Close(socket)
		return "", nil, err
	}
	return fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port), func() { syscall.Close(socket) }, nil
}
