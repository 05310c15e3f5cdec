#!/usr/bin/env python3
"""How the time of the checks grows with a program: the exponent e of time ~ size^e, by case.

A case is a program that can be made in any size. Sizes are doubled until a run takes long enough to be measured, and
then a few times more; a line is fitted through the logarithms. A size whose function goes over the analysis' budget
ends the case, and is reported: its time says nothing.
"""

import argparse
import json
import math
import pathlib
import tempfile

import tidy_run

PRELUDE = """#include <metasan/metasan.h>
#include <torch/torch.h>
bool more();
int next();
"""

# A run counts from here on, in seconds of the checks' own time.
SHORTEST = 0.02
# After a run of this many seconds the size is not doubled again, when there are points enough to fit.
LONGEST = 0.4
POINTS = 4
FEWEST_POINTS = 3
# Statements may be nested as deeply as a case wants them.
FLAGS = [*tidy_run.MOCK_FLAGS, "-fbracket-depth=100000"]

META = "torch::empty({1}, torch::kMeta)"
REAL = "torch::ones({1})"


def each(size, text):
    return "\n".join(text(number) for number in range(size))


def run(body, parameters=""):
    return f"void run({parameters}) {{\n{body}\n}}\n"


# Programs of many functions: size is their number.


def functions(size):
    return each(
        size,
        lambda i: f"""void run{i}(bool ready) {{
  auto model = metasan::init_empty_weights([] {{ return torch::nn::Linear(4, 4); }});
  if (ready)
    metasan::load_checkpoint_in_model(model, "model.safetensors");
  else
    return;
  model->to(torch::kCPU);
  auto scale = {REAL};
  while (more())
    scale = scale.add(model->weight);
  scale.item();
}}""",
    )


def call_chain(size):
    """Each function hands on what the one before it made."""
    return f"at::Tensor make0(bool) {{ return {META}; }}\n" + each(
        size,
        lambda i: f"""at::Tensor make{i + 1}(bool ready) {{
  auto made = make{i}(ready);
  if (ready)
    made = {REAL};
  return made;
}}""",
    )


def call_graph(size):
    """Each function calls several that come before it, which call the same ones again."""
    return f"void fill0(at::Tensor &given, bool) {{ given = {REAL}; }}\n" + each(
        size,
        lambda i: f"""void fill{i + 1}(at::Tensor &given, bool ready) {{
  if (ready)
    fill{i}(given, ready);
  else
    fill{i // 2}(given, more());
  at::Tensor own = {META};
  fill{max(i - 7, 0)}(own, ready);
  own.item();
}}""",
    )


def call_cycle(size):
    """Every function calls the next, and the last one the first."""
    declarations = each(size, lambda i: f"void pass{i}(at::Tensor &given);")
    return declarations + each(
        size,
        lambda i: f"""
void pass{i}(at::Tensor &given) {{
  if (more())
    pass{(i + 1) % size}(given);
  else
    given = {REAL};
}}""",
    )


# One function: size is the number of what the case is named after.


def independent_branches(size):
    """Each branch changes one of a few tensors, on a condition of its own."""
    declare = each(4, lambda i: f"  auto t{i} = {META};")
    filled = each(size, lambda i: f"  if (more())\n    t{i % 4} = {REAL};\n  else\n    t{i % 4} = t{(i + 1) % 4};")
    return run(f"{declare}\n{filled}\n  t0.item();")


def conditionally_filled(size):
    """Every tensor is filled on a branch, and used after all of them."""
    declare = each(size, lambda i: f"  auto t{i} = {META};\n  if (more())\n    t{i} = {REAL};")
    return run(declare + "\n" + each(size, lambda i: f"  t{i}.item();"))


def repeated_conditions(size):
    """Every tensor is filled and used under the same flag, so that paths have to be kept apart."""
    parameters = ", ".join(f"bool ready{i}" for i in range(size))
    body = each(size, lambda i: f"  auto t{i} = {META};\n  if (ready{i})\n    t{i} = {REAL};")
    return run(body + "\n" + each(size, lambda i: f"  if (ready{i})\n    t{i}.item();"), parameters)


def switch_in_a_loop(size):
    cases = each(size, lambda i: f"    case {i}:\n      t{i % 8} = t{(i + 3) % 8};\n      break;")
    declare = each(8, lambda i: f"  at::Tensor t{i} = {META if i % 2 else REAL};")
    return run(f"{declare}\n  while (more()) {{\n    switch (next()) {{\n{cases}\n    }}\n    t0.item();\n  }}")


def nested_loops(size):
    """Loops in loops; each empties a tensor that the next inner one fills."""
    opened = each(size, lambda i: f"  while (more()) {{\n    t{i % 4} = {META};")
    closed = each(size, lambda i: f"    t{i % 4} = {REAL};\n  }}")
    return run(each(4, lambda i: f"  auto t{i} = {REAL};") + f"\n{opened}\n  t0.item();\n{closed}")


