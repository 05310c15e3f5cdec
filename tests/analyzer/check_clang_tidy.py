#!/usr/bin/env python3
"""Runs the checks on one test file and compares with what its comments expect.

  // RUN: %check_clang_tidy %s metasan-meta-copy-out %t [options of the checks] -- <compiler flags>

  // CHECK-MESSAGES: :[[@LINE-1]]:8: warning: ...   every warning must have such a line; notes may be left out
  // CHECK-NOTES: :[[@LINE-1]]:8: warning: ...      every warning and every note must have one
  // CHECK-FIXES: ...                               a line of the file after the fix-its were applied

A file without CHECK-MESSAGES or CHECK-NOTES must give no warning at all. Files with fix-its are checked again after the fix, and must
then be free of what was fixed, when --recheck is given.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def fail(what, output):
    print(f"{what}\n{'-' * 60}\n{output}", file=sys.stderr)
    sys.exit(1)


def file_check(source, prefix, text, path, extra=()):
    path.write_text(text)
    command = ["FileCheck", f"-input-file={path}", str(source), f"-check-prefix={prefix}", "-allow-empty", *extra]
    result = run(command)
    if result.returncode != 0:
        fail(f"{prefix} does not match", result.stdout + "\n" + text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tidy", required=True)
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="a check option")
    parser.add_argument("--recheck", action="store_true", help="the fixed file must give no warning")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("checks")
    parser.add_argument("temporary")
    arguments, flags = parser.parse_known_args(sys.argv[1 : split_at()])
    flags += sys.argv[split_at() + 1 :]

    text = arguments.source.read_text()
    # The expectations are blanked out in the copy, so that they are not found in the fixed file.
    copy = pathlib.Path(arguments.temporary + ".cpp")
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(re.sub(r"// *CHECK-[A-Z-]*:[^\r\n]*", "//", text))
    original = pathlib.Path(arguments.temporary + ".orig.cpp")
    shutil.copy(copy, original)

    options = ", ".join(f"{{key: {key}, value: '{value}'}}" for key, value in (o.split("=", 1) for o in arguments.option))
    config = f"{{CheckOptions: [{options}]}}"
    command = [arguments.tidy, str(copy), f"--checks=-*,{arguments.checks}", f"--config={config}"]
    result = run([*command, "--fix", "--", *flags])
    if result.returncode != 0:
        fail("the analyzer failed", result.stdout)

    expected = {kind for kind in ("MESSAGES", "NOTES", "FIXES") if f"CHECK-{kind}" in text}
    messages = result.stdout
    messages_file = pathlib.Path(arguments.temporary + ".messages")
    if "NOTES" in expected:
        lines = [line for line in messages.splitlines() if ": note: FIX-IT applied" not in line]
        file_check(
            arguments.source,
            "CHECK-NOTES",
            "\n".join(lines) + "\n",
            messages_file,
            ["-implicit-check-not={{warning|note|error|remark}}:"],
        )
    elif "MESSAGES" in expected:
        file_check(
            arguments.source,
            "CHECK-MESSAGES",
            messages,
            messages_file,
            ["-implicit-check-not={{warning|error|remark}}:"],
        )
    elif re.search(r": (warning|error|remark):", messages):
        fail("a warning where none is expected", messages)

    if "FIXES" in expected:
        fixed = pathlib.Path(arguments.temporary + ".fixed")
        file_check(arguments.source, "CHECK-FIXES", copy.read_text(), fixed, ["-strict-whitespace"])
        if arguments.recheck:
            again = run([*command, "--", *flags])
            if again.returncode != 0 or re.search(r": (warning|error|remark):", again.stdout):
                fail("the fixed file is not clean", again.stdout)
    elif copy.read_text() != original.read_text():
        fail("a fix-it where none is expected", copy.read_text())


def split_at():
    return sys.argv.index("--") if "--" in sys.argv else len(sys.argv)


if __name__ == "__main__":
    main()
