#!/usr/bin/env python3
"""check_windows.py ZIP PROGRAM: tries the Windows program of the archive under wine, beside PROGRAM, which this
machine runs: what both print, and how they exit, is the same for every command of the transcripts, for files,
pipes, snapshots, kubeconfigs, login commands and a TLS server. What only Windows has is compared with what it
should say. Runs in a prefix and in folders of its own."""

import base64
import difflib
import json
import os
import re
import shlex
import ssl
import subprocess
import sys
import tempfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "testdata/clusters/mixed-40-nodes.json"
PREFIX = "$ kubectl dsdoctor "
failures = []


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}\n{detail}", flush=True)


class Programs:
    """Both programs. Each has a folder with a space and letters beyond ASCII in its name."""

    def __init__(self, work, archive, native):
        self.native = native
        self.folder = work / "Prográm Fílés Ж"
        zipfile.ZipFile(archive).extractall(self.folder)
        self.windows = self.folder / "kubectl-dsdoctor.exe"
        self.base = {"PATH": os.environ["PATH"], "HOME": str(work / "home"), "LANG": "C.UTF-8",
                     "WINEPREFIX": str(work / "wine"), "WINEDEBUG": "-all", "DISPLAY": ""}
        Path(self.base["HOME"]).mkdir()

    def run(self, words, windows, cwd, env=None, data=None, binary=False):
        command = ["wine", str(self.windows)] if windows else [self.native]
        done = subprocess.run(command + words, cwd=cwd, env={**self.base, **(env or {})}, input=data,
                              stdin=subprocess.DEVNULL if data is None else None, capture_output=True, timeout=180)
        if binary:
            return done.returncode, done.stdout, done.stderr
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def same(self, what, words, cwd, env=None, data=None):
        ours = self.run(words, True, cwd, env, data)
        theirs = self.run(words, False, cwd, env, data)
        # the time of reading differs
        ours, theirs = ((code, re.sub(r'(readAt"?: ")[^"]*', r"\1", out), err) for code, out, err in (ours, theirs))
        # a file in an error is named with its folder
        ours = (*ours[:2], re.sub(r"Z:\\[^\n]*", lambda path: path[0][2:].replace("\\", "/"), ours[2]))
        check(what, ours == theirs, difference(ours, theirs))
        return ours


def difference(ours, theirs):
    """Of two answers: the lines that differ."""
    texts = [f"exit code {code}\n{out}\n{err}".splitlines() for code, out, err in (theirs, ours)]
    return "\n".join(difflib.unified_diff(*texts, "Linux", "Windows", lineterm="", n=0))


def windows_path(path):
    return "Z:" + str(path).replace("/", "\\")


def transcripts(programs):
    """Every command that a transcript shows, in its folder. What names the system differs."""
    count = 0
    for transcript in sorted((ROOT / "testdata/scenarios").rglob("*.transcript")):
        for line in transcript.read_text().splitlines():
            if line.startswith(PREFIX):
                programs.same(f"{transcript.stem}: {line}", shlex.split(line[len(PREFIX):]), transcript.parent)
                count += 1
    print(f"transcripts: {count} commands", flush=True)
    check("transcripts are there", count > 300)


def files(programs, work):
    here = work / "Ordner mit Leerzeichen äöü 日本"
    here.mkdir()
    text = CLUSTER.read_bytes()
    (here / "Ж.json").write_bytes(text)
    (here / "crlf.yaml").write_bytes((ROOT / "lib/source/demo_cluster.yaml").read_bytes().replace(b"\n", b"\r\n"))
    for what, words in (("a file", ["-f", "Ж.json"]), ("a folder", ["-f", "."]), ("CRLF", ["-f", "crlf.yaml"]),
                        ("no such file", ["-f", "nichts ü.json"])):
        programs.same(what, ["explain", "-A"] + words, here)
    code, out, _ = programs.run(["explain", "-A", "-f", windows_path(here / "Ж.json")], True, here)
    check("a file with a drive", code == programs.run(["explain", "-A", "-f", "Ж.json"], False, here)[0] and out != "")
    programs.same("standard input", ["explain", "-A", "-f", "-"], here, data=text)
    programs.same("exit code 1", ["check", "-A", "--demo"], here)
    programs.same("exit code 2", ["explain", "--no-such-flag"], here)

    snapshots = {}
    for windows in (True, False):
        name = "Schnappschuß Ж.json"
        code, _, err = programs.run(["snapshot", name, "-f", "crlf.yaml", "--force"], windows, here)
        check("a snapshot is written", code == 0 and (here / name).exists(), err)
        # the time that it was taken differs
        snapshots[windows] = re.sub(rb'"(takenAt|captured[A-Za-z]*|creationTimestamp)": ?"[^"]*"', b"",
                                    (here / name).read_bytes())
        programs.same("the snapshot is read", ["explain", "-A", "-f", name], here)
    check("snapshots have the same bytes", snapshots[True] == snapshots[False])
    check("an existing snapshot is left alone", programs.same(
        "an existing snapshot", ["snapshot", "Schnappschuß Ж.json", "-f", "crlf.yaml"], here)[0] == 2)
    check("nothing is left beside it", not [p for p in here.iterdir() if p.name.endswith(".part")])
    deep = here / "/".join(["lang" * 20] * 5)
    deep.mkdir(parents=True)
    (deep / "x.json").write_bytes(text)
    programs.same("a path of more than 260 characters", ["explain", "-A", "-f", str(deep.relative_to(here) / "x.json")],
                  here)
    out = programs.run(["explain", "-A", "-o", "json", "--demo"], True, here, binary=True)[1]
    check("lines end in LF alone", b"\r" not in out and out.count(b"\n") > 10)
    check("no colours in a pipe", b"\x1b" not in programs.run(["explain", "-A", "--demo"], True, here, binary=True)[1])
    print("files: done", flush=True)


