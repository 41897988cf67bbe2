// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"

	"dsdoctor.dev/e2e/pki"
)

// Proxy connects every target to one address, under any name: the tests use names that only the
// proxy can resolve.
type Proxy struct {
	Addr string
	URL  string // with credentials, if it requires them

	to             string
	user, password string
	listener       net.Listener
	mutex          sync.Mutex
	requests       []ProxyRequest
}

// ProxyRequest is a request of a client to a proxy.
type ProxyRequest struct {
	Target         string // host:port of a tunnel, URL of a plain request
	Header         http.Header
	User, Password string // as sent; empty without credentials
}

// ProxyOptions are the kind of proxy. It requires credentials if User is set.
type ProxyOptions struct {
	SOCKS5         bool
	Identity       pki.Identity // for an https proxy
	User, Password string
}

// StartProxy listens; all tunnels are connected to the address to.
func StartProxy(to string, o ProxyOptions) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{Addr: listener.Addr().String(), to: to, user: o.User, password: o.Password, listener: listener}
	scheme, serve := "http", p.serveHTTP
	if o.SOCKS5 {
		scheme, serve = "socks5", p.serveSOCKS
	}
	if len(o.Identity.Cert) > 0 {
		pair, err := tls.X509KeyPair(o.Identity.Cert, o.Identity.Key)
		if err != nil {
			return nil, err
		}
		scheme = "https"
		p.listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}})
	}
	credentials := ""
	if o.User != "" {
		credentials = o.User + ":" + o.Password + "@"
	}
	p.URL = scheme + "://" + credentials + p.Addr
	go p.accept(serve)
	return p, nil
}

// Stop closes the listener.
func (p *Proxy) Stop() { p.listener.Close() }

// Requests are the requests so far.
func (p *Proxy) Requests() []ProxyRequest {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]ProxyRequest(nil), p.requests...)
}

func (p *Proxy) note(r ProxyRequest) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.requests = append(p.requests, r)
}

func (p *Proxy) accept(serve func(net.Conn) error) {
	for {
		connection, err := p.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer connection.Close()
			serve(connection)
		}()
	}
}

func (p *Proxy) serveHTTP(connection net.Conn) error {
	reader := bufio.NewReader(connection)
	r, err := http.ReadRequest(reader)
	if err != nil {
		return err
	}
	seen := ProxyRequest{Target: r.URL.String(), Header: r.Header}
	if r.Method == http.MethodConnect {
		seen.Target = r.Host
	}
	given := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	seen.User, seen.Password, _ = given.BasicAuth()
	p.note(seen)
	if p.user != "" && (seen.User != p.user || seen.Password != p.password) {
		_, err = io.WriteString(connection, "HTTP/1.1 407 Proxy Authentication Required\r\n"+
			"Proxy-Authenticate: Basic realm=\"proxy\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		return err
	}
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return err
	}
	defer server.Close()
	if r.Method == http.MethodConnect {
		if _, err := io.WriteString(connection, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
			return err
		}
	} else if err := r.Write(server); err != nil {
		return err
	}
	return join(connection, reader, server)
}

// serveSOCKS implements the part of RFC 1928 and 1929 that clients of API servers use.
func (p *Proxy) serveSOCKS(connection net.Conn) error {
	var seen ProxyRequest
	reader := bufio.NewReader(connection)
	greeting := make([]byte, 2)
	if _, err := io.ReadFull(reader, greeting); err != nil || greeting[0] != 5 {
		return errors.New("not SOCKS5")
	}
	if _, err := reader.Discard(int(greeting[1])); err != nil {
		return err
	}
	method := byte(0)
	if p.user != "" {
		method = 2
	}
	connection.Write([]byte{5, method})
	if method == 2 {
		if err := p.readSOCKSUser(reader, connection, &seen); err != nil {
			return err
		}
	}
	target, err := readSOCKSTarget(reader)
	if err != nil {
		return err
	}
	seen.Target = target
	p.note(seen)
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return err
	}
	defer server.Close()
	connection.Write([]byte{5, 0, 0, 1, 127, 0, 0, 1, 0, 0})
	return join(connection, reader, server)
}

func (p *Proxy) readSOCKSUser(reader *bufio.Reader, connection net.Conn, seen *ProxyRequest) error {
	if _, err := reader.Discard(1); err != nil {
		return err
	}
	for _, field := range []*string{&seen.User, &seen.Password} {
		text, err := readCounted(reader)
		if err != nil {
			return err
		}
		*field = text
	}
	if seen.User != p.user || seen.Password != p.password {
		p.note(*seen)
		connection.Write([]byte{1, 1})
		return errors.New("wrong password")
	}
	_, err := connection.Write([]byte{1, 0})
	return err
}

func readCounted(reader *bufio.Reader) (string, error) {
	length, err := reader.ReadByte()
	if err != nil {
		return "", err
	}
	text := make([]byte, length)
	_, err = io.ReadFull(reader, text)
	return string(text), err
}

func readSOCKSTarget(reader *bufio.Reader) (string, error) {
	head := make([]byte, 4) // version, command, reserved, type of address
	if _, err := io.ReadFull(reader, head); err != nil {
		return "", err
	}
	var host string
	switch head[3] {
	case 1, 4:
		address := make([]byte, map[byte]int{1: 4, 4: 16}[head[3]])
		if _, err := io.ReadFull(reader, address); err != nil {
			return "", err
		}
		host = net.IP(address).String()
	case 3:
		name, err := readCounted(reader)
		if err != nil {
			return "", err
		}
		host = name
	default:
		return "", errors.New("unknown kind of address")
	}
	port := make([]byte, 2)
	if _, err := io.ReadFull(reader, port); err != nil {
		return "", err
	}
	return net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(port)))), nil
}

// join copies both ways until both sides are done.
func join(client net.Conn, fromClient io.Reader, server net.Conn) error {
	done := make(chan struct{})
	go func() {
		io.Copy(server, fromClient)
		server.(*net.TCPConn).CloseWrite()
		close(done)
	}()
	_, err := io.Copy(client, server)
	client.Close()
	<-done
	return err
}

// BasicAuth is the value of an Authorization header.
func BasicAuth(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
