# SPDX-License-Identifier: Apache-2.0
"""Conditions of users' machines: no home, a read-only home, other time zones, a wrong clock, code page 437, a
terminal that is a pipe; and networks with HTTP/2 and proxies."""

import json
import os
import pty
import re
import select
import subprocess
import time
from datetime import datetime, timedelta, timezone

from wine.programs import check, preloaded, windows_path
from wine.servers import (NAME, Api, Http2Server, Proxy, basic, kubeconfig, make_certificates, start_proxy,
                          start_server)

# Shifts the machine's clock by some seconds.
WRONG_CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long wrong(void) {
  const char* text = getenv("DSDOCTOR_WRONG");
  return text != NULL ? atol(text) : 0;
}
int clock_gettime(clockid_t clock, struct timespec* now) {
  const int failed = syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += wrong();
  return failed;
}
int gettimeofday(struct timeval* now, void* zone) {
  (void)zone;
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}
time_t time(time_t* result) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (result != NULL) *result = exact.tv_sec;
  return exact.tv_sec;
}
"""


def home(programs, work, url):
    """A read-only home, and no home."""
    place = work / "nur lesen"
    (place / ".kube").mkdir(parents=True)
    (place / ".kube/config").write_text(kubeconfig(url, "{token: secret-token}", str(work / "certificates/ca.crt")))
    (place / ".kube").chmod(0o555)
    place.chmod(0o555)
    expected = programs.run(["explain", "-A"], False, work, {"HOME": str(place)})
    # wine sets its own HOME
    ours = programs.run(["explain", "-A"], True, work, {"WINEHOME": windows_path(place)})
    check("a home that cannot be written", ours == expected and ours[1] != "", str((ours, expected)))
    place.chmod(0o755)

    script = work / "no home.cmd"
    script.write_bytes(b"@echo off\r\nset HOME=\r\nset USERPROFILE=\r\nset HOMEDRIVE=\r\nset HOMEPATH=\r\n"
                       b"kubectl-dsdoctor.exe explain -A\r\n")
    environment = {**programs.base, "WINEHOME": ""}
    done = subprocess.run(["wine", "cmd", "/c", windows_path(script)], cwd=programs.folder, env=environment,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=180, check=False)
    theirs = programs.run(["explain", "-A"], False, work, {"HOME": ""})
    check("no home", (done.stdout.decode(), done.stderr.decode()) == theirs[1:], f"{done}\n{theirs}")


def times(programs, work):
    """Time zones, and a clock that is wrong by two minutes."""
    here = work / "Uhr"
    here.mkdir()
    (here / "cluster.json").write_bytes((work / "certificates/cluster.json").read_bytes())
    for zone in ("Asia/Kolkata", "America/St_Johns", "Pacific/Kiritimati"):
        programs.same(f"in {zone}", ["explain", "-A", "-f", "-"], here, {"TZ": zone},
                      data=(here / "cluster.json").read_bytes())
    library = preloaded(work, "wrong_clock", WRONG_CLOCK)
    for seconds in (120, -120):
        env = {**library, "DSDOCTOR_WRONG": str(seconds)}
        code, out, err = programs.run(["explain", "-A", "-o", "json", "-f", "cluster.json"], True, here, env)
        read_at = re.search(r'"readAt": ?"([^"]*)"', out)
        late = datetime.fromisoformat(read_at[1].replace("Z", "+00:00")) - datetime.now(timezone.utc) if read_at else None
        check(f"the clock is {seconds} s off", late is not None and abs(late - timedelta(seconds=seconds)).seconds < 60,
              f"{code} {late} {err}")
        make_certificates(here)  # not yet valid two minutes earlier
        server = start_server(here)
        (here / "kubeconfig").write_text(kubeconfig(f"https://127.0.0.1:{server.server_port}", "{token: secret-token}"))
        ours = programs.same(f"a server, {seconds} s off", ["explain", "-A", "--kubeconfig", "kubeconfig"], here, env)
        check(f"a server, {seconds} s off: exit code", (ours[0] == 2) == (seconds < 0), str(ours)[:800])
        server.shutdown()


def on_terminal(words, env, cwd):
    """Returns the text that a terminal shows."""
    process, master = pty.fork()
    if process == 0:
        os.chdir(cwd)
        os.execvpe(words[0], words, env)
    seen, end = b"", time.monotonic() + 120
    while time.monotonic() < end:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
    os.close(master)
    os.waitpid(process, 0)
    return re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", " ", seen.decode(errors="replace"))


def consoles(programs, work):
    words = ["explain", "-A", "-f", "nichts Ж.json"]
    seen = on_terminal(programs.in_console("437", "-", words), programs.base, work)
    check("text beyond ASCII on a console with code page 437", "nichts Ж.json" in seen, seen)
    check("the console has its code page again", re.search(r"code page\s+437", seen), seen)
    through = subprocess.run(programs.in_console("msys", "-", ["explain", "-A", "--demo"]), env=programs.base, cwd=work,
                             stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    plain = programs.run(["explain", "-A", "--demo"], False, work, binary=True)
    check("a terminal of MSYS is a pipe", through.stdout == plain[1] and plain[1] != b"", str(through))


def networks(programs, work, url, port):
    """HTTP/2, and proxies from the environment, the kubeconfig and the registry (which is not read)."""
    here = work / "certificates"
    words = ["explain", "-A", "--kubeconfig", "kubeconfig"]

    def ask(what, text, expected, env=None):
        (here / "kubeconfig").write_text(text)
        Proxy.asked.clear()
        ours = programs.same(what, words, here, env)
        check(f"{what}: exit code", ours[0] == expected, str(ours))
        return ours

    plain = ask("HTTP/1.1", kubeconfig(url, "{token: secret-token}"), 0)
    two = Http2Server(here)
    got = ask("HTTP/2", kubeconfig(f"https://127.0.0.1:{two.port}", "{token: secret-token}"), 0)
    check("the answer is the same", got[1] == plain[1].replace(str(port), str(two.port)), got[1][:400])
    check("HTTP/2 was spoken by both", len(two.most) == 2 and min(two.most.values()) > 1, str(two.most))
    ask("HTTP/2, a wrong token", kubeconfig(f"https://127.0.0.1:{two.port}", "{token: wrong}"), 2)

    server = start_proxy()
    proxy = f"127.0.0.1:{server.server_port}"
    named = kubeconfig(f"https://{NAME}:{two.port}", "{token: secret-token}")
    target = f"{NAME}:{two.port}"

    def both_asked(what, user=""):
        seen = set(Proxy.asked)
        check(f"{what}: both asked the proxy", seen == {(target, user)} and len(Proxy.asked) >= 2, str(Proxy.asked))

    ask("HTTPS_PROXY", named, 0, {"HTTPS_PROXY": f"http://{proxy}"})
    both_asked("HTTPS_PROXY")
    ask("HTTPS_PROXY with a user", named, 0, {"https_proxy": f"http://us%20er:pass@{proxy}"})
    both_asked("HTTPS_PROXY with a user", basic("us er:pass"))
    with_url = kubeconfig(f"https://{NAME}:{two.port}", "{token: secret-token}", more=f", proxy-url: 'http://{proxy}'")
    ask("proxy-url", with_url, 0, {"HTTPS_PROXY": "http://127.0.0.1:9"})
    both_asked("proxy-url")
    Proxy.refuses = 407
    ask("a proxy that wants to know who asks", with_url, 2)
    Proxy.refuses = 0
    ask("no proxy listens", named, 2, {"HTTPS_PROXY": "http://127.0.0.1:9"})
    excluded = programs.run(words, True, here, {"HTTPS_PROXY": f"http://{proxy}", "NO_PROXY": ".test"})
    check("NO_PROXY", excluded[0] == 2 and NAME in excluded[2], str(excluded))
    check("NO_PROXY: the proxy was not asked", not Proxy.asked[2:], str(Proxy.asked))

    key = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Internet Settings"
    for value in (["ProxyEnable", "/t", "REG_DWORD", "/d", "1"], ["ProxyServer", "/d", proxy]):
        subprocess.run(["wine", "reg", "add", key, "/f", "/v", *value], env=programs.base, check=True, capture_output=True,
                       timeout=120)
    ask("a proxy of the registry", kubeconfig(url, "{token: secret-token}"), 0)
    check("a proxy of the registry is not asked", not Proxy.asked, str(Proxy.asked))
    server.shutdown()


def surroundings(programs, work):
    here = work / "certificates"
    (here / "cluster.json").write_text(json.dumps(
        {"kind": "List", "apiVersion": "v1", "items": [item for items in Api.lists.values() for item in items["items"]]}))
    server = start_server(here)
    url = f"https://127.0.0.1:{server.server_port}"
    home(programs, work, url)
    times(programs, work)
    consoles(programs, work)
    networks(programs, work, url, server.server_port)
    server.shutdown()