def version(programs, work):
    code, out, _ = programs.run(["version", "--client", "-o", "json"], True, work)
    check("version names the platform", code == 0 and '"windows/amd64"' in out, out)
    code, out, _ = programs.run(["--help"], True, work)
    check("it calls itself kubectl dsdoctor", code == 0 and "kubectl dsdoctor" in out and ".exe" not in out, out[:300])


class Api(BaseHTTPRequestHandler):
    """Lists of one cluster, for who has the token or a client certificate."""

    protocol_version = "HTTP/1.1"
    lists = {}
    agents = set()

    def do_GET(self):
        Api.agents.add(self.headers.get("User-Agent", ""))
        allowed = self.headers.get("Authorization") == "Bearer secret-token" or self.connection.getpeercert()
        path = self.path.split("?")[0]
        if not allowed:
            status, body = 401, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "Unauthorized",
                                 "reason": "Unauthorized", "code": 401}
        elif path in self.lists:
            status, body = 200, self.lists[path]
        elif path == "/version":
            status, body = 200, {"major": "1", "minor": "36", "gitVersion": "v1.36.0"}
        else:
            status, body = 404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound",
                                 "message": "the server could not find the requested resource", "code": 404}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


def lists_of(cluster):
    prefixes = {"Node": "/api/v1/nodes", "Pod": "/api/v1/pods", "DaemonSet": "/apis/apps/v1/daemonsets",
                "ControllerRevision": "/apis/apps/v1/controllerrevisions", "Event": "/api/v1/events",
                "Namespace": "/api/v1/namespaces"}
    result = {}
    for kind, path in prefixes.items():
        items = [item for item in cluster["items"] if item["kind"] == kind]
        version = "apps/v1" if "/apps/" in path else "v1"
        result[path] = {"kind": kind + "List", "apiVersion": version, "metadata": {"resourceVersion": "1"},
                        "items": items}
    return result


def make_certificates(folder):
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    for name, more in (("ca", []), ("server", ["-addext", "subjectAltName=IP:127.0.0.1"]), ("client", [])):
        signed = [] if name == "ca" else ["-CA", "ca.crt", "-CAkey", "ca.key"]
        if not signed:
            openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.crt", *more)
        else:
            openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.crt", *signed,
                    "-addext", "basicConstraints=CA:FALSE", *more)


def kubeconfig(server, user, ca="ca.crt"):
    return f"""apiVersion: v1
kind: Config
current-context: c
clusters:
- name: c
  cluster: {{server: '{server}', certificate-authority: {ca}}}
contexts:
- name: c
  context: {{cluster: c, user: u}}
users:
- name: u
  user: {user}
"""


