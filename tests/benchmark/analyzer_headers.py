"""How long the analysis takes for every function that LibTorch's own headers define, and how many it cannot analyze."""

import json
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent / "analyzer_program.cpp"


def measure(program, flags, source=SOURCE):
    """What `metasan-headers-benchmark <source> -- <flags>` says."""
    if not program.exists():
        sys.exit(f"{program} is missing: build the target metasan-headers-benchmark first")
    command = [program, source, "--", *flags]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"failed with {result.returncode}: {' '.join(map(str, command))}\n{result.stderr}")
    try:
        said = json.loads(result.stdout)
        return {
            "torch_headers_seconds": said["seconds"],
            "torch_headers_functions": said["functions"],
            "torch_headers_failures": said["failures"],
        }
    except (ValueError, KeyError) as error:
        sys.exit(f"{program.name} printed no such JSON ({error!r}):\n{result.stdout}")


def show(result):
    print("every function of LibTorch's headers")
    print(f"  analyzed in            {result['torch_headers_seconds']:>8.2f} s")
    print(f"  functions              {result['torch_headers_functions']:>10}")
    print(f"  failures               {result['torch_headers_failures']:>10}")
