// SPDX-License-Identifier: Apache-2.0

package krew

import (
	"debug/elf"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

const program, qemu = "/kubectl-dsdoctor", "/qemu"

// mostPages is the maximum number of pages that a start may touch, of 4 KiB each.
const mostPages = 1000

// bare creates a root folder with the program and the given files, by path.
func bare(t *testing.T, arch string, files map[string]string) (root string, words []string) {
	t.Helper()
	root = unpacked(t, archives(t)[arch])
	for path, content := range files {
		write(t, filepath.Join(root, path), content)
	}
	words = []string{program}
	if emulation := emulator(t, arch); emulation != nil {
		write(t, filepath.Join(root, qemu), read(t, emulation[0]))
		if err := os.Chmod(filepath.Join(root, qemu), 0o755); err != nil {
			t.Fatal(err)
		}
		words = []string{qemu, program}
	}
	return root, words
}

// Works on any Linux: without loader, libraries or configuration.
func TestEmptyRoot(t *testing.T) {
	for arch := range archives(t) {
		t.Run(arch, func(t *testing.T) {
			root, words := bare(t, arch, nil)
			for _, row := range []struct{ arguments, expected string }{
				{"version --client", "Client Version: " + version(t) + "\n"},
				{"explain -A --demo", "MISSCHEDULED"},
				{"--help", "explain"},
				{"completion bash", "complete"},
			} {
				o := run(t, nil, root, append(words, strings.Fields(row.arguments)...)...)
				if o.code != 0 || o.stderr != "" || !strings.Contains(o.stdout, row.expected) {
					t.Errorf("%s: %v", row.arguments, o)
				}
			}
			o := run(t, nil, root, append(words, "explain", "--server=https://nowhere.invalid")...)
			if o.code != 2 || !strings.Contains(o.stderr, "lookup nowhere.invalid: no such host") {
				t.Error(o)
			}
		})
	}
}

// For a new user on a minimal system: from the archive to the first answer.
func TestFirstAnswerIsSoon(t *testing.T) {
	begin := time.Now()
	root, words := bare(t, runtime.GOARCH, nil)
	o := run(t, nil, root, append(words, "explain", "-A", "--demo")...)
	if took := time.Since(begin); o.code != 0 || !strings.Contains(o.stdout, "MISSCHEDULED") || took > 30*time.Second {
		t.Errorf("after %v: %v", took, o)
	}
}

func TestProgramIsStatic(t *testing.T) {
	for arch, archive := range archives(t) {
		t.Run(arch, func(t *testing.T) {
			path := filepath.Join(unpacked(t, archive), program)
			file, err := elf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			for _, part := range file.Progs {
				if part.Type == elf.PT_INTERP {
					t.Errorf("an executable that needs a loader: %v", part.Type)
				}
			}
			if libraries, _ := file.ImportedLibraries(); len(libraries) > 0 {
				t.Errorf("needs %v", libraries)
			}
			if symbols, err := file.Symbols(); err == nil {
				t.Errorf("%d symbols", len(symbols))
			}
		})
	}
}

// A security update of a library affects us: version lists the libraries in the program.
func TestVersionNamesLibraries(t *testing.T) {
	for arch := range archives(t) {
		root, words := bare(t, arch, nil)
		o := run(t, nil, root, append(words, "version", "--client", "-o", "json")...)
		var answer struct{ BundledLibraries map[string]string }
		if err := json.Unmarshal([]byte(o.stdout), &answer); err != nil {
			t.Fatal(err, o)
		}
		content := read(t, filepath.Join(root, program))
		for name, mark := range map[string]string{"curl": "%s", "openssl": "OpenSSL %s", "zlib": "inflate %s",
			"nghttp2": "", "c-ares": "", "glibc": ""} { // the program does not know the versions of the last three
			number, _, debian := strings.Cut(answer.BundledLibraries[name], "-")
			number, _, _ = strings.Cut(number, ".dfsg")
			if !debian {
				t.Errorf("%s: no version of %s in %v", arch, name, answer.BundledLibraries)
			} else if mark != "" && !strings.Contains(content, fmt.Sprintf(mark, number)) {
				t.Errorf("%s: %s %s is not what the program contains", arch, name, number)
			}
		}
	}
}

// A shell's completion waits for the start, so it must not set up TLS. Time differs between
// machines, but the number of touched pages (memory and program) does not.
func TestStartIsCheap(t *testing.T) {
	path := filepath.Join(unpacked(t, archives(t)[runtime.GOARCH]), program)
	pages, least := int64(math.MaxInt64), time.Hour
	for range 20 {
		command := exec.CommandContext(t.Context(), path, "version", "--client")
		if err := command.Run(); err != nil {
			t.Fatal(err)
		}
		usage, _ := command.ProcessState.SysUsage().(*syscall.Rusage)
		pages = min(pages, usage.Minflt+usage.Majflt)
		least = min(least, command.ProcessState.UserTime()+command.ProcessState.SystemTime())
	}
	t.Logf("version --client: %d page faults, %v of CPU", pages, least)
	if pages > mostPages {
		t.Errorf("version --client touches %d pages, more than %d", pages, mostPages)
	}
}

// nameserver answers every query for an IPv4 address with 127.0.0.1, on the only port that
// resolv.conf allows.
func nameserver(t *testing.T) (address string) {
	t.Helper()
	address = "127.53.53.53"
	socket, err := net.ListenPacket("udp", address+":53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	go func() {
		buffer := make([]byte, 4096)
		for {
			size, client, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			var message dnsmessage.Message
			if message.Unpack(buffer[:size]) != nil || len(message.Questions) != 1 {
				continue
			}
			message.Response, message.Authoritative = true, true
			message.Additionals = nil
			if question := message.Questions[0]; question.Type == dnsmessage.TypeA {
				message.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class, TTL: 1},
					Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
			}
			if answer, err := message.Pack(); err == nil {
				_, _ = socket.WriteTo(answer, client)
			}
		}
	}()
	return address
}

