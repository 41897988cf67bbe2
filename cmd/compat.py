#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compat.py PROGRAM SCHEMA FILE [--record]: compares what scripts rely on with what the last release had.

FILE (docs/compat.tsv) has a line for each command, flag, output format, id, field of JSON and metric. A line that PROGRAM and
SCHEMA (docs/answer.schema.json) no longer have is a removal: it is printed, and the exit code is 1. With --record the new
lines are added, unless something was removed. What is new before a release may still change."""

import json
import re
import subprocess
import sys
from pathlib import Path


def output(program, *words):
    ran = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    if ran.returncode > 1:
        sys.exit(f"{' '.join(words)}: exit {ran.returncode}: {ran.stderr}")
    return ran.stdout


def flags(text):
    """The flags of a help text, and the formats of --output."""
    for short, name, about in re.findall(r"^    (?:(-\w), )?(--[a-z0-9-]+)=.*:\n +(.*)", text, re.M):
        if short:
            yield "flag", short
        yield "flag", name
        if name == "--output":
            for form in re.findall(r"[a-z-]+", about.removeprefix("One of: ")):
                yield "format", form


def commands(program):
    listed = output(program, "__completeNoDesc", "")
    for command in re.findall(r"^[a-z-]+$", listed, re.M):
        yield "command", command
        for kind, item in flags(output(program, command, "--help")):
            yield kind, f"{command} {item}"
    for kind, item in flags(output(program, "options")):
        yield kind, f"options {item}"


def catalogue(program):
    for entry in json.loads(output(program, "findings", "-o", "json"))["findings"]:
        yield "id", entry["id"]
        if entry["alias"]:
            yield "id", entry["alias"]


def metrics(program):
    text = output(program, "check", "-A", "--demo", "-o", "prometheus")
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M):
        yield "metric", f"{name} {kind}"
    for name, labels in re.findall(r"^(dsdoctor_\w+)\{(.*)\} ", text, re.M):
        for label in re.findall(r'(\w+)="', labels):
            yield "metric", f"{name} {label}"


def schema_lines(part, path):
    """The fields of a JSON Schema: names, types, values, and which are always there."""
    if isinstance(part, list):
        for each in part:
            yield from schema_lines(each, path)
    if not isinstance(part, dict):
        return
    types = part.get("type", [])
    for each in [types] if isinstance(types, str) else types:
        yield "json", f"{path} type {each}"
    for each in part.get("enum", []):
        yield "json", f"{path} value {json.dumps(each)}"
    if "const" in part:
        yield "json", f"{path} value {json.dumps(part['const'])}"
    if "$ref" in part:
        yield "json", f"{path} is {part['$ref'].rsplit('/', 1)[-1]}"
    for each in part.get("required", []):
        yield "json", f"{path}.{each} always"
    for name, value in part.get("properties", {}).items():
        yield "json", f"{path}.{name}"
        yield from schema_lines(value, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        yield from schema_lines(part.get(key), f"{path}[]")
    for key in ("oneOf", "anyOf", "allOf"):
        yield from schema_lines(part.get(key), path)


def main():
    program, schema, file = sys.argv[1:4]
    definitions = json.loads(Path(schema).read_text())["$defs"]
    now = {*commands(program), *catalogue(program), *metrics(program)}
    for name, part in definitions.items():
        now |= set(schema_lines(part, name))
    fewest = {"command": 10, "flag": 200, "format": 30, "id": 200, "metric": 10, "json": 500}
    for kind, least in fewest.items():
        if sum(each[0] == kind for each in now) < least:
            sys.exit(f"too few lines of kind {kind}: the output of the program is not understood")
    recorded = {tuple(line.split("\t")) for line in Path(file).read_text().splitlines() if line and line[0] != "#"}
    removed = sorted(recorded - now)
    for kind, item in removed:
        print(f"removed: {kind} {item}")
    if removed:
        print(f"{file} has what the last release had; within a major version nothing of it is removed: docs/compat.md")
        return 1
    if sys.argv[4:] == ["--record"]:
        lines = "".join(f"{kind}\t{item}\n" for kind, item in sorted(now))
        Path(file).write_text("# Made by cmd/compat.py --record; see docs/compat.md.\n" + lines)
    print(f"{len(recorded)} lines recorded, {len(now - recorded)} are new")
    return 0


sys.exit(main())
