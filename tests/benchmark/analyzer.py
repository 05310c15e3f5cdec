#!/usr/bin/env python3
"""What the checks find and what they cost.

Found: recall and false positives on pairs of bad and good code, and the control-flow shapes. Cost: the functions of
LibTorch's headers, the time added to a parse, and how the time grows with a program.

Each measurement is a module of its own: analyzer_overhead, analyzer_headers, analyzer_scaling here, measure and shapes
in tests/analyzer/pairs. Their keys lie side by side in the JSON.
"""

import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests/analyzer/pairs"))

import analyzer_headers  # noqa: E402
import analyzer_overhead  # noqa: E402
import analyzer_scaling  # noqa: E402
import measure as pairs  # noqa: E402
import shapes  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True)
    parser.add_argument("--torch-root", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=2, help="of what parses torch/torch.h")
    arguments = parser.parse_args()

    include = arguments.torch_root / "include"
    flags = ["-std=c++20", "-isystem", include, "-isystem", include / "torch/csrc/api/include"]
    flags += ["-isystem", ROOT / "include"]
    tidy = arguments.build_dir / "bin/metasan-tidy"
    headers_program = arguments.build_dir / "bin/metasan-headers-benchmark"

    result = {}
    for measurement, show in (
        (lambda: analyzer_headers.measure(headers_program, flags), analyzer_headers.show),
        (lambda: pairs.measure(tidy), lambda figures: pairs.show(figures, details=False)),
        (lambda: shapes.measure_shapes(tidy), shapes.show),
        (lambda: analyzer_overhead.measure(tidy, flags, arguments.runs), analyzer_overhead.show),
        (lambda: analyzer_scaling.measure(tidy), analyzer_scaling.show),
    ):
        figures = measurement()
        show(figures)
        print(flush=True)
        result |= figures
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
