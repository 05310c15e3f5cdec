#!/usr/bin/env python3
"""Applies the fix-its to all pairs of generate.py: the fixed program compiles, and the findings that had a fix-it are gone
while no other has come."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import generate
import measure

OPTIONS = "{CheckOptions: [{key: CheckpointPath, value: net.safetensors}]}"


def apply_fixes(tidy, path):
    """Fixes the file in place. Returns the number of findings, and of those that had a fix-it."""
    command = [tidy, "--checks=-*,metasan-*", "--quiet", f"--config={OPTIONS}", "--fix", str(path)]
    result = subprocess.run([*command, "--", *measure.MOCK_FLAGS], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"metasan-tidy failed on {path}:\n{result.stdout}{result.stderr}")
    reports = re.split(r"^\S+: warning: ", result.stdout, flags=re.MULTILINE)[1:]
    return len(reports), sum("note: FIX-IT applied" in report for report in reports)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tidy", required=True)
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for rule, (path, _twins) in generate.write(pathlib.Path(folder), everything=True).items():
            before, fixed = apply_fixes(arguments.tidy, path)
            after = len(measure.findings(arguments.tidy, path))
            print(f"{rule:<26} {before:>4} findings, {fixed:>3} fixed, {after:>4} left")
            failed |= after != before - fixed
    sys.exit("a fix left its finding, or made another" if failed else 0)


if __name__ == "__main__":
    main()
