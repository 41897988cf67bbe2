#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_windows.py ZIP PROGRAM COMPILER: tests the Windows program of the archive under wine against PROGRAM, which
runs on this machine: output and exit code must be equal for every command of the transcripts, for files, pipes,
snapshots, kubeconfigs, login commands, servers with TLS and HTTP/2, and proxies. Behaviour that only Windows has is
compared with the expected output. Uses a new wine prefix and new folders. COMPILER builds programs for Windows: one of
them sends Ctrl-C to ours."""

import base64
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from wine.events import events
from wine.programs import Programs, check, failures, windows_path
from wine.servers import Api, kubeconfig, lists_of, make_certificates, start_server
from wine.surroundings import surroundings

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "testdata/clusters/mixed-40-nodes.json"
PREFIX = "$ kubectl dsdoctor "


def transcripts(programs, _):
    """Every command of each transcript, in its folder. Names of the system differ."""
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
        # the capture time differs
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


def first_answer(archive, programs, work):
    """Like a new user: from the archive to the first answer."""
    begin = time.monotonic()
    subprocess.run([sys.executable, "-m", "zipfile", "-e", archive, work / "new"], check=True)
    done = subprocess.run(["wine", work / "new/kubectl-dsdoctor.exe", "explain", "-A", "--demo"], env=programs.base,
                          cwd=work, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    took = time.monotonic() - begin
    check("the first answer", done.returncode == 0 and b"MISSCHEDULED" in done.stdout and took < 30, f"{took} s\n{done}")
    print(f"from the archive to the first answer: {took:.1f} s", flush=True)


def version(programs, work):
    code, out, _ = programs.run(["version", "--client", "-o", "json"], True, work)
    check("version names the platform", code == 0 and '"windows/amd64"' in out, out)
    code, out, _ = programs.run(["--help"], True, work)
    check("it calls itself kubectl dsdoctor", code == 0 and "kubectl dsdoctor" in out and ".exe" not in out, out[:300])


def live(programs, work):
    here = work / "Konfiguration ü"
    (here / "plug ins").mkdir(parents=True)
    for file in (work / "certificates").iterdir():
        (here / file.name).write_bytes(file.read_bytes())
    server = start_server(here)
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
    for what, env in (("HOME", {"WINEHOME": windows_path(home)}),  # wine sets its own HOME
                      ("a list in KUBECONFIG", {"KUBECONFIG": "Z:\\nothing;" + windows_path(here / "kubeconfig")})):
        ours = programs.run(["explain", "-A"], True, work, env)
        check(what, ours[0] == answer[0] and ours[1] != "", str(ours))
    check("the user agent names the system", any("windows/amd64" in agent for agent in Api.agents), str(Api.agents))
    server.shutdown()


def main():
    archive, native, compiler = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix="dsdoctor-wine-") as folder:
        work = Path(folder)
        programs = Programs(work, archive, str(Path(native).resolve()), compiler)
        subprocess.run(["wineboot", "--init"], env=programs.base, capture_output=True, timeout=300, check=False)
        (work / "certificates").mkdir()
        make_certificates(work / "certificates")
        Api.lists = lists_of(json.loads(CLUSTER.read_text()))
        first_answer(archive, programs, work)
        with programs.running_system():
            for part in (version, files, live, events, surroundings, transcripts):
                begin = time.monotonic()
                part(programs, work)
                print(f"{part.__name__}: {time.monotonic() - begin:.0f} s", flush=True)
    if failures:
        print(f"{len(failures)} of the checks failed")
        return 1
    print("the program for Windows does under wine what the one for Linux does")
    return 0


if __name__ == "__main__":
    sys.exit(main())
