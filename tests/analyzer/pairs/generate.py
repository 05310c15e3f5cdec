#!/usr/bin/env python3
"""Crosses every rule that the checks find with the flows a bug takes through a program, each as a bad and a good twin.

A pair is (rule, defect, flow): what goes wrong (defects.py; the events of scope.py) on the way that flow.py or
scope.py describes. Its twins differ only in the lines that make one wrong and the other right. Each twin has a
namespace, bad_<defect>_<flow> or good_<defect>_<flow>; there is one source file per rule.

By default a flow is crossed with some of a rule's defects, in turn, so that each defect and each flow occurs; --all
crosses all.
"""

import argparse
import dataclasses
import pathlib
import re

import defects
import flow
import scope

PRELUDE = """// Made by generate.py.
#include <iostream>
#include <metasan/metasan.h>
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() : fc(register_module("fc", torch::nn::Linear(4, 4))) {}
  torch::Tensor forward(const torch::Tensor& input) { return fc(input); }
  torch::nn::Linear fc;
};
TORCH_MODULE(Net);

bool more();
int next();
void note();
void may_throw();
template <class T> void keep(const T&);
void keep_bytes(const void* from, std::size_t bytes);
void read_floats(float* to, long count);
"""

# How many defects each flow is crossed with, by rule.
DEFECTS_PER_FLOW = 1
EVENTS_PER_FLOW = 2


@dataclasses.dataclass(frozen=True)
class Pair:
    rule: str
    defect: str
    flow: str
    bad: str
    good: str


@dataclasses.dataclass(frozen=True)
class Twin:
    pair: Pair
    is_bad: bool
    first_line: int
    last_line: int

    @property
    def name(self):
        return ("bad" if self.is_bad else "good") + f"_{self.pair.defect}_{self.pair.flow}".replace("-", "_")


def expand(template, texts, is_bad):
    """One twin of a flow, with the macros replaced. `texts` has C++ by macro, with $ for the macro's argument."""
    lines = []
    for line in template.strip("\n").splitlines():
        if line[:1] == ("+" if is_bad else "-"):
            continue
        line = line[2:]
        for name in ("x", "T"):
            line = re.sub(rf"\${name}\b", texts.get(name, ""), line)

        def replaced(match):
            return texts[match[1]].replace("$", match[2] or "")

        indent = re.match(r" *", line)[0]
        text = re.sub(r"\$(\w+)(?:\(((?:[^()]|\([^()]*\))*)\))?", replaced, line.strip())
        lines += [indent + part for part in text.splitlines()]
    # (*pointer).call() is written pointer->call(), and the parentheses are left out where nothing needs them.
    written = {".": r"{}->", "": "*{}"}
    return re.sub(
        r"(?<!\w)\(\*(\w+)\)(->|[.(\[]|)",
        lambda match: written[match[2]].format(match[1]) if match[2] in written else match[0],
        "\n".join(lines),
    )


def needs(template):
    """What a flow asks of a defect, beyond what every defect has."""
    found = {name for name in ("bad_value", "spoil_in_place", "fill_in_place") if f"${name}" in template}
    if "$guard" in template or "$lacks" in template:
        found.add("guard")
    if "InitEmptyWeights" in template:
        found.add("scope")
    if ".view(" in template:
        found.add("view_filled_in_place" if "fill_in_place" in found else "view")
        found.discard("fill_in_place")
    return found


def in_turn(candidates, start, count):
    """`count` of the candidates, from a place that moves on with `start`."""
    return [candidates[(start + k) % len(candidates)] for k in range(min(count, len(candidates)))]


def object_pairs(everything):
    """The pairs of the rules about objects, and why the others of their table are left out: (rule, flow) -> reason."""
    pairs, omitted = [], {}
    by_rule = {}
    for defect in defects.DEFECTS:
        by_rule.setdefault(defect.rule, []).append(defect)
    for rule, candidates in by_rule.items():
        for index, (name, template) in enumerate(flow.FLOWS.items()):
            wanted = needs(template)
            fitting = [defect for defect in candidates if all(defect.offers(need) for need in wanted)]
            if not fitting:
                reasons = [defects.OMITTED[need][rule] for need in sorted(wanted) if rule in defects.OMITTED[need]]
                omitted[rule, name] = reasons[0]
                continue
            for defect in in_turn(fitting, index, len(fitting) if everything else DEFECTS_PER_FLOW):
                texts = {field.name: getattr(defect, field.name) for field in dataclasses.fields(defect)}
                texts |= {"x": defect.variable, "T": defect.type, "field": defect.field}
                texts["global_variable"] = defect.global_variable
                twins = [expand(template, texts, is_bad) for is_bad in (True, False)]
                pairs.append(Pair(rule, defect.name, name, *twins))
    return pairs, omitted


def scope_pairs(everything):
    pairs = []
    for index, (name, template) in enumerate(scope.FLOWS.items()):
        is_unfit, _reason = scope.UNFIT.get(name, (lambda event: False, ""))
        fitting = [event for event in scope.EVENTS if not is_unfit(event)]
        for event in in_turn(fitting, index * EVENTS_PER_FLOW, len(fitting) if everything else EVENTS_PER_FLOW):
            texts = {"event": event.event, "legal": event.legal, "helpers": event.helpers}
            twins = [expand(template, texts, is_bad) for is_bad in (True, False)]
            pairs.append(Pair("scope-misuse", event.name, name, *twins))
    for index, (name, template) in enumerate(scope.UNNAMED_FLOWS.items()):
        spellings = list(zip(scope.UNNAMED, scope.NAMED))
        for k in range(len(spellings)) if everything else [index % len(spellings)]:
            twins = [expand(template, {"scope": text}, is_bad) for is_bad, text in zip((True, False), spellings[k])]
            pairs.append(Pair("scope-misuse", f"unnamed{k + 1}", name, *twins))
    return pairs


def all_pairs(everything=False):
    """All pairs, and the (rule, flow) left out with the reason."""
    pairs, omitted = object_pairs(everything)
    return pairs + scope_pairs(everything), omitted


def write(folder, everything=False):
    """Writes one file per rule. Returns rule -> (path, its twins)."""
    folder.mkdir(parents=True, exist_ok=True)
    by_rule = {}
    for pair in all_pairs(everything)[0]:
        by_rule.setdefault(pair.rule, []).append(pair)
    result = {}
    for rule, pairs in by_rule.items():
        lines, twins = PRELUDE.splitlines(), []
        for pair in pairs:
            for is_bad in (True, False):
                body = (pair.bad if is_bad else pair.good).splitlines()
                first = len(lines) + 2
                twin = Twin(pair, is_bad, first, first + len(body) + 1)
                lines += ["", f"namespace {twin.name} {{", *body, "}"]
                twins.append(twin)
        path = folder / f"{rule}.cpp"
        path.write_text("\n".join(lines) + "\n")
        result[rule] = path, twins
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="every flow with every defect")
    parser.add_argument("--omitted", action="store_true", help="show what is left out, and why")
    arguments = parser.parse_args()
    for rule, (path, twins) in write(arguments.folder, arguments.all).items():
        print(f"{rule:<26} {len(twins) // 2:>4} pairs  {path}")
    if arguments.omitted:
        for (rule, name), reason in all_pairs()[1].items():
            print(f"left out: {rule}, {name}: {reason}")
        for name, (is_unfit, reason) in scope.UNFIT.items():
            for event in filter(is_unfit, scope.EVENTS):
                print(f"left out: scope-misuse, {event.name}, {name}: {reason}")


if __name__ == "__main__":
    main()
