# SPDX-License-Identifier: Apache-2.0
"""transcripts.py record|compare PROGRAM FILE: runs a packaged program with the commands of
testdata/scenarios and of the documents. `record` writes the answers to FILE; `compare`, on another system with its
own program, checks that texts and exit codes are the same. Needs only Python."""
import difflib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROMPT = "$ kubectl dsdoctor "


def commands():
    """Pairs of a folder and a command, without duplicates."""
    pages = [*ROOT.glob("docs/*.md"), ROOT / "README.md", *(ROOT / "testdata/scenarios").rglob("*.transcript")]
    found = {}
    for page in sorted(pages):
        folder = page.parent.relative_to(ROOT) if page.suffix == ".transcript" else pathlib.Path(".")
        for line in page.read_text(encoding="utf-8").split("\n"):
            # these outputs differ by system
            if line.startswith(PROMPT) and not line.startswith((PROMPT + "version", PROMPT + "snapshot")):
                found[folder.as_posix(), line[len(PROMPT):]] = None
    return list(found)


def answer(program, folder, command, home):
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR") if name in os.environ}
    done = subprocess.run([program, *shlex.split(command)], cwd=ROOT / folder, stdin=subprocess.DEVNULL,
                          env={**kept, "LANG": "C.UTF-8", "HOME": home, "USERPROFILE": home},
                          capture_output=True, timeout=120)
    out = re.sub(r'(readAt"?: ")[^"]*', r"\1", done.stdout.decode("utf-8"))  # the time of reading
    return out, done.stderr.decode("utf-8"), done.returncode


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    mode, program, file = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve()), pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as home:
        said = {f"{folder}$ {command}": answer(program, folder, command, home) for folder, command in commands()}
    if len(said) < 300:
        sys.exit(f"only {len(said)} commands were found")
    if mode == "record":
        file.write_text(json.dumps(said, indent=1), encoding="utf-8")
        print(f"recorded the answers to {len(said)} commands")
        return
    recorded = {command: tuple(parts) for command, parts in json.loads(file.read_text(encoding="utf-8")).items()}
    if recorded.keys() != said.keys():
        sys.exit("the answers were recorded of another tree")
    different = [command for command in said if said[command] != recorded[command]]
    for command in different:
        for name, ours, theirs in zip(("stdout", "stderr", "exit code"), said[command], recorded[command]):
            if ours != theirs:
                lines = difflib.unified_diff(str(theirs).split("\n"), str(ours).split("\n"), "recorded", "here", lineterm="", n=1)
                print(f"{command}: {name}", *lines, sep="\n", end="\n\n")
    print(f"{len(said)} commands, {len(different)} answered differently")
    sys.exit(bool(different))


main()
