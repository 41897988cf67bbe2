// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"

	"k8s.io/client-go/tools/clientcmd"
)

// gate passes connections on to the API server until it is shut: then the connections are cut, and
// new ones are refused.
type gate struct {
	w          *world
	kubeconfig string
	server     string // host:port of the API server
	address    string

	mutex       sync.Mutex
	listener    net.Listener
	connections map[net.Conn]struct{}
}

// newGate is open; its kubeconfig is that of the administrator, through the gate.
func newGate(w *world) *gate {
	w.Helper()
	server, err := url.Parse(cluster.Config.Host)
	w.must(err)
	g := &gate{w: w, server: server.Host, address: "127.0.0.1:0", connections: map[net.Conn]struct{}{}}
	g.open()
	w.Cleanup(g.shut)
	config, err := clientcmd.LoadFromFile(cluster.Kubeconfig)
	w.must(err)
	for _, c := range config.Clusters {
		c.Server = "https://" + g.address
	}
	g.kubeconfig = filepath.Join(w.TempDir(), "kubeconfig")
	w.must(clientcmd.WriteToFile(*config, g.kubeconfig))
	return g
}

func (g *gate) open() {
	g.w.Helper()
	listener, err := net.Listen("tcp", g.address)
	g.w.must(err)
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.listener, g.address = listener, listener.Addr().String()
	go g.accept(listener)
}

func (g *gate) shut() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.listener.Close()
	for connection := range g.connections {
		connection.Close()
	}
	clear(g.connections)
}

func (g *gate) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		go g.pass(listener, client)
	}
}

func (g *gate) pass(listener net.Listener, client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", g.server)
	if err != nil {
		return
	}
	defer server.Close()
	g.mutex.Lock()
	shut := g.listener != listener
	if !shut {
		g.connections[client], g.connections[server] = struct{}{}, struct{}{}
	}
	g.mutex.Unlock()
	if shut {
		return
	}
	done := make(chan struct{})
	go func() {
		io.Copy(server, client)
		server.(*net.TCPConn).CloseWrite()
		close(done)
	}()
	io.Copy(client, server)
	client.Close()
	<-done
}
