#!/usr/bin/env python3
"""Counts the shapes of shapes.cpp that metasan-tidy answers as wanted."""

import argparse
import pathlib
import re
import sys

import measure

SOURCE = pathlib.Path(__file__).resolve().parent / "shapes.cpp"
MARK = re.compile(r"^ *// shape: ([\w-]+): (definite|maybe|nothing)$")


def shapes_of(source):
    """(name, wanted, first line, last line) of each shape: one ends where the next begins."""
    lines = source.read_text().splitlines()
    marks = [(number, MARK.match(line)) for number, line in enumerate(lines, 1) if MARK.match(line)]
    ends = [number - 1 for number, _match in marks[1:]] + [len(lines)]
    return [(match[1], match[2], number, end) for (number, match), end in zip(marks, ends)]


def answer(reports):
    if not reports:
        return "nothing"
    return "maybe" if all(" may have " in text for text in reports) else "definite"


def measure_shapes(tidy):
    """How many there are, how many answers are right, and (name, wanted, answer) of the others."""
    found = measure.findings(tidy, SOURCE)
    shapes, wrong = shapes_of(SOURCE), []
    for name, wanted, first, last in shapes:
        got = answer([text for line, _check, text in found if first <= line <= last])
        if got != wanted:
            wrong.append((name, wanted, got))
    return {"shapes": len(shapes), "shapes_right": len(shapes) - len(wrong), "shapes_wrong": wrong}


def show(result):
    for name, wanted, got in result["shapes_wrong"]:
        print(f"{name}: wanted {wanted}, answered {got}")
    print(f"{result['shapes_right']} of {result['shapes']} control-flow shapes answered right")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tidy", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    result = measure_shapes(arguments.tidy)
    show(result)
    sys.exit(1 if result["shapes_wrong"] else 0)


if __name__ == "__main__":
    main()