def loops_in_a_row(size):
    """Pairs of nested loops, one after the other."""
    loop = f"  while (more()) {{\n    while (more())\n      t = t.add({REAL});\n    t.item();\n    t = {REAL};\n  }}"
    return run(f"  auto t = {META};\n  t.dim();\n  t = {REAL};\n" + each(size, lambda i: loop))


def aliases(size):
    """Handles of one object, each used: what changes the object is seen through all of them."""
    declare = f"  auto t0 = {META};\n" + each(size, lambda i: f"  auto t{i + 1} = t{i};")
    return run(declare + "\n" + each(size, lambda i: f"  t{i}.set_data({REAL});\n  t{i + 1}.item();"))


def fields(size):
    """A record with many members, copied on every branch."""
    members = each(size, lambda i: f"  at::Tensor t{i};")
    filled = each(size, lambda i: f"  first.t{i} = {META};\n  if (more())\n    second = first;\n  second.t{i}.item();")
    return f"struct Record {{\n{members}\n}};\n" + run(f"  Record first, second;\n{filled}")


def straight_line(size):
    """Empty and filled in turn."""
    steps = each(size, lambda i: f"  t = {META};\n  t = t.view({{1}}).detach();\n  t = {REAL};\n  t.item();")
    return run(f"  at::Tensor t;\n{steps}")


MANY_FUNCTIONS = {case.__name__: case for case in (functions, call_chain, call_graph, call_cycle)}
ONE_FUNCTION = {
    case.__name__: case
    for case in (
        independent_branches,
        conditionally_filled,
        repeated_conditions,
        switch_in_a_loop,
        nested_loops,
        loops_in_a_row,
        aliases,
        fields,
        straight_line,
    )
}


def fitted_exponent(points):
    """The slope of the least-squares line through the logarithms of (size, seconds)."""
    xs, ys = [math.log(size) for size, _ in points], [math.log(seconds) for _, seconds in points]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys)) / sum((x - x_mean) ** 2 for x in xs)


def measure_case(tidy, case, folder, first_size):
    """The points that count, the exponent (None when there are not enough), and the size that went over the budget."""
    source = folder / f"{case.__name__}.cpp"
    points, size, over_budget = [], first_size, None
    while len(points) < POINTS:
        source.write_text(PRELUDE + case(size))
        runs = [tidy_run.run_checks(tidy, source, FLAGS)]
        if runs[0].too_large:
            over_budget = size
            break
        if runs[0].checks_seconds < LONGEST:
            runs.append(tidy_run.run_checks(tidy, source, FLAGS))
        seconds = min(taken.checks_seconds for taken in runs)
        if seconds >= SHORTEST:
            points.append((size, round(seconds, 4)))
        if seconds > LONGEST and len(points) >= FEWEST_POINTS:
            break
        # Far from what can be measured, larger steps.
        size *= 8 if seconds < SHORTEST / 16 else 2
    exponent = round(fitted_exponent(points), 2) if len(points) >= FEWEST_POINTS else None
    return {"exponent": exponent, "points": points, "over_budget": over_budget}


def measure(tidy, only=None):
    """exponent_<case> for each case, their maxima, and the points behind them."""
    cases, result = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for table, first_size in ((MANY_FUNCTIONS, 25), (ONE_FUNCTION, 8)):
            for name, case in table.items():
                if only is None or name in only:
                    cases[name] = measure_case(tidy, case, pathlib.Path(folder), first_size)
    for key, table in (("exponent_functions", MANY_FUNCTIONS), ("exponent_size_max", ONE_FUNCTION)):
        fitted = [cases[name]["exponent"] for name in table if name in cases and cases[name]["exponent"] is not None]
        result[key] = max(fitted, default=None)
    result |= {f"exponent_case_{name}": measured["exponent"] for name, measured in cases.items()}
    return {**result, "scaling": cases}


def show(result):
    print(f"{'growth':<22} {'exponent':>9}  size: seconds of the checks")
    for name, case in result["scaling"].items():
        points = "  ".join(f"{size}: {seconds:.3f}" for size, seconds in case["points"])
        over = f"  {case['over_budget']}: too large to be analyzed" if case["over_budget"] else ""
        print(f"  {name:<20} {'-' if case['exponent'] is None else case['exponent']:>9}  {points}{over}")
    print(f"  many functions {result['exponent_functions']}, one function {result['exponent_size_max']} at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidy", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--case", action="append", choices=[*MANY_FUNCTIONS, *ONE_FUNCTION])
    arguments = parser.parse_args()
    result = measure(arguments.tidy, arguments.case)
    show(result)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
