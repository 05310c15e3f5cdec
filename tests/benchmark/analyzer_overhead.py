"""What the checks add to the parse of one translation unit that includes torch/torch.h."""

import pathlib

import tidy_run

SOURCE = pathlib.Path(__file__).resolve().parent / "analyzer_program.cpp"


def measure(tidy, flags, runs, source=SOURCE):
    parse, whole, checks, findings = [], [], [], 0
    for _ in range(runs):
        # clang-tidy parses nothing when no check is on; this one only looks at include directives.
        seconds, _output = tidy_run.user_seconds([tidy, "--checks=-*,llvm-include-order", source, "--", *flags])
        parse.append(seconds)
        run = tidy_run.run_checks(tidy, source, flags)
        whole.append(run.process_seconds)
        checks.append(run.checks_seconds)
        findings = run.output.count(" [metasan-")
    return {
        "parse_overhead_percent": round(100 * min(checks) / min(parse), 2),
        "parse_seconds": round(min(parse), 3),
        "checks_seconds": round(min(checks), 4),
        "run_seconds": round(min(whole), 3),
        "findings": findings,
    }


def show(result):
    print("parsing a program that includes torch/torch.h, CPU time")
    for name, value in (
        ("parsing alone", f"{result['parse_seconds']:.2f} s"),
        ("the checks", f"{result['checks_seconds']:.3f} s"),
        ("added to the parse", f"{result['parse_overhead_percent']:.2f} %"),
        ("a run of metasan-tidy", f"{result['run_seconds']:.2f} s"),
        ("findings", str(result["findings"])),
    ):
        print(f"  {name:<22} {value:>10}")
