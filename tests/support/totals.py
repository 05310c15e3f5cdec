#!/usr/bin/env python3
"""Adds up JUnit result files, names what failed, and ends with one line: "N passed, N failed"."""

import sys
import xml.etree.ElementTree as ElementTree


def outcomes(path: str) -> list[tuple[str, str]]:
    """(test, "passed" | "failed" | "skipped") for every test in a result file."""
    found = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname', '')} {case.get('name', '')}".strip()
        bad = case.find("failure") is not None or case.find("error") is not None
        skipped = case.find("skipped") is not None or case.get("status") in ("notrun", "disabled")
        found.append((name, "failed" if bad else "skipped" if skipped else "passed"))
    return found


def main() -> int:
    results = [outcome for path in sys.argv[1:] for outcome in outcomes(path)]
    count = {kind: sum(1 for _, outcome in results if outcome == kind) for kind in ("passed", "failed", "skipped")}
    for name, outcome in results:
        if outcome != "passed":
            print(f"{outcome}: {name}")
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    print(f"{count['passed']} passed, {count['failed']} failed{skipped}")
    return 0 if results and count["failed"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
