#!/usr/bin/env python3
"""MetaSan's main job on a real program: find a bug with tensors that have no data, explain it, fix it, run the model.

    demo.py --build-dir BUILD            shows it, step by step
    demo.py --build-dir BUILD --check    the same as a test: prints only what is wrong

The program is docs/examples/minilm/broken.cpp, the checkpoint MiniLM-L6. Exits with 1 when a step does not do what it
should, after saying what it expected. The build directory must hold a complete build.
"""

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from terminal import BOLD, GREEN, RED, Printer

TOLERANCE = 1e-5
REFERENCE = Path(__file__).with_name("reference.json")
DIAGNOSTIC = re.compile(
    r"^(?P<file>[^\s:]+):(?P<line>\d+):\d+: (?P<kind>error|warning|note): (?P<text>.*?)(?: \[(?P<check>[\w.,-]+)\])?$"
)


class Failed(Exception):
    """A step did not do what it should; the text says what was expected, and what came instead."""


def expect(condition: bool, expectation: str, output: str = "") -> None:
    if not condition:
        raise Failed(f"{expectation}; this came instead:\n{output}" if output else expectation)


@dataclass
class Finding:
    check: str
    line: int
    note_lines: list[int]


def findings_in(output: str) -> list[Finding]:
    """The warnings in clang-tidy's output, each with the lines of its notes."""
    found: list[Finding] = []
    for line in output.splitlines():
        match = DIAGNOSTIC.match(line)
        if match is None:
            continue
        if match["kind"] != "note":
            found.append(Finding(match["check"] or match["text"], int(match["line"]), []))
        elif found:
            found[-1].note_lines.append(int(match["line"]))
    return found


def line_of(source: str, text: str) -> int:
    """The number of the one line of `source` that contains `text`."""
    lines = [number for number, line in enumerate(source.splitlines(), 1) if text in line]
    expect(len(lines) == 1, f"broken.cpp should contain '{text}' once, it has it {len(lines)} times")
    return lines[0]


