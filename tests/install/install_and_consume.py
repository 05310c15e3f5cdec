#!/usr/bin/env python3
"""Installs a build into a temporary prefix, then builds and runs a project that only has find_package(MetaSan)."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CONSUMER = Path(__file__).with_name("consumer")


def run(*command: str | Path) -> str:
    """Runs a command; exits with its output when it fails."""
    result = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        sys.exit(f"failed: {' '.join(str(c) for c in command)}\n{result.stdout}")
    return result.stdout


def expect(condition: bool, expectation: str, output: str) -> None:
    if not condition:
        sys.exit(f"{expectation}; this came instead:\n{output}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=Path, required=True)
    parser.add_argument("--torch-root", type=Path, required=True)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        prefix = work / "prefix"
        run("cmake", "--install", arguments.build_dir, "--prefix", prefix)
        # A copy elsewhere: the consumer must not find anything through this source tree.
        shutil.copytree(CONSUMER, work / "consumer")
        build = work / "build"
        run("cmake", "-G", "Ninja", "-S", work / "consumer", "-B", build,
            f"-DCMAKE_PREFIX_PATH={prefix};{arguments.torch_root}")
        output = run("cmake", "--build", build)
        expect("metasan-dispatch-without-weights" in output, "compiling unsound.cpp should show the finding", output)
        printed = run(build / "guarded")
        expect(printed.strip() == "dispatch-without-weights weight", "the program should report the rule", printed)


if __name__ == "__main__":
    main()
