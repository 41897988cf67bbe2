# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and Ctrl-Break in each phase: the program ends, and leaves neither a login command nor a partial file."""

import os
import subprocess
import threading
import time
from pathlib import Path

from wine.programs import check, preloaded, windows_path
from wine.servers import Api, kubeconfig, start_server

# A slow disk, which signals when a write has begun.
SLOW_DISK = """
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int fsync(int file) {
  struct timespec rest = {20, 0};
  (void)file;
  close(open(getenv("DSDOCTOR_READY"), O_CREAT | O_WRONLY, 0600));
  while (nanosleep(&rest, &rest) != 0) continue;
  return 0;
}
"""


def is_running(prefix, word):
    """Reports whether a process of this wine prefix has the word in its command line."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (f"WINEPREFIX={prefix}\0".encode() in (process / "environ").read_bytes()
                    and word in (process / "cmdline").read_bytes()):
                return True
        except OSError:
            continue
    return False


def interrupt(programs, what, how, words, here, ready, is_ready=None, env=None):
    """Runs the program until the event, which is sent once `is_ready` returns, or else when the file `ready` exists."""
    ready.unlink(missing_ok=True)
    process = subprocess.Popen(programs.in_console(how, windows_path(ready), words), cwd=here,
                               env={**programs.base, "DSDOCTOR_READY": str(ready), **(env or {})},
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if is_ready is not None:
        is_ready()
        ready.touch()
    said = bytearray()
    reading = threading.Thread(target=lambda: said.extend(process.stderr.read()))
    reading.start()
    try:
        process.wait(timeout=60)  # its output is read only afterwards
    except subprocess.TimeoutExpired:
        process.kill()
    process.stdin.close()
    process.stdout.close()
    reading.join(timeout=20)
    check(f"{how}: {what}", b"console: ended after" in said, said.decode(errors="replace"))


def asked_for_nothing():
    time.sleep(1.5)


def asked_a_server():
    Api.asked.wait(30)
    time.sleep(0.3)


def events(programs, work):
    here = work / "Unterbrechung"
    here.mkdir()
    for name in ("ca.crt", "server.crt", "server.key"):
        (here / name).write_bytes((work / "certificates" / name).read_bytes())
    server = start_server(here)
    url = f"https://127.0.0.1:{server.server_port}"
    (here / "kubeconfig").write_text(kubeconfig(url, "{token: secret-token}"))
    ready = here / "ready"
    login = "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: '.\\long.cmd'}}"
    (here / "login").write_text(kubeconfig(url, login))
    (here / "long.cmd").write_bytes(b"@echo off\r\necho. >%DSDOCTOR_READY_WINDOWS%\r\nping -n 600 127.0.0.1 >nul\r\n")
    large = str(Path(__file__).resolve().parents[3] / "testdata/clusters/mixed-40-nodes.json")
    slow = preloaded(work, "slow_disk", SLOW_DISK)
    for how in ("ctrl-c", "ctrl-break"):
        interrupt(programs, "standard input", how, ["explain", "-A", "-f", "-"], here, ready, asked_for_nothing)
        interrupt(programs, "standard output", how, ["explain", "-A", "-o", "json", "-f", large], here, ready,
                  asked_for_nothing)
        for stall in ("head", "body", "close"):
            Api.stall = stall
            Api.asked.clear()
            Api.go_on.clear()
            interrupt(programs, f"an answer ({stall})", how, ["explain", "-A", "--kubeconfig", "kubeconfig"], here, ready,
                      asked_a_server)
            Api.go_on.set()
        Api.stall = ""
        interrupt(programs, "a login command", how, ["explain", "-A", "--kubeconfig", "login"], here, ready,
                  env={"DSDOCTOR_READY_WINDOWS": windows_path(ready)})
        check(f"{how}: the login command has ended", not is_running(programs.base["WINEPREFIX"], b"600"))
        interrupt(programs, "a snapshot", how, ["snapshot", "s.json", "--demo"], here, ready, env=slow)
        left = [name for name in os.listdir(here) if name.startswith((".s.json", "s.json"))]
        check(f"{how}: nothing is left of a snapshot", not left, str(left))
    server.shutdown()
