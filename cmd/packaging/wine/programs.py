"""Both programs, and what is said of them."""

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
    """Each has a folder with a space and letters beyond ASCII in its name. `compiler` makes programs for Windows."""

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
        """What wine takes for a running Windows. Each program would otherwise boot one of its own, for seconds."""
        keeper = subprocess.Popen(["wine", "cmd"], env=self.base, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        keeper.stdout.read(1)  # it greets
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
        # wine 8 ends a program before it begins once in thousands of times, with 1 and without a word
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
        # a file in an error is named with its folder
        ours = (*ours[:2], re.sub(r"Z:\\[^\n]*", lambda path: path[0][2:].replace("\\", "/"), ours[2]))
        check(what, ours == theirs, difference(ours, theirs))
        return ours

    def in_console(self, how, file, words):
        """The command line that runs the Windows program by console.c."""
        return ["wine", str(self.console), how, file, windows_path(self.windows), *words]


def difference(ours, theirs):
    """Of two answers: the lines that differ."""
    texts = [f"exit code {code}\n{out}\n{err}".splitlines() for code, out, err in (theirs, ours)]
    return "\n".join(difflib.unified_diff(*texts, "Linux", "Windows", lineterm="", n=0))


def windows_path(path):
    return "Z:" + str(path).replace("/", "\\")


def preloaded(folder, name, source):
    """A library of C source that goes before the C library of what is started with it."""
    library = folder / f"{name}.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", library, "-"], input=source.encode(), check=True)
    return {"LD_PRELOAD": str(library)}
