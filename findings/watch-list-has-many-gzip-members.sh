#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A watch with initial objects is gzipped since Kubernetes 1.37, and curl reads only its first event.
#
# Good guess:  an API server compresses large lists only; if it compressed a watch, it would be one gzip
#              stream that is flushed after each event, which every client with `Accept-Encoding: gzip` reads.
# Seen:        k8s.io/apiserver v0.37.2: with sendInitialEvents=true and Accept-Encoding: gzip the answer has
#              Content-Encoding: gzip, for two small objects as well. Each flush ends a gzip member and begins
#              another one, for later events too. Go's client reads all of them. curl 7.88.1 (libcurl) reads
#              the first member and fails with code 23, a failed write. Without gzip, or without
#              sendInitialEvents, nothing is compressed.
# Why:         the server gives its gzip writer back after each flush, so that idle watches hold none. RFC
#              1952 allows several members, but libcurl supports one (its documentation says so).
# Matters for: every client that is not written in Go and offers gzip by default: programs with libcurl,
#              scripts with curl --compressed. They lose their watch after the first event, again and again.
#
# Needs Go 1.26 or later, a module proxy and curl.
set -euo pipefail

work=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; chmod -R u+w "$work"; rm -rf "$work"' EXIT

cat >"$work/main.go" <<'GO'
package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/kubernetes/scheme"
)

// storage has two nodes, which a watch sends half a second apart.
type storage struct{}

func (storage) NewList() runtime.Object { return &corev1.NodeList{} }
func (storage) List(context.Context, *internalversion.ListOptions) (runtime.Object, error) {
	return &corev1.NodeList{}, nil
}
func (storage) ConvertToTable(context.Context, runtime.Object, runtime.Object) (*metav1.Table, error) {
	return nil, nil
}
func (storage) Watch(context.Context, *internalversion.ListOptions) (watch.Interface, error) {
	w := watch.NewFakeWithOptions(watch.FakeOptions{})
	go func() {
		for _, name := range []string{"n1", "n2"} {
			time.Sleep(500 * time.Millisecond)
			w.Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
		time.Sleep(500 * time.Millisecond)
		w.Stop()
	}()
	return w, nil
}

func main() {
	scope := &handlers.RequestScope{
		Namer:            handlers.ContextBasedNaming{Namer: meta.NewAccessor(), ClusterScoped: true},
		Serializer:       scheme.Codecs,
		ParameterCodec:   scheme.ParameterCodec,
		Convertor:        scheme.Scheme,
		Kind:             corev1.SchemeGroupVersion.WithKind("Node"),
		Resource:         corev1.SchemeGroupVersion.WithResource("nodes"),
		MetaGroupVersion: metav1.SchemeGroupVersion,
	}
	list := handlers.ListResource(storage{}, storage{}, scope, false, time.Minute)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := &request.RequestInfo{IsResourceRequest: true, Verb: "watch", APIVersion: "v1", Resource: "nodes"}
		list(w, r.WithContext(request.WithRequestInfo(r.Context(), info)))
	}))
	url := server.URL + "/api/v1/nodes?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	os.WriteFile("url", []byte(url), 0o644)
	answer, err := http.Get(url)
	if err != nil {
		panic(err)
	}
	events := 0
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		events++
	}
	fmt.Printf("Go: compressed %v, %d events\n", answer.Uncompressed, events)
	os.Rename("url", "ready")
	select {}
}
GO

cat >"$work/expected" <<'EXPECTED'
Go: compressed true, 2 events
curl --compressed: 1 event, exit code 23
curl: 2 events, exit code 0
curl --compressed without sendInitialEvents: 2 events, exit code 0
EXPECTED

cd "$work"
{
  go mod init example.com/watch
  go get k8s.io/apiserver@v0.37.2 k8s.io/client-go@v0.37.2 k8s.io/api@v0.37.2 k8s.io/apimachinery@v0.37.2
  go mod tidy
  go build -o server .
} >log 2>&1 || { cat log >&2; exit 1; }
./server >seen 2>server.log &
server=$!
for _ in $(seq 100); do
  [[ -f ready ]] && break
  sleep 0.1
done
url=$(<ready)
# watch_with WORDS URL [FLAG]...: the events that curl prints, and its exit code.
watch_with() {
  local words=$1 address=$2 code=0 events
  shift 2
  curl -sN "$@" "$address" >out || code=$?
  events=$(grep -c '"type":"ADDED"' out || true)
  if [[ $events == 1 ]]; then events='1 event'; else events="$events events"; fi
  echo "$words: $events, exit code $code"
}
{
  watch_with 'curl --compressed' "$url" --compressed
  watch_with curl "$url"
  watch_with 'curl --compressed without sendInitialEvents' "${url%%&send*}" --compressed
} >>seen
cat seen
if ! diff -u expected seen >&2; then
  echo "the behaviour has changed" >&2
  exit 1
fi
