# SPDX-License-Identifier: Apache-2.0
"""The Windows program and the native one, and the check functions."""

import contextlib
import difflib
import os
import re
import subprocess
import zipfile
from pathlib import Path

failures = []


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}\n{detail}", flush=True)


class Programs:
    """The Windows program in a folder with a space and non-ASCII letters in its name, and the native program.

    `compiler` builds programs for Windows."""

    def __init__(self, work, archive, native, compiler):
        self.native = native
        self.folder = work / "Prográm Fílés Ж"
        zipfile.ZipFile(archive).extractall(self.folder)
        self.windows = self.folder / "kubectl-dsdoctor.exe"
        self.base = {"PATH": os.environ["PATH"], "HOME": str(work / "home"), "LANG": "C.UTF-8",
                     "WINEPREFIX": str(work / "wine"), "WINEDEBUG": "-all", "DISPLAY": ""}
        Path(self.base["HOME"]).mkdir()
        self.console = work / "console.exe"
        source = Path(__file__).with_name("console.c")
        subprocess.run([compiler, "-municode", "-Os", "-o", self.console, source], check=True)

    @contextlib.contextmanager
    def running_system(self):
        """Keeps one Windows session of wine running. Otherwise each program would boot its own, which takes seconds."""
        keeper = subprocess.Popen(["wine", "cmd"], env=self.base, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        keeper.stdout.read(1)  # its banner
        try:
            yield
        finally:
            subprocess.run(["wineserver", "--kill"], env=self.base, capture_output=True, timeout=60, check=False)
            keeper.communicate(timeout=60)

    def run(self, words, windows, cwd, env=None, data=None, binary=False):
        command = ["wine", str(self.windows)] if windows else [self.native]

        def once():
            return subprocess.run(command + words, cwd=cwd, env={**self.base, **(env or {})}, input=data,
                                  stdin=subprocess.DEVNULL if data is None else None, capture_output=True, timeout=180)
        done = once()
        # once in thousands of runs wine 8 ends a program before it begins, with exit code 1 and without output
        if windows and (done.returncode, done.stdout, done.stderr) == (1, b"", b""):
            done = once()
        if binary:
            return done.returncode, done.stdout, done.stderr
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def same(self, what, words, cwd, env=None, data=None):
        ours = self.run(words, True, cwd, env, data)
        theirs = self.run(words, False, cwd, env, data)
        # the time of reading differs
        ours, theirs = ((code, re.sub(r'(readAt"?: ")[^"]*', r"\1", out), re.sub(r"(current time )\S+", r"\1", err))
                        for code, out, err in (ours, theirs))
        # on Windows an error names a file with its folder
        ours = (*ours[:2], re.sub(r"Z:\\[^\n]*", lambda path: path[0][2:].replace("\\", "/"), ours[2]))
        check(what, ours == theirs, difference(ours, theirs))
        return ours

    def in_console(self, how, file, words):
        """Returns the command line that runs the Windows program with console.c."""
        return ["wine", str(self.console), how, file, windows_path(self.windows), *words]


def difference(ours, theirs):
    """Returns the lines that differ between two answers."""
    texts = [f"exit code {code}\n{out}\n{err}".splitlines() for code, out, err in (theirs, ours)]
    return "\n".join(difflib.unified_diff(*texts, "Linux", "Windows", lineterm="", n=0))


def windows_path(path):
    return "Z:" + str(path).replace("/", "\\")


def preloaded(folder, name, source):
    """Compiles C source into a library; returns the environment that preloads it."""
    library = folder / f"{name}.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", library, "-"], input=source.encode(), check=True)
    return {"LD_PRELOAD": str(library)}
