#!/usr/bin/env python3
"""Runs the checks on the C++ code in docs/rules/*.md: they report what is under "Wrong", in the words on the page, and
nothing else.

    check_page_snippets.py PAGES_DIR --tidy METASAN_TIDY --torch-root LIBTORCH
    check_page_snippets.py PAGES_DIR --tidy METASAN_TIDY --torch-root LIBTORCH --update

--update writes what the checks say into the pages, after each block of code that is wrong. A location there is a line
and a column of the block.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from generate_page_snippets import INCLUDES, Snippet, snippets_in

DIAGNOSTIC = re.compile(r"^[^\s:]+:(?P<line>\d+):(?P<rest>\d+: (?:warning|error|note): .*)$")
INCLUDE_DIR = Path(__file__).resolve().parents[2] / "include"


def what_the_checks_say(snippets: list[Snippet], tidy: Path, torch: Path) -> dict[str, str]:
    """The messages by the snippet's function, as a page shows them."""
    source, first_lines = INCLUDES, {}
    for snippet in snippets:
        before_code = snippet.definition.index(snippet.code)
        first_lines[snippet.function] = (source + snippet.definition[:before_code]).count("\n") + 1
        source += snippet.definition
    includes = (INCLUDE_DIR, torch / "include", torch / "include/torch/csrc/api/include")
    flags = ["-std=c++20", f"-I{Path(__file__).parent}", *(flag for path in includes for flag in ("-isystem", str(path)))]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "snippets.cpp"
        file.write_text(source, encoding="utf-8")
        command = [tidy, "--checks=-*,metasan-*", "--config={}", "--quiet", file, "--", *flags]
        result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if result.returncode != 0:
        sys.exit(f"the code in the pages does not compile:\n{result.stdout}{result.stderr}")

    said = dict.fromkeys(first_lines, "")
    for match in filter(None, map(DIAGNOSTIC.match, result.stdout.splitlines())):
        line = int(match["line"])
        function = max((name for name in first_lines if first_lines[name] <= line), key=first_lines.__getitem__)
        said[function] += f"{line - first_lines[function] + 1}:{match['rest']}\n"
    return said


def problem_of(snippet: Snippet, said: str) -> str:
    """Empty when the page is right."""
    block = f"{snippet.page}.md, '{snippet.section}', code block {snippet.number + 1}"
    if not (snippet.is_wrong and snippet.found_by_check):
        return f"{block}: there should be nothing to report, but the checks say\n{said}" if said else ""
    checks = set(re.findall(r"^\d+:\d+: warning: .* \[(.*)\]$", said, re.MULTILINE))
    if checks != {f"metasan-{snippet.page}"}:
        return f"{block}: metasan-{snippet.page} should report it, and nothing else; the checks say\n{said or 'nothing'}"
    if said != snippet.messages:
        return f"{block}: the page should show what the checks say (--update writes it):\n{said}"
    return ""


def update(pages: Path, snippet: Snippet, said: str) -> None:
    page = pages / f"{snippet.page}.md"
    code = f"```cpp\n{snippet.code}```\n"
    old = code + (f"\n```\n{snippet.messages}```\n" if snippet.messages else "")
    new = code + (f"\n```\n{said}```\n" if said else "")
    text = page.read_text(encoding="utf-8")
    if old not in text:
        sys.exit(f"{page.name}: the messages should stand right after the code that they are about")
    page.write_text(text.replace(old, new, 1), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path)
    parser.add_argument("--tidy", type=Path, required=True)
    parser.add_argument("--torch-root", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()

    snippets = snippets_in(arguments.pages)
    said = what_the_checks_say(snippets, arguments.tidy, arguments.torch_root)
    if arguments.update:
        for snippet in snippets:
            if snippet.is_wrong and snippet.found_by_check:
                update(arguments.pages, snippet, said[snippet.function])
        snippets = snippets_in(arguments.pages)
    problems = [problem for s in snippets if (problem := problem_of(s, said[s.function]))]
    for problem in problems:
        print(f"docs/rules: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
