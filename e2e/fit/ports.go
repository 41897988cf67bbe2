// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"fmt"

	v1 "k8s.io/api/core/v1"

	"dsdoctor.dev/oracle"
)

// A few of each, so that two pods often need the same port and sometimes almost the same.
var (
	ports         = []int32{53, 80, 9100, 9100, 10250}
	protocols     = []v1.Protocol{"", v1.ProtocolTCP, v1.ProtocolTCP, v1.ProtocolUDP, v1.ProtocolSCTP}
	wildProtocols = []v1.Protocol{"tcp", "TCP ", "ICMP"}
	hostIPs       = []string{"", "", "0.0.0.0", "127.0.0.1", "10.0.0.5", "::", "::1", "fd00::5"}
	wildHostIPs   = []string{"0.0.0.0 ", "0", "localhost", "10.0.0.05", "FD00::5", "*"}
	wildPorts     = []int32{-1, 0, 65536, 2147483647}
)

// portMaker makes the ports of one pod; the API rejects duplicates.
type portMaker struct {
	g           *generator
	hostNetwork bool
	taken       map[string]bool
}

func (m *portMaker) addTo(c *v1.Container) {
	g := m.g
	port := v1.ContainerPort{
		ContainerPort: oracle.Pick(g.r, ports), Protocol: oracle.Pick(g.r, protocols), HostIP: oracle.Pick(g.r, hostIPs),
	}
	if g.chance(75) {
		port.HostPort = port.ContainerPort
		if !m.hostNetwork {
			port.ContainerPort = 8080
		}
	}
	if g.wild {
		m.spoil(&port)
	} else if key := m.key(port); m.taken[key] {
		return
	} else {
		m.taken[key] = true
	}
	c.Ports = append(c.Ports, port)
}

func (m *portMaker) spoil(port *v1.ContainerPort) {
	g := m.g
	if g.chance(10) {
		port.Protocol = oracle.Pick(g.r, wildProtocols)
	}
	if g.chance(10) {
		port.HostIP = oracle.Pick(g.r, wildHostIPs)
	}
	if g.chance(10) {
		port.HostPort = oracle.Pick(g.r, wildPorts)
	}
}

// key is unique for each port by the API's rules, with the defaults.
func (m *portMaker) key(port v1.ContainerPort) string {
	if port.Protocol == "" {
		port.Protocol = v1.ProtocolTCP
	}
	if m.hostNetwork {
		port.HostPort = port.ContainerPort
	}
	return fmt.Sprint(port.Protocol, port.HostIP, port.HostPort)
}