// apiServer serves HTTPS as example.com, with one node and one DaemonSet without a pod.
func apiServer(t *testing.T) (address, certificate string) {
	t.Helper()
	lists := map[string]string{
		"/version":      `{"major":"1","minor":"36","gitVersion":"v1.36.3"}`,
		"/api/v1/nodes": `{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"n1"}}]}`,
		"/api/v1/pods":  `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`,
		"/apis/apps/v1/daemonsets": `{"kind":"DaemonSetList","apiVersion":"apps/v1","metadata":{},"items":[{"metadata":{"name":"agent","namespace":"mon","uid":"u"},` +
			`"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[]}}}}]}`,
		"/apis/apps/v1/controllerrevisions": `{"kind":"ControllerRevisionList","apiVersion":"apps/v1","metadata":{},"items":[]}`,
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := lists[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that do not trust it
	server.StartTLS()
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	return "https://example.com:" + port, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

// foreign are files of another distribution that must have no effect: modules for name resolution,
// which would crash a static glibc of another version, and a configuration of OpenSSL.
func foreign(arch, nameserver string) map[string]string {
	triplet := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch] + "-linux-gnu"
	files := map[string]string{
		"/etc/nsswitch.conf": "hosts: files mdns4_minimal [NOTFOUND=return] resolve [!UNAVAIL=return] myhostname dns mdns4\n",
		"/etc/resolv.conf":   "nameserver " + nameserver + "\noptions timeout:2 attempts:1\n",
	}
	for _, name := range []string{"mdns4_minimal", "mdns4", "resolve", "myhostname"} {
		for _, folder := range []string{"/lib/" + triplet, "/usr/lib/" + triplet, "/lib64", "/usr/lib64"} {
			files[folder+"/libnss_"+name+".so.2"] = "no module of this glibc"
		}
	}
	for _, folder := range []string{"/usr/lib/ssl", "/etc/ssl", "/etc/pki/tls"} {
		files[folder+"/openssl.cnf"] = "openssl_conf = broken\n[broken]\nproviders = none\n[none]\ndefault = nothing\n"
	}
	return files
}

// Reads a cluster by a name that only DNS resolves, with CA certificates in the paths of
// distributions.
func TestClusterByName(t *testing.T) {
	dns := nameserver(t)
	address, certificate := apiServer(t)
	rows := []struct{ name, file, environment string }{
		{"Debian", "/etc/ssl/certs/ca-certificates.crt", ""},
		{"Fedora", "/etc/pki/tls/certs/ca-bundle.crt", ""},
		{"openSUSE", "/etc/ssl/ca-bundle.pem", ""},
		{"Alpine", "/etc/ssl/cert.pem", ""},
		{"SSL_CERT_FILE", "/elsewhere.pem", "SSL_CERT_FILE=/elsewhere.pem"},
		{"none", "", ""},
	}
	for arch := range archives(t) {
		for _, row := range rows {
			t.Run(arch+" "+row.name, func(t *testing.T) {
				files := foreign(arch, dns)
				if row.file != "" {
					files[row.file] = certificate
				}
				root, words := bare(t, arch, files)
				o := run(t, []string{row.environment, "OPENSSL_CONF=/etc/ssl/openssl.cnf"}, root,
					append(words, "explain", "-A", "--server="+address)...)
				if row.file == "" {
					if o.code != 2 || !strings.Contains(o.stderr, "certificate") {
						t.Error(o)
					}
				} else if o.code != 0 || !strings.Contains(o.stdout, "mon/agent") || !strings.Contains(o.stdout, "MISSING") {
					t.Error(o)
				}
			})
		}
	}
}

// The program does not open any of the foreign files.
func TestForeignFilesAreNotOpened(t *testing.T) {
	address, certificate := apiServer(t)
	files := foreign(runtime.GOARCH, nameserver(t))
	files["/etc/ssl/certs/ca-certificates.crt"] = certificate
	root, _ := bare(t, runtime.GOARCH, files)
	trace := filepath.Join(t.TempDir(), "trace")
	o := run(t, []string{"PATH=" + os.Getenv("PATH")}, "", "strace", "-f", "-qq", "-e", "trace=%file", "-o", trace,
		"chroot", root, program, "explain", "-A", "--server="+address)
	if o.code != 0 {
		t.Fatal(o)
	}
	_, own, found := strings.Cut(read(t, trace), `execve("`+program+`"`)
	if !found || !strings.Contains(own, "/etc/resolv.conf") {
		t.Fatalf("not a trace of the program:\n%s", own)
	}
	for _, line := range strings.Split(own, "\n") {
		if strings.Contains(line, "libnss_") || strings.Contains(line, "openssl.cnf") || strings.Contains(line, ".so") {
			t.Errorf("touched: %s", line)
		}
	}
}
