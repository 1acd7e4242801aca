#!/usr/bin/env python3
"""Wording that reads as translated, by kind of text, and whether there is more of it than before.

    tools/check_words.py                 counts; exit status 1 where a count is above the one in tools/words.json
    tools/check_words.py --list [KIND]   every place, with the usual word
    tools/check_words.py --added BASE    those in lines that were added since the commit BASE
    tools/check_words.py --keep          writes the counts to tools/words.json, after there are fewer
"""
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

KEPT = Path("tools/words.json")
# What is written, and the usual word of the field.
WORDS = [
    (r"another one\b|another value", "a different one"),
    (r"\bso many\b", "this many, N"),
    (r"\b(nobody|everybody)\b", "passive, or name the part"),
    (r"\bunder way\b|\bon (its|their) way\b", "in flight"),
    (r"\bcomes? to (an?|the|this|it)\b", "reach, evaluate to"),
    (r"\b(goes|go) on\b", "continues"),
    (r"\bno multiples? of\b", "not a multiple of"),
    (r"\bdifference to\b", "difference from"),
    (r"\bturn(s|ed)? over\b", "transpose"),
    (r"\blooks? on\b", "sit idle"),
    (r"CTAs that stay", "persistent CTAs"),
    (r"\bshall fit\b", "must fit"),
    (r"\bmeeting of CTAs\b", "synchronization, barrier"),
    (r"\bwalk(s|ed|ing)?\b", "pass, loop"),
    (r"(?-i:(^|[.!?:] )Of) (all|the|an?|several|what|every|each|two|three|those|these|this|whom|which)\b", "no such fragment"),
]
KINDS = {
    "lessons": ["docs/labs/en/*.md", "exercises/*.en.md"],
    "docs": ["README.md", "docs/*.md"],
    "strings": ["assets/strings/en.toml"],
    "comments": ["engine/*.cpp", "engine/*.hpp", "engine/*.h", "app/*.cpp", "app/*.hpp", "labs/*.cpp", "labs/*.hpp",
                 "kernels/*.cu", "kernels/*.cuh", "exercises/*.cu", "tests/*.cpp", "tests/*.hpp", "tools/*.cpp", "tools/*.hpp"],
}
COMMENT = re.compile(r"//+ ?(.*)")
ALL = re.compile("|".join(f"(?:{pattern})" for pattern, _ in WORDS), re.IGNORECASE)


def texts_of(kind, file):
    """Line numbers and what of the line is text."""
    in_code = False
    for number, line in enumerate(Path(file).read_text(encoding="utf-8").splitlines(), 1):
        if kind in ("lessons", "docs"):
            in_code ^= line.startswith("```")
            if not in_code:
                yield number, line
        elif kind == "comments":
            comment = COMMENT.search(line)
            if comment:
                yield number, comment.group(1)
        else:
            yield number, line


def places(kind):
    files = subprocess.run(["git", "ls-files", "--", *KINDS[kind]], capture_output=True, text=True, check=True).stdout
    for file in files.split("\n"):
        if not file:
            continue
        for number, text in texts_of(kind, file):
            if not ALL.search(text):
                continue
            for pattern, usual in WORDS:
                for found in re.finditer(pattern, text, re.IGNORECASE):
                    yield file, number, found.group(0).strip(" .!?:"), usual


def added_lines(base):
    file, number, lines = "", 0, set()
    diff = subprocess.run(["git", "diff", "--unified=0", base], capture_output=True, text=True, check=True).stdout
    for line in diff.splitlines():
        if line.startswith("+++ "):
            file = line[6:]
        elif line.startswith("@@"):
            number = int(re.search(r"\+(\d+)", line).group(1))
        elif line.startswith("+"):
            lines.add((file, number))
            number += 1
    return lines


def main():
    words = sys.argv[1:]
    found = {kind: list(places(kind)) for kind in KINDS}
    if words[:1] == ["--list"] or words[:1] == ["--added"]:
        added = added_lines(words[1]) if words[0] == "--added" else None
        kinds = words[1:2] if words[0] == "--list" and len(words) > 1 else KINDS
        for kind in kinds:
            for file, number, text, usual in found[kind]:
                if added is None or (file, number) in added:
                    print(f"{file}:{number}: '{text}' ({usual})")
        return 0
    counts = {kind: len(all_places) for kind, all_places in found.items()}
    if words == ["--keep"]:
        KEPT.write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")
        return 0
    kept = Counter(json.loads(KEPT.read_text(encoding="utf-8")))
    status = 0
    for kind, count in counts.items():
        print(f"{kind}: {count} (at most {kept[kind]})")
        if count > kept[kind]:
            print(f"  more than before; see tools/check_words.py --list {kind}")
            status = 1
    return status


sys.exit(main())