class Demo:
    def __init__(self, build_dir: Path, config: dict[str, str], show: Printer) -> None:
        self.build_dir = build_dir
        self.config = config
        self.show = show
        self.model_dir = Path(config["model_dir"])
        self.broken = Path(config["example_dir"]) / "broken.cpp"
        self.work_dir = Path(config["fixed_source"]).parent
        self.reference = json.loads(REFERENCE.read_text(encoding="utf-8"))

    def run(self) -> None:
        checkpoint = self.model_dir / "model.safetensors"
        expect(checkpoint.is_file(), f"no checkpoint at {checkpoint}: run ./dev setup, or give --model-dir")
        self.show.step("1. The checks find two bugs before the program runs, and fix them")
        fixed = self.check_and_fix()
        self.show.step("2. The fixed source is clean, and compiles")
        self.build_fixed(fixed)
        self.show.step("3. The broken program, run all the same, stops with a report")
        self.run_broken()
        self.show.step("4. The fixed program loads the weights and embeds the sentences")
        self.run_fixed()

    def execute(self, command: list[str], shown: str) -> subprocess.CompletedProcess:
        self.show.command(shown)
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)

    def tidy(self, source: Path, *options: str) -> str:
        """clang-tidy's output for one source file, with the names of files in place of their paths."""
        torch = Path(self.config["torch_root"]) / "include"
        flags = ["-std=c++20", f"-I{self.config['include_dir']}", f"-I{self.config['example_dir']}"]
        for directory in (torch, torch / "torch/csrc/api/include"):
            flags += ["-isystem", str(directory)]
        checks = ["--checks=-*,metasan-*", "--config={}", "--quiet", *options]
        command = [self.config["clang_tidy"], f"--load={self.config['tidy_module']}", *checks]
        name = Path(self.config["tidy_module"]).name
        shown = " ".join(["clang-tidy", f"--load={name}", "--checks='-*,metasan-*'", *options, source.name])
        result = self.execute([*command, str(source), "--", *flags], shown)
        output = result.stdout.replace(f"{source.parent}{os.sep}", "")
        expect(result.returncode == 0, "clang-tidy should succeed", output + result.stderr)
        return output

    def check_and_fix(self) -> str:
        self.work_dir.mkdir(parents=True, exist_ok=True)
        copy = self.work_dir / self.broken.name
        shutil.copyfile(self.broken, copy)
        before = self.broken.read_text(encoding="utf-8")
        output = self.tidy(copy, "--fix")
        self.show.indented(output)

        expected = [
            ("metasan-dispatch-without-weights", line_of(before, "metasan::dispatch_model(model, device);")),
            ("metasan-meta-copy-out", line_of(before, "model->to(device);")),
        ]
        found = findings_in(output)
        expect([(f.check, f.line) for f in found] == expected, f"clang-tidy should report {expected}", output)
        scope = range(line_of(before, "InitEmptyWeights scope;"), line_of(before, "minilm::Model(config);") + 1)
        for finding in found:
            says_where = any(line in scope for line in finding.note_lines)
            expect(says_where, f"{finding.check} should have a note on where the module became empty", output)

        after = copy.read_text(encoding="utf-8")
        self.show("The fixes:", BOLD)
        names = ("broken.cpp", "fixed")
        self.show.diff(list(difflib.unified_diff(before.splitlines(), after.splitlines(), *names, n=2, lineterm="")))
        load = "metasan::load_checkpoint_and_dispatch(model, checkpoint, device);"
        done = load in after and "dispatch_model(" not in after and "model->to(" not in after
        expect(done, f"the fixes should put '{load}' in place of both calls", after)
        return after

    def build_fixed(self, fixed: str) -> None:
        source = Path(self.config["fixed_source"])
        # An unchanged file is left alone, so that the build has nothing to do.
        if not source.is_file() or source.read_text(encoding="utf-8") != fixed:
            source.write_text(fixed, encoding="utf-8")
        output = self.tidy(source)
        expect(not findings_in(output), "the fixed source should have no findings", output)
        target = self.config["fixed_target"]
        command = [self.config["cmake"], "--build", str(self.build_dir), "--target", target]
        result = self.execute(command, f"cmake --build {os.path.relpath(self.build_dir)} --target {target}")
        expect(result.returncode == 0, "the fixed source should compile", result.stdout + result.stderr)
        self.show("  no findings, and it is built", GREEN)

    def run_broken(self) -> None:
        result = self.execute([self.config["broken_program"], str(self.model_dir)], "minilm_broken <model>")
        report = result.stderr
        self.show.indented(report)
        expect(result.returncode == 1, "the broken program should stop with exit status 1", report + result.stdout)
        scope_line = line_of(self.broken.read_text(encoding="utf-8"), "InitEmptyWeights scope;")
        expected = {
            "the rule": "dispatch-without-weights",
            "a parameter": "embeddings.word_embeddings.weight",
            "the operator": "metasan::dispatch_model",
            "the word 'declared'": "declared",
            "where the scope was opened": f"broken.cpp:{scope_line}",
            "the fix": "load_checkpoint_and_dispatch",
            "a summary": "SUMMARY",
        }
        for what, text in expected.items():
            expect(text in report, f"the report should name {what}: '{text}'", report)

    def run_fixed(self) -> None:
        values = self.embed(self.reference["sentences"])
        for row, sentence in zip(values["similarities"], values["sentences"]):
            self.show("  " + "".join(f"{value:8.4f}" for value in row) + f"   {sentence}")
        expect(values["token_ids"] == self.reference["token_ids"], "token ids should equal the reference's")
        for key in ("similarities", "embedding_heads"):
            distance = largest_distance(values[key.replace("embedding_heads", "embeddings")], self.reference[key])
            expect(distance <= TOLERANCE, f"{key} should equal the reference within {TOLERANCE:g}, not {distance:g}")
            self.show(f"  {key.replace('_', ' ')}: largest distance to the NumPy reference {distance:.1e}", GREEN)
        self.check_tokenizer()

    def embed(self, sentences: list[str]) -> dict:
        command = [self.config["fixed_program"], "--json", str(self.model_dir), *sentences]
        result = self.execute(command, "minilm_fixed --json <model> <sentences>")
        expect(result.returncode == 0, "the fixed program should succeed", result.stderr)
        return json.loads(result.stdout)

    def check_tokenizer(self) -> None:
        cases = self.reference["tokenizer_cases"]
        values = self.embed([case["text"] for case in cases])
        for case, ids in zip(cases, values["token_ids"], strict=True):
            expect(ids == case["token_ids"], f"token ids of {case['text']!r} should be {case['token_ids']}", str(ids))
        self.show(f"  token ids of {len(cases)} hard texts equal the reference's", GREEN)


def largest_distance(rows: list[list[float]], expected: list[list[float]]) -> float:
    """Compares as many values of each row as are expected."""
    return max(abs(a - b) for row, wanted in zip(rows, expected, strict=True) for a, b in zip(row, wanted))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build-dir", type=Path, required=True)
    parser.add_argument("--torch-root", help="LibTorch's root, when it is not the one MetaSan was built with")
    parser.add_argument("--model-dir", help="MiniLM-L6's files, when they are not where the build expects them")
    parser.add_argument("--check", action="store_true", help="print only what is wrong")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    show = Printer(arguments.color, quiet=arguments.check)
    config_file = arguments.build_dir / "tests/e2e/demo_config.json"
    try:
        expect(config_file.is_file(), f"no {config_file}: configure and build MetaSan with its tests first")
        config = json.loads(config_file.read_text(encoding="utf-8"))
        config |= {key: value for key in ("torch_root", "model_dir") if (value := getattr(arguments, key))}
        Demo(arguments.build_dir.resolve(), config, show).run()
    except Failed as failure:
        print(Printer(arguments.color, quiet=False).styled(f"demo: {failure}", RED), file=sys.stderr)
        return 1
    show()
    show("Found, explained, fixed, and running on the real weights.", BOLD, GREEN)
    return 0


if __name__ == "__main__":
    sys.exit(main())
