#!/usr/bin/env python3
"""Draws a report of MetaSan as an SVG, for the README.

    minilm_broken <model-dir> 2>&1 | docs/images/render_report.py <source-root> > docs/images/report.svg

Paths are shown relative to <source-root>; lines too long for a page are cut.
"""

import re
import sys
from html import escape

COLUMNS = 150
CHARACTER = 7.25  # width of one, in pixels, at the font size below
LINE = 19
MARGIN = 18


def styled(line: str) -> str:
    """One line as SVG text spans: the rule in red, labels in blue, names in green."""
    if re.match(r"==\d+==", line) or line.startswith("SUMMARY"):
        return f'<tspan fill="#ff7b72" font-weight="bold">{escape(line)}</tspan>'
    label, text = line[:12], line[12:]
    text = re.sub(r"(&#x27;[^;]*?&#x27;)", r'<tspan fill="#7ee787">\1</tspan>', escape(text))
    return f'<tspan fill="#79c0ff">{escape(label)}</tspan>{text}'


def main() -> None:
    root = sys.argv[1].rstrip("/") + "/"
    lines = [re.sub(r"^==\d+==", "==4711==", line.rstrip("\n").replace(root, "")) for line in sys.stdin]
    lines = [line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…" for line in lines]
    width = 2 * MARGIN + COLUMNS * CHARACTER
    height = 2 * MARGIN + len(lines) * LINE
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-size="12"'
          ' font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace">')
    print('<rect width="100%" height="100%" rx="8" fill="#0d1117"/>')
    for number, line in enumerate(lines):
        print(f'<text x="{MARGIN}" y="{MARGIN + 13 + number * LINE}" fill="#e6edf3" xml:space="preserve">{styled(line)}</text>')
    print("</svg>")


if __name__ == "__main__":
    main()