def live(programs, work):
    here = work / "Konfiguration ü"
    (here / "plug ins").mkdir(parents=True)
    make_certificates(here)
    Api.lists = lists_of(json.loads(CLUSTER.read_text()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(here / "server.crt", here / "server.key")
    context.load_verify_locations(here / "ca.crt")
    context.verify_mode = ssl.CERT_OPTIONAL
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"https://127.0.0.1:{server.server_port}"

    def ask(what, text, expected, env=None, words=(), newline="\n", compare=True):
        (here / "kubeconfig").write_bytes(text.replace("\n", newline).encode())
        words = ["explain", "-A", "--kubeconfig", "kubeconfig", *words]
        if compare:
            ours = programs.same(what, words, here, env)
        else:
            ours = programs.run(words, True, here, env)
        check(f"{what}: exit code", ours[0] == expected, str(ours))
        return ours

    answer = programs.run(["explain", "-A", "-f", str(CLUSTER)], True, here)
    check("the answer from a file", answer[1] != "")
    with_token = ask("a token", kubeconfig(url, "{token: secret-token}"), answer[0], newline="\r\n")
    ask("a client certificate", kubeconfig(url, "{client-certificate: client.crt, client-key: client.key}"), answer[0])
    data = [base64.b64encode((here / f"client.{part}").read_bytes()).decode() for part in ("crt", "key")]
    ask("client certificate data", kubeconfig(url, "{client-certificate-data: %s, client-key-data: %s}" % tuple(data)),
        answer[0])
    ask("a wrong token", kubeconfig(url, "{token: wrong}"), 2)
    ask("another authority", kubeconfig(url, "{token: secret-token}", "client.crt"), 2)
    ask("nobody listens", kubeconfig("https://127.0.0.1:9", "{token: secret-token}"), 2)
    ask("an authority of the system is missing", kubeconfig(url, "{token: secret-token}", "''"), 2, compare=False)
    backslashes = kubeconfig(url, "{token: secret-token}", "'%s'" % windows_path(here / "ca.crt"))
    ask("a path with backslashes and a drive", backslashes, answer[0], compare=False)

    credential = json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                             "status": {"token": "secret-token"}})
    plugins = here / "plug ins"
    (plugins / "login.cmd").write_bytes(b"@echo off\r\n%s %%1 >&2\r\necho %s\r\n" % (b"echo said", credential.encode()))
    (plugins / "fails.bat").write_bytes(b"@exit /b 3\r\n")
    (plugins / "long.cmd").write_bytes(b"@echo off\r\nping -n 600 127.0.0.1 >nul\r\n")

    def exec_user(command, argument="ok"):
        return ("{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: '%s', "
                "args: ['%s']}}" % (command, argument))

    path = {"WINEPATH": windows_path(plugins)}
    found = ask("a login command of PATH, by PATHEXT", kubeconfig(url, exec_user("login")), answer[0], path, compare=False)
    check("its stderr is shown", "said" in found[2], found[2])
    check("the answer is that of the token", found[1] == with_token[1], found[1][-600:])
    ask("a login command beside the kubeconfig", kubeconfig(url, exec_user("plug ins/login.cmd")), answer[0], compare=False)
    ask("with backslashes", kubeconfig(url, exec_user(".\\plug ins\\login")), answer[0], compare=False)
    absent = ask("a login command that is missing", kubeconfig(url, exec_user("nothing")), 2, compare=False)
    check("says what is missing", "nothing not found" in absent[2], absent[2])
    failed = ask("a login command that fails", kubeconfig(url, exec_user("fails")), 2, path, compare=False)
    check("says its exit code", "3" in failed[2], failed[2])
    unsafe = ask("an argument that cmd.exe would take for a command", kubeconfig(url, exec_user("login", "a&calc")), 2,
                 path, compare=False)
    check("says so", "safely" in unsafe[2], unsafe[2])

    home = work / "Benutzer ö"
    (home / ".kube").mkdir(parents=True)
    for name in ("ca.crt",):
        (home / ".kube" / name).write_bytes((here / name).read_bytes())
    (home / ".kube/config").write_text(kubeconfig(url, "{token: secret-token}"))
    (here / "kubeconfig").write_text(kubeconfig(url, "{token: secret-token}"))
    for what, env in (("HOME", {"WINEHOME": windows_path(home)}),  # wine has a HOME of its own
                      ("a list in KUBECONFIG", {"KUBECONFIG": "Z:\\nothing;" + windows_path(here / "kubeconfig")})):
        ours = programs.run(["explain", "-A"], True, work, env)
        check(what, ours[0] == answer[0] and ours[1] != "", str(ours))
    check("the user agent names the system", any("windows/amd64" in agent for agent in Api.agents), str(Api.agents))
    server.shutdown()
    print("live: done", flush=True)


def main():
    archive, native = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="dsdoctor-wine-") as folder:
        work = Path(folder)
        programs = Programs(work, archive, str(Path(native).resolve()))
        subprocess.run(["wineboot", "--init"], env=programs.base, capture_output=True, timeout=300, check=False)
        version(programs, work)
        files(programs, work)
        live(programs, work)
        transcripts(programs)
        subprocess.run(["wineserver", "--kill"], env=programs.base, capture_output=True, timeout=60, check=False)
    if failures:
        print(f"{len(failures)} of the checks failed")
        return 1
    print("the program for Windows does under wine what the one for Linux does")
    return 0


if __name__ == "__main__":
    sys.exit(main())
