#!/usr/bin/env python3
"""Runs the checks on one test file and compares with what its comments expect.

  // RUN: %check_clang_tidy %s metasan-meta-copy-out %t [options of the checks] -- <compiler flags>

  // CHECK-MESSAGES: :[[@LINE-1]]:8: warning: ...   every warning must have such a line; notes may be left out
  // CHECK-NOTES: :[[@LINE-1]]:8: warning: ...      every warning and every note must have one
  // CHECK-ADVICE: :[[@LINE-1]]:8: note: ...        every note on what to do must have one, if one has
  // CHECK-FIXES: ...                               a line of the file after the fix-its were applied

A note on what to do is one at the place of the warning itself; no other check sees it. A file without CHECK-MESSAGES or
CHECK-NOTES must give no warning at all. With --no-fixes no fix-it may be offered; with --recheck the fixed file is checked
again, and must be free of what was fixed.
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


DIAGNOSTIC = re.compile(r"^(.*:\d+:\d+): (warning|error|remark|note): ")


def split_advice(output):
    """The output without the notes on what to do, and the lines of those notes."""
    rest, advice, finding = [], [], None
    for line in output.splitlines():
        match = DIAGNOSTIC.match(line)
        if match and match[2] != "note":
            finding = match[1]
        elif match and match[1] == finding and "note: FIX-IT applied" not in line:
            advice.append(line)
            continue
        rest.append(line)
    return "\n".join(rest) + "\n", "\n".join(advice) + "\n"


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
    parser.add_argument("--no-fixes", action="store_true", help="no fix-it may be offered")
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

    expected = {kind for kind in ("MESSAGES", "NOTES", "ADVICE", "FIXES") if f"CHECK-{kind}:" in text}
    messages, advice = split_advice(result.stdout)
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

    if "ADVICE" in expected:
        path = pathlib.Path(arguments.temporary + ".advice")
        file_check(arguments.source, "CHECK-ADVICE", advice, path, ["-implicit-check-not=note:"])

    if "FIXES" in expected:
        fixed = pathlib.Path(arguments.temporary + ".fixed")
        file_check(arguments.source, "CHECK-FIXES", copy.read_text(), fixed, ["-strict-whitespace"])
        if arguments.recheck:
            again = run([*command, "--", *flags])
            if again.returncode != 0 or re.search(r": (warning|error|remark):", again.stdout):
                fail("the fixed file is not clean", again.stdout)
    elif arguments.no_fixes and copy.read_text() != original.read_text():
        fail("a fix-it where none is expected", copy.read_text())


def split_at():
    return sys.argv.index("--") if "--" in sys.argv else len(sys.argv)


if __name__ == "__main__":
    main()
