#!/usr/bin/env python3
"""Runs all checks over every C++ source of a project, and shows what they find.

    check_project.py [--tidy METASAN_TIDY] [--exclude GLOB]... [-j N] PATH... -- COMPILER_FLAGS

PATH is a folder or a file. A finding in a header is shown once, and only when the header is under a PATH. Exit status 1 when there are
findings; files that the flags do not suffice for are listed with their first error.
"""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import time

SOURCES = {".cpp", ".cc", ".cxx", ".c++"}
MESSAGE = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+): (?P<level>warning|error|remark|note): (?P<text>.*)$")
CHECK = re.compile(r"\[metasan-[\w-]+\]$")


@dataclasses.dataclass
class Outcome:
    source: pathlib.Path
    reports: list  # each the lines of a finding or a remark, with its notes
    error: str  # why the file could not be checked; empty when it was


def sources_in(paths, excluded):
    for path in paths:
        found = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.suffix in SOURCES and p.is_file())
        for source in found:
            if not any(fnmatch.fnmatch(str(source), glob) for glob in excluded):
                yield source


def check(tidy, source, flags):
    command = [tidy, "--quiet", "--config={}", "--checks=-*,metasan-*", "--header-filter=.*", str(source), "--", *flags]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    reports, current, error = [], None, ""
    for line in result.stdout.splitlines():
        message = MESSAGE.match(line)
        if message and message["level"] != "note":
            current = None
            if CHECK.search(line):
                current = [line]
                reports.append(current)
            elif message["level"] == "error":
                error = error or line
        elif current is not None:
            current.append(line)
    if result.returncode != 0 and not error:
        error = f"metasan-tidy ended with {result.returncode}: {result.stdout.strip()[-300:]}"
    return Outcome(source, reports, error)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidy", default="metasan-tidy")
    parser.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="sources to leave out, by path")
    parser.add_argument("-j", type=int, default=os.cpu_count(), metavar="N", help="sources at a time")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments, flags = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1 :]
    for path in arguments.paths:
        if not path.exists():
            parser.error(f"no file or folder '{path}'")

    began = time.monotonic()
    roots = [path.resolve() if path.is_dir() else path.resolve().parent for path in arguments.paths]
    sources = list(dict.fromkeys(sources_in(arguments.paths, arguments.exclude)))
    seen, findings, failed = set(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        for outcome in pool.map(lambda source: check(arguments.tidy, source, flags), sources):
            if outcome.error:
                failed += 1
                print(f"{outcome.source}: failed to parse: {outcome.error}", flush=True)
            for report in outcome.reports:
                message = MESSAGE.match(report[0])
                file = pathlib.Path(message["file"]).resolve()
                place = (file, message["line"], message["column"], message["text"])
                if place in seen or not any(file.is_relative_to(root) for root in roots):
                    continue
                seen.add(place)
                findings += message["level"] != "remark"
                print("\n".join(report), flush=True)

    print(f"{time.monotonic() - began:.1f} seconds")
    print(f"{len(sources)} files, {findings} findings, {failed} failed to parse")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
