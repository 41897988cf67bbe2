#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema_check.py PROGRAM SCENARIOS SCHEMA: validates JSON answers of PROGRAM against SCHEMA (docs/answer.schema.json).

It runs the commands of every transcript below SCENARIOS in the folder of the transcript, with -o json in place of their
own -o, and prints a line for each violation: transcript, command, JSON path, violation. The ids of the problems of an
answer must be unique, which a schema cannot express. The exit code is 1 after a violation, and if too few answers were
validated. Needs the Debian package python3-jsonschema."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

PROMPT = "$ kubectl dsdoctor "
NO_ANSWER = {"help", "options", "completion", "snapshot", "version", "rbac"}  # commands that print other formats
HELP = {"--help", "-h"}
# Their output is an object a line, which docs/watch.md describes.
STREAMS = {"-w", "--watch-only", "--until", "--replay"}
FEWEST = 100  # answers
TIMEOUT = 60  # seconds for a command
LONGEST = 300  # characters of a message
PROCESSES = 2


class Command(NamedTuple):
    transcript: Path
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.transcript.parent.name}/{self.transcript.name}: {shlex.join(self.words)}"


def split_words(line: str) -> list[str]:
    """Splits words like test_replay.cpp: single quotes only."""
    lexer = shlex.shlex(line, posix=True)
    lexer.quotes = "'"
    lexer.escape = ""
    lexer.commenters = ""
    lexer.whitespace_split = True
    return list(lexer)


def with_json_output(words: list[str]) -> list[str]:
    """Returns the words with -o json instead of their -o FORMAT."""
    kept = []
    rest = iter(words)
    for word in rest:
        if word in ("-o", "--output"):
            next(rest, None)
        elif not word.startswith(("-o", "--output=")):
            kept.append(word)
    return [*kept, "-o", "json"]


def commands(scenarios: Path) -> list[Command]:
    found: dict[tuple[Path, tuple[str, ...]], Command] = {}
    for transcript in sorted(scenarios.rglob("*.transcript")):
        for line in transcript.read_text(encoding="utf-8").splitlines():
            if not line.startswith(PROMPT):
                continue
            words = split_words(line.removeprefix(PROMPT))
            is_answer = NO_ANSWER.isdisjoint(words[:1]) and HELP.isdisjoint(words) and STREAMS.isdisjoint(words)
            if is_answer:
                asked = tuple(with_json_output(words))
                found.setdefault((transcript.parent, asked), Command(transcript, asked))
    return list(found.values())


def innermost(error: ValidationError) -> Iterator[ValidationError]:
    """Yields the errors that explain `error`: for oneOf and anyOf those of the alternative with the document's kind."""
    alternatives: dict[Any, list[ValidationError]] = {}
    for inner in error.context or []:
        alternatives.setdefault(inner.schema_path[0], []).append(inner)
    fitting = [errors for errors in alternatives.values() if not any(is_other_kind(inner, error) for inner in errors)]
    if error.validator not in ("oneOf", "anyOf") or len(fitting) != 1:
        yield error
        return
    for inner in fitting[0]:
        yield from innermost(inner)


def is_other_kind(inner: ValidationError, outer: ValidationError) -> bool:
    """Reports whether `inner` means that the value of `outer` has another type or another kind."""
    below = list(inner.absolute_path)[len(outer.absolute_path) :]
    return inner.validator in ("const", "type") and below in ([], ["kind"])


@cache
def validator(schema: Path) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))


def violations(answer: Any, schema: Path) -> Iterator[str]:
    for error in validator(schema).iter_errors(answer):
        for inner in innermost(error):
            message = inner.message if len(inner.message) <= LONGEST else f"{inner.message[:LONGEST]}..."
            yield f"{inner.json_path}: {message}"
    inputs = [item["answer"] or {} for item in answer.get("items", [])] if answer["kind"] == "AnswerList" else [answer]
    for each in inputs:
        ids = Counter(problem.get("id") for problem in each.get("problems", []))
        yield from (f"$.problems: {count} problems have the id {name}" for name, count in ids.items() if count > 1)


def check(program: Path, schema: Path, command: Command) -> tuple[bool, list[str]]:
    """Returns whether there was an answer, and its violations."""
    try:
        done = subprocess.run(
            [program, *command.words],
            cwd=command.transcript.parent,
            env={"LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, [f"{command}: $: no answer within {TIMEOUT} s"]
    if done.returncode not in (0, 1, 2):
        return False, [f"{command}: $: exit code {done.returncode}"]
    if not done.stdout:  # an error
        return False, []
    try:
        answer = json.loads(done.stdout)
    except ValueError as error:
        return False, [f"{command}: $: not JSON: {error}"]
    return True, [f"{command}: {violation}" for violation in violations(answer, schema)]


def main() -> int:
    if len(sys.argv) != 4:
        print("usage: schema_check.py PROGRAM SCENARIOS SCHEMA", file=sys.stderr)
        return 2
    program, scenarios, schema = (Path(argument).resolve() for argument in sys.argv[1:])
    Draft202012Validator.check_schema(json.loads(schema.read_text(encoding="utf-8")))
    asked = commands(scenarios)
    answers = found = 0
    with ProcessPoolExecutor(PROCESSES) as pool:
        for answered, lines in pool.map(check, [program] * len(asked), [schema] * len(asked), asked):
            answers += answered
            found += len(lines)
            for line in lines:
                print(line)
    print(f"{answers} answers to {len(asked)} commands, {found} violations")
    if answers < FEWEST:
        print(f"fewer than {FEWEST} answers")
    return 1 if found or answers < FEWEST else 0


if __name__ == "__main__":
    sys.exit(main())
