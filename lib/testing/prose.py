#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds English that a native engineer would not write, in comments, test names and documents.

    lib/testing/prose.py [FILE]...      of the tree, or of these files; ends with 1 if there is any

Each line names file, line, rule and text. A sentence that is right nevertheless has a line in
prose_exceptions.tsv with its reason.
"""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent

# Words of Go, C++, kubectl or a protocol that a comment repeats.
LITERAL = re.compile(r"`[^`]*`|\"[^\"]*\"|'[^' ]*'|https?://\S+")

START = r"(?:^|(?<=[.;:!?] )|(?<=\()|(?<=- ))"
RULES = [
    ("a clause as subject: name the thing",
     re.compile(START + r"(?:What|Whatever|Whoever|Whomever|Who|That(?! is\b|'s))\b(?!-| if\b)(?![^.?]*\?)")),
    ("'Of X, Y': say Y of X", re.compile(START + r"Of (?!course)\b")),
    ("told, said, stands: shown, reported, is",
     re.compile(r"\b(?:is|are|was|were|be|been|being) (?:told|said)\b|\b(?:stands?|stood)\b(?! by\b)|\btells?\b(?! (?:curl|git|CMake|the (?:compiler|linker)))", re.I)),
    ("is none, is no X: is not a X",
     re.compile(r"(?<!\bthere )\b(?:is|are|was|were|be) (?:none\b|no (?!longer|more|later|earlier|less|fewer|larger|greater|better|other|way|need|one\b))", re.I)),
    ("who without a noun: user, caller, controller",
     re.compile(r"\bwhoever\b|(?:(?<=[;:(] )|\b(?:to|of|for|by|from|with|than|as|at|on) )who\b(?! (?:is|are|was)\b[^.]*\?)", re.I)),
]


def words_to_avoid():
    """Rules of words_to_avoid.tsv: [(rule, pattern)]."""
    rules = []
    for line in (HERE / "words_to_avoid.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        avoid, say = line.split("\t")
        if avoid.startswith("is no"):
            continue  # a rule of its own, which permits "there is none"
        pattern = re.compile(r"(?<![\w/-])" + re.escape(avoid) + r"(?![\w/-])(?!\.\w)", re.I)
        rules.append((f'"{avoid}": {say}', pattern))
    return rules


def paragraphs(lines, marker):
    """Comments of a source: [(line of the first, text)], consecutive lines joined."""
    result = []
    block = []
    for number, line in enumerate(lines, 1):
        match = marker.match(line)
        if match and match.group(1).strip():
            block.append((number, match.group(1).strip()))
            continue
        if block:
            result.append((block[0][0], block))
        block = []
        trailing = TRAILING.search(line) if marker is CPP else None
        if trailing and not line.lstrip().startswith("//"):
            result.append((number, [(number, trailing.group(1))]))
    if block:
        result.append((block[0][0], block))
    return result


CPP = re.compile(r"^\s*//[/!]?<?\s?(.*)$")
HASH = re.compile(r"^\s*#(?!!)\s?(.*)$")
MARKDOWN = re.compile(r"^(?!\s*(?:\||```|#|    ))\s*(?:[-*] )?(.*)$")
TRAILING = re.compile(r"(?:^|[;,{}()\w] {1,2})//[/!]?<?\s?(\S.*)$")
TEST_NAME = re.compile(r'\b(?:TEST_CASE|SECTION|DYNAMIC_SECTION)\(\s*"((?:[^"\\]|\\.)*)"')


def texts_of(path, content):
    """Sentences for engineers in one file: [(block of (line, text))]."""
    lines = content.splitlines()
    suffix = path.suffix
    if suffix in (".cpp", ".h", ".go", ".inc"):
        blocks = [block for _, block in paragraphs(lines, CPP)]
        for match in TEST_NAME.finditer(content):
            line = content.count("\n", 0, match.start()) + 1
            name = match.group(1)
            blocks.append([(line, name[:1].upper() + name[1:])])
        return blocks
    if suffix == ".md":
        return [block for _, block in paragraphs(without_code(lines), MARKDOWN)]
    return [block for _, block in paragraphs(lines, HASH)]


def without_code(lines):
    """Lines of a document, with those of code blocks empty."""
    result = []
    inside = False
    for line in lines:
        fence = line.lstrip().startswith("```")
        result.append("" if inside or fence else line)
        inside = inside != fence
    return result


def complaints_of(path, content, rules):
    """[(line, rule, text)] of one file."""
    result = []
    for block in texts_of(path, content):
        joined = " ".join(text for _, text in block)
        plain = LITERAL.sub(lambda found: "x" * len(found.group()), joined)
        for rule, pattern in rules:
            for found in pattern.finditer(plain):
                result.append((line_at(block, found.start()), rule,
                               joined[max(0, found.start() - 30):found.end() + 50]))
    return result


def line_at(block, offset):
    """Number of the line that has the character at `offset` of a block's joined text."""
    for number, text in block:
        if offset <= len(text):
            return number
        offset -= len(text) + 1
    return block[-1][0]


def exceptions():
    """{path: [part of a sentence]} of prose_exceptions.tsv."""
    result = collections.defaultdict(list)
    for line in (HERE / "prose_exceptions.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            path, part, _ = line.split("\t")
            result[path].append(part)
    return result


def tracked():
    """Files of the tree that engineers write."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True,
                            text=True).stdout.split("\0")
    for name in listed:
        path = pathlib.PurePosixPath(name)
        if path.parts[:1] == ("testdata",) and path.suffix != ".md":
            continue
        if name in ("lib/testing/scale_history.md", "LICENSE"):
            continue
        if path.suffix in (".cpp", ".h", ".go", ".inc", ".md", ".sh", ".py", ".cmake", ".yaml", ".yml") \
                or path.name in ("dev", "CMakeLists.txt", "run"):
            yield name


def main(names):
    rules = RULES + words_to_avoid()
    excepted = exceptions()
    unused = {(path, part) for path, parts in excepted.items() for part in parts}
    count = 0
    for name in names or tracked():
        path = ROOT / name
        for line, rule, text in complaints_of(path, path.read_text(), rules):
            parts = [part for part in excepted[name] if part in text]
            unused -= {(name, part) for part in parts}
            if not parts:
                count += 1
                print(f"{name}:{line}: {rule}: {text}")
    if not names:
        for name, part in sorted(unused):
            count += 1
            print(f"{name}: an exception that nothing needs: {part}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
