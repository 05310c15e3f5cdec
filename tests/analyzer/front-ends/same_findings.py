#!/usr/bin/env python3
"""Checks that the compiler plugin finds in each source what metasan-tidy finds: the same rule at the same place, with the same message.

    same_findings.py --tidy METASAN_TIDY --clang CLANG --plugin PLUGIN SOURCE... -- FLAGS
"""

import argparse
import re
import subprocess
import sys

FINDING = re.compile(r"^(.*?):(\d+):(\d+): (warning|remark): (.*?)(?: \[(metasan[^\]]*)\])?$", re.MULTILINE)


def findings(command):
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    if re.search(r"error:|Stack dump", output):
        sys.exit(f"failed: {' '.join(command)}\n{output}")
    # Only warnings carry the name of a check in both; what the compiler itself warns of is not compared.
    found = (match.groups() for match in FINDING.finditer(output))
    return {(int(line), int(column), level, text) for _, line, column, level, text, check in found if check}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tidy", required=True)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("sources", nargs="+")
    split = sys.argv.index("--")
    arguments, flags = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1 :]

    total, different = 0, False
    for source in arguments.sources:
        tidy = findings([arguments.tidy, "--quiet", "--checks=-*,metasan-*", source, "--", *flags])
        plugin = findings([arguments.clang, f"-fplugin={arguments.plugin}", "-fsyntax-only", *flags, source])
        total += len(tidy)
        for what, only in (("metasan-tidy", tidy - plugin), ("the plugin", plugin - tidy)):
            for line, column, level, text in sorted(only):
                print(f"{source}:{line}:{column}: only {what}: {level}: {text}")
                different = True
    print(f"{len(arguments.sources)} sources, {total} findings")
    sys.exit(different)


if __name__ == "__main__":
    main()
