// SPDX-License-Identifier: Apache-2.0

// Package faults simulates an API server, and proxies in front of it, that misbehave in every way
// that a client has to handle. It serves a recorded cluster, answers single requests by a script,
// and records every request for assertions. Everything listens on loopback.
package faults

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"dsdoctor.dev/e2e/pki"
)

// Request is a request that was received.
type Request struct {
	Method, Path, RawQuery, Host, Proto string
	Query                               url.Values
	Header                              http.Header
	// For TLS; empty over plain HTTP, and ServerName is empty for addresses.
	ServerName string
	TLS        uint16
	// ClientName is the common name of the client's certificate, unverified.
	ClientName string
	At         time.Time
	Connection string // the client's address: equal for requests on the same connection
}

// Answer writes the answer to one request; cluster writes that of a healthy server.
type Answer func(w http.ResponseWriter, r *http.Request, cluster http.Handler)

// Options are the settings of a server. The zero value is like a real cluster: TLS 1.2 and 1.3,
// HTTP/2, optional client certificates.
type Options struct {
	// Identity is the server's certificate; without it the server uses plain HTTP.
	Identity pki.Identity
	// ClientCAs requires a client certificate of these authorities (PEM).
	ClientCAs []byte
	// MinTLS and MaxTLS are tls.VersionTLS..; 0: Go's default.
	MinTLS, MaxTLS uint16
	// HTTP1 turns HTTP/2 off.
	HTTP1 bool
}

// Server is an API server on loopback.
type Server struct {
	Addr string // host:port
	URL  string

	cluster  http.Handler
	server   *http.Server
	listener net.Listener
	mutex    sync.Mutex
	requests []Request
	scripts  map[string]*script
}

type script struct {
	answers []Answer
	served  int
}

// Start listens; the caller must stop the server.
func Start(cluster http.Handler, o Options) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: listener.Addr().String(), cluster: cluster, listener: listener, scripts: map[string]*script{}}
	s.server = &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0), MaxHeaderBytes: 1 << 20}
	s.URL = "http://" + s.Addr
	serve := func() error { return s.server.Serve(listener) }
	if len(o.Identity.Cert) > 0 {
		s.URL = "https://" + s.Addr
		if s.server.TLSConfig, err = o.tlsConfig(); err != nil {
			return nil, err
		}
		serve = func() error { return s.server.ServeTLS(listener, "", "") }
	}
	if len(o.ClientCAs) > 0 {
		listener = patientListener{listener}
	}
	if o.HTTP1 {
		protocols := new(http.Protocols)
		protocols.SetHTTP1(true)
		s.server.Protocols = protocols
	}
	go serve()
	return s, nil
}

func (o Options) tlsConfig() (*tls.Config, error) {
	pair, err := tls.X509KeyPair(o.Identity.Cert, o.Identity.Key)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: o.MinTLS, MaxVersion: o.MaxTLS,
		ClientAuth: tls.RequestClientCert,
	}
	if len(o.ClientCAs) > 0 {
		config.ClientAuth = tls.RequireAndVerifyClientCert
		config.ClientCAs = x509.NewCertPool()
		config.ClientCAs.AppendCertsFromPEM(o.ClientCAs)
	}
	return config, nil
}

// patientListener closes connections after their clients have closed them. With an unread request,
// closing would send a reset, and on Windows a reset discards the alert before it, which explains
// the problem with the client's certificate.
type patientListener struct{ net.Listener }

func (l patientListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return patientConn{conn.(*net.TCPConn)}, nil
}

type patientConn struct{ *net.TCPConn }

func (c patientConn) Close() error {
	c.CloseWrite()
	c.SetReadDeadline(time.Now().Add(time.Second))
	io.Copy(io.Discard, c.TCPConn)
	return c.TCPConn.Close()
}

// Stop closes the listener and all connections.
func (s *Server) Stop() {
	s.server.Close()
	s.listener.Close() // the serving goroutine has perhaps not started
}

// On scripts the answers to requests whose path ends in this segment ("nodes", "version"; ""
// matches every path): the first answer for the first request and so on, the last one for all
// further requests. A nil answer is the healthy one.
func (s *Server) On(segment string, answers ...Answer) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.scripts[segment] = &script{answers: answers}
}

// Requests are the requests so far whose path ends in this segment; "" returns all.
func (s *Server) Requests(segment string) []Request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var found []Request
	for _, r := range s.requests {
		if segment == "" || path.Base(r.Path) == segment {
			found = append(found, r)
		}
	}
	return found
}

// Forget clears the recorded requests.
func (s *Server) Forget() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests = nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := s.record(r)
	if answer == nil {
		s.cluster.ServeHTTP(w, r)
		return
	}
	answer(w, r, s.cluster)
}

func (s *Server) record(r *http.Request) Answer {
	seen := Request{
		Method: r.Method, Path: r.URL.Path, RawQuery: r.URL.RawQuery, Query: r.URL.Query(),
		Host: r.Host, Proto: r.Proto, Header: r.Header.Clone(), At: time.Now(), Connection: r.RemoteAddr,
	}
	if r.TLS != nil {
		seen.ServerName, seen.TLS = r.TLS.ServerName, r.TLS.Version
		if len(r.TLS.PeerCertificates) > 0 {
			seen.ClientName = r.TLS.PeerCertificates[0].Subject.CommonName
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests = append(s.requests, seen)
	for _, segment := range []string{path.Base(strings.TrimSuffix(seen.Path, "/")), ""} {
		if found := s.scripts[segment]; found != nil && len(found.answers) > 0 {
			next := min(found.served, len(found.answers)-1)
			found.served++
			return found.answers[next]
		}
	}
	return nil
}
