#!/usr/bin/env python3
"""Runs metasan-tidy over the pairs of generate.py and counts what it finds, misses, and reports without reason.

A bad twin is found when a warning of its rule lies in its lines. Any warning of a metasan check in a good twin is a
false positive, and so is one outside of all twins.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import generate

INPUTS = pathlib.Path(__file__).resolve().parent.parent / "Inputs"
MOCK_FLAGS = ["-std=c++20", "-nostdinc++", "-isystem", str(INPUTS)]
WARNING = re.compile(
    r"^(?P<file>[^\n]*?):(?P<line>\d+):\d+: (?P<kind>warning|error|remark): (?P<text>.*?)(?: \[(?P<check>[^]]*)\])?$"
)
PREFIX = "metasan-"


def findings(tidy, path, flags=MOCK_FLAGS):
    """(line, check or "remark", text) of each warning in the file. The program must compile."""
    command = [str(tidy), "--checks=-*,metasan-*", "--quiet", str(path), "--", *flags]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found = []
    for match in filter(None, map(WARNING.match, result.stdout.splitlines())):
        if match["kind"] == "error" or (match["check"] or "").startswith("clang-diagnostic-error"):
            sys.exit(f"{path} does not compile:\n{result.stdout}")
        check = (match["check"] or "").split(",")[0]
        if match["kind"] == "remark" or check.startswith(PREFIX):
            found.append((int(match["line"]), "remark" if match["kind"] == "remark" else check, match["text"]))
    if result.returncode != 0:
        sys.exit(f"metasan-tidy failed on {path} with {result.returncode}:\n{result.stdout}")
    return found


def measure(tidy, everything=False, folder=None):
    """The counts, and the pairs that were missed or reported without reason."""
    if folder is None:
        with tempfile.TemporaryDirectory() as temporary:
            return measure(tidy, everything, pathlib.Path(temporary))
    rules, missed, false_positives, skipped = {}, [], [], []
    for rule, (path, twins) in generate.write(folder, everything).items():
        by_twin = collections.defaultdict(list)
        outside = []
        for line, check, text in findings(tidy, path):
            owner = next((twin for twin in twins if twin.first_line <= line <= twin.last_line), None)
            if check == "remark":
                skipped.append({"rule": rule, "line": line, "text": text})
            elif owner:
                by_twin[owner].append((line, check, text))
            else:
                outside.append((line, check, text))
        found = 0
        for twin in twins:
            reports = by_twin[twin]
            where = {"rule": rule, "defect": twin.pair.defect, "flow": twin.pair.flow}
            if not twin.is_bad:
                false_positives += [
                    {**where, "line": line, "check": check, "text": text} for line, check, text in reports
                ]
            elif any(check == PREFIX + rule for _line, check, _text in reports):
                found += 1
            else:
                missed.append({**where, "instead": sorted({check for _line, check, _text in reports})})
        false_positives += [
            {"rule": rule, "defect": "", "flow": "", "line": line, "check": check, "text": text}
            for line, check, text in outside
        ]
        rules[rule] = {
            "pairs": len(twins) // 2,
            "found": found,
            "missed": len(twins) // 2 - found,
            "false_positives": sum(report["rule"] == rule for report in false_positives),
        }
    pairs, found = (sum(counts[key] for counts in rules.values()) for key in ("pairs", "found"))
    return {
        "pairs": pairs,
        "found": found,
        "recall_percent": round(100 * found / pairs, 2),
        "false_positives": len(false_positives),
        "too_large": len(skipped),
        "rules": rules,
        "missed": missed,
        "reported_without_reason": false_positives,
    }


def show(result, details=True):
    print(f"{'rule':<26} {'pairs':>7} {'found':>7} {'missed':>7} {'false positives':>16}")
    totals = {**result, "missed": len(result["missed"])}
    for rule, counts in {**result["rules"], "all": totals}.items():
        row = "".join(f"{counts[key]:>8}" for key in ("pairs", "found", "missed"))
        print(f"{rule:<26}{row} {counts['false_positives']:>16}")
    print(f"recall {result['recall_percent']} %, {result['too_large']} functions too large to be analyzed")
    if not details:
        return
    if result["reported_without_reason"]:
        print("\nreported without reason")
        for report in result["reported_without_reason"]:
            where = f"{report['rule']:<26} {report['defect']:<22} {report['flow']:<32}"
            print(f"  {where} line {report['line']}: {report['text']} [{report['check']}]")
    if result["missed"]:
        print("\nmissed")
        for miss in result["missed"]:
            instead = f"  reported as {', '.join(miss['instead'])}" if miss["instead"] else ""
            print(f"  {miss['rule']:<26} {miss['defect']:<22} {miss['flow']}{instead}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidy", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="every flow with every defect")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave the sources there")
    parser.add_argument("--require-recall", type=float, metavar="PERCENT", help="fail below this")
    parser.add_argument("--require-false-positives", type=int, metavar="COUNT", help="fail above this")
    arguments = parser.parse_args()

    result = measure(arguments.tidy, arguments.all, arguments.keep)
    show(result)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")
    if arguments.require_recall is not None and result["recall_percent"] < arguments.require_recall:
        sys.exit(f"recall is {result['recall_percent']} %, below {arguments.require_recall} %")
    if (
        arguments.require_false_positives is not None
        and result["false_positives"] > arguments.require_false_positives
    ):
        sys.exit(f"{result['false_positives']} reports without reason, more than {arguments.require_false_positives}")


if __name__ == "__main__":
    main()
