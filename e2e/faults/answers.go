// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"
)

// Healthy is the answer of the cluster.
func Healthy(w http.ResponseWriter, r *http.Request, cluster http.Handler) { cluster.ServeHTTP(w, r) }

// Body answers with these bytes; an empty media type sends no Content-Type.
func Body(status int, mediaType string, body []byte) Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header()["Content-Type"] = nil // or Go would guess one
		if mediaType != "" {
			w.Header().Set("Content-Type", mediaType)
		}
		w.WriteHeader(status)
		w.Write(body)
	}
}

// JSON answers 200 with this document.
func JSON(body string) Answer { return Body(http.StatusOK, "application/json", []byte(body)) }

// Status answers with a Kubernetes Status of that code.
func Status(code int, reason, message string) Answer {
	return Body(code, "application/json", StatusBody(code, reason, message))
}

// StatusBody is a Status in the format of an API server.
func StatusBody(code int, reason, message string) []byte {
	body, err := json.Marshal(map[string]any{
		"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure",
		"message": message, "reason": reason, "code": code,
	})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return append(body, '\n')
}

// NotFound is the Status of an object that does not exist.
func NotFound(plural, name string) Answer {
	body, err := json.Marshal(map[string]any{
		"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure",
		"message": fmt.Sprintf("%s %q not found", plural, name), "reason": "NotFound",
		"details": map[string]any{"name": name, "kind": plural}, "code": http.StatusNotFound,
	})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return Body(http.StatusNotFound, "application/json", append(body, '\n'))
}

// LoginPage is the answer of a captive portal to every request.
func LoginPage(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
	Body(http.StatusOK, "text/html; charset=utf-8",
		[]byte("<!DOCTYPE html><html><head><title>Sign in</title></head><body>Who are you?</body></html>"))(w, r, cluster)
}

// Redirect answers 302.
func Redirect(location string) Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusFound)
	}
}

// With adds header fields to an answer: name, value, name, value.
func With(inner Answer, fields ...string) Answer {
	return func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
		for i := 0; i+1 < len(fields); i += 2 {
			w.Header().Add(fields[i], fields[i+1])
		}
		inner(w, r, cluster)
	}
}

// After waits before it answers; it stops if the client disconnects.
func After(wait time.Duration, inner Answer) Answer {
	return func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
		select {
		case <-time.After(wait):
			inner(w, r, cluster)
		case <-r.Context().Done():
		}
	}
}

// Edited changes the body of an answer.
func Edited(inner Answer, edit func([]byte) []byte) Answer {
	return func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
		recorded := recordAnswer(inner, r, cluster)
		body := edit(recorded.Body.Bytes())
		copyHead(w, recorded)
		w.Header().Del("Content-Length")
		w.WriteHeader(recorded.Code)
		w.Write(body)
	}
}

// Followed appends bytes to the body of an answer.
func Followed(inner Answer, more []byte) Answer {
	return Edited(inner, func(body []byte) []byte { return append(body, more...) })
}

// Cut sends the head and this share of the body, then ends the connection (HTTP/1.1) or the stream
// (HTTP/2).
func Cut(inner Answer, share float64) Answer {
	return func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
		recorded := recordAnswer(inner, r, cluster)
		body := recorded.Body.Bytes()
		copyHead(w, recorded)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(recorded.Code)
		w.Write(body[:int(float64(len(body))*share)])
		w.(http.Flusher).Flush()
		time.Sleep(20 * time.Millisecond) // time to send the bytes before the reset
		panic(http.ErrAbortHandler)
	}
}

// Unframed sends this share of the body without a length and closes: only the body itself shows the
// cut. HTTP/1.1 only.
func Unframed(inner Answer, share float64) Answer {
	return func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
		recorded := recordAnswer(inner, r, cluster)
		body := recorded.Body.Bytes()
		connection := hijack(w)
		defer connection.Close()
		fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nConnection: close\r\n\r\n",
			recorded.Header().Get("Content-Type"))
		connection.Write(body[:int(float64(len(body))*share)])
	}
}

// WrongLength announces more bytes than it sends, then closes. HTTP/1.1 only.
func WrongLength(inner Answer, excess int) Answer {
	return func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
		recorded := recordAnswer(inner, r, cluster)
		body := recorded.Body.Bytes()
		connection := hijack(w)
		defer connection.Close()
		fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
			recorded.Header().Get("Content-Type"), len(body)+excess)
		connection.Write(body)
	}
}

// Reset ends the connection before the first byte of the answer. HTTP/1.1 only; on HTTP/2 the
// stream is reset.
func Reset(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	if _, ok := w.(http.Hijacker); !ok {
		panic(http.ErrAbortHandler)
	}
	connection := hijack(w)
	if wrapped, ok := connection.(interface{ NetConn() net.Conn }); ok {
		connection = wrapped.NetConn()
	}
	connection.(*net.TCPConn).SetLinger(0)
	connection.Close()
}

// Silence never answers.
func Silence(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }

// GzipBomb inflates to this many bytes of a string within a list.
func GzipBomb(inflated int64) Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		bomb, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		bomb.Write([]byte(`{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"`))
		block := make([]byte, 1<<20)
		for i := range block {
			block[i] = 'a'
		}
		for written := int64(0); written < inflated; written += int64(len(block)) {
			if _, err := bomb.Write(block); err != nil {
				return
			}
		}
		bomb.Write([]byte(`"}}]}`))
		bomb.Close()
	}
}

func recordAnswer(inner Answer, r *http.Request, cluster http.Handler) *httptest.ResponseRecorder {
	plain := r.Clone(r.Context())
	plain.Header.Del("Accept-Encoding")
	recorder := httptest.NewRecorder()
	inner(recorder, plain, cluster)
	return recorder
}

func copyHead(w http.ResponseWriter, recorded *httptest.ResponseRecorder) {
	for name, values := range recorded.Header() {
		w.Header()[name] = values
	}
}

// hijack takes over the connection of an HTTP/1.1 request.
func hijack(w http.ResponseWriter) net.Conn {
	connection, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	io.CopyN(io.Discard, buffered, int64(buffered.Reader.Buffered()))
	return connection
}

// Trickle sends this many bytes of the body, then waits until the client disconnects.
func Trickle(inner Answer, bytes int) Answer {
	return func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
		recorded := recordAnswer(inner, r, cluster)
		copyHead(w, recorded)
		w.WriteHeader(recorded.Code)
		w.Write(recorded.Body.Bytes()[:min(bytes, recorded.Body.Len())])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}
