#!/usr/bin/env python3
"""What the checks cost on top of parsing one translation unit that includes torch/torch.h.

The time of the checks is taken inside the process (clang-tidy's own profile: matching and analysis of every check), and compared with
runs that only parse, so that noise between runs of many seconds does not drown what takes a fraction of one.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{result.stdout}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result.stdout


def profile_seconds(folder):
    """The sum over all checks of one run: the profile has "time.clang-tidy.<check>.user" and ".sys"."""
    [file] = folder.glob("*.json")
    profile = json.loads(file.read_text())["profile"]
    return sum(seconds for name, seconds in profile.items() if name.endswith((".user", ".sys")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True)
    parser.add_argument("--torch-root", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, default=HERE / "analyzer_program.cpp")
    parser.add_argument("--runs", type=int, default=2)
    arguments = parser.parse_args()

    include = arguments.torch_root / "include"
    flags = ["--", "-std=c++20", "-isystem", include, "-isystem", include / "torch/csrc/api/include"]
    flags += ["-isystem", HERE.parent.parent / "include"]
    tidy = arguments.build_dir / "bin/metasan-tidy"

    parse, whole, checks, findings = [], [], [], 0
    for _ in range(arguments.runs):
        # clang-tidy parses nothing when no check is on; this one only looks at include directives.
        seconds, _output = user_seconds([tidy, "--checks=-*,llvm-include-order", arguments.source, *flags])
        parse.append(seconds)
        with tempfile.TemporaryDirectory() as folder:
            seconds, output = user_seconds(
                [
                    tidy,
                    "--checks=-*,metasan-*",
                    "--enable-check-profile",
                    f"--store-check-profile={folder}",
                    arguments.source,
                    *flags,
                ]
            )
            whole.append(seconds)
            checks.append(profile_seconds(pathlib.Path(folder)))
            findings = output.count(" [metasan-")

    result = {
        "parse_overhead_percent": round(100 * min(checks) / min(parse), 2),
        "parse_seconds": round(min(parse), 3),
        "checks_seconds": round(min(checks), 4),
        "run_seconds": round(min(whole), 3),
        "findings": findings,
    }
    rows = [
        ("parsing alone", f"{result['parse_seconds']:.2f} s"),
        ("the checks", f"{result['checks_seconds']:.3f} s"),
        ("added to the parse", f"{result['parse_overhead_percent']:.2f} %"),
        ("a run of metasan-tidy", f"{result['run_seconds']:.2f} s"),
        ("findings", str(findings)),
    ]
    print(f"{arguments.source.name}, CPU time, best of {arguments.runs}")
    for name, value in rows:
        print(f"  {name:<22} {value:>10}")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
