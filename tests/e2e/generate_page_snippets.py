#!/usr/bin/env python3
"""Turns the C++ code in docs/rules/*.md into one C++ source for rule_pages_test.cpp.

    generate_page_snippets.py PAGES_DIR OUTPUT

Each block becomes a function; the table `page_snippets` says what page and section it is from, and whether the runtime of
this version finds the rule.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

# A block that the runtime does not report, or only warns of, has the comment in front of it.
BLOCK = re.compile(r"^(<!-- found by the check only -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

INCLUDES = '#include "page_snippets.h"\n\n#include <metasan/metasan.h>\n\n#include <torch/torch.h>\n\n#include <cstring>\n'

FUNCTION = """
static void {function}([[maybe_unused]] const std::filesystem::path& checkpoint, [[maybe_unused]] torch::Device device) {{
{code}}}
"""


@dataclass
class Snippet:
    page: str
    section: str
    number: int
    code: str
    found_by_check: bool
    found_at_run_time: bool
    messages: str = ""  # what the page says that the check prints: the block without a language after the code

    @property
    def function(self) -> str:
        return re.sub(r"\W", "_", f"{self.page}_{self.section}_{self.number}").lower()

    @property
    def is_wrong(self) -> bool:
        return self.section == "Wrong"

    @property
    def definition(self) -> str:
        return FUNCTION.format(function=self.function, code=self.code)

    @property
    def table_row(self) -> str:
        wrong, found = (str(value).lower() for value in (self.is_wrong, self.found_at_run_time))
        return f'    {{"{self.page}", "{self.function}", {wrong}, {found}, {self.function}}},\n'


def snippets_of(page: Path) -> list[Snippet]:
    text = page.read_text(encoding="utf-8")
    status = text.split("\n\n")[1]
    finders = (f"`metasan-{page.stem}`" in status, "runtime" in status)
    found: list[Snippet] = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title = section.split("\n", 1)[0]
        for check_only, language, content in BLOCK.findall(section):
            if language == "cpp":
                by_check, at_run_time = finders
                at_run_time = at_run_time and not check_only
                found.append(Snippet(page.stem, title, len(found), content, by_check, at_run_time))
            elif not language:
                found[-1].messages = content
    return found


def snippets_in(pages: Path) -> list[Snippet]:
    return [s for page in sorted(pages.glob("*.md")) if page.name != "README.md" for s in snippets_of(page)]


def main() -> None:
    pages, output = Path(sys.argv[1]), Path(sys.argv[2])
    snippets = snippets_in(pages)
    source = "".join(
        [
            INCLUDES,
            *(snippet.definition for snippet in snippets),
            "\nconst std::vector<PageSnippet> page_snippets{\n",
            *(snippet.table_row for snippet in snippets),
            "};\n",
        ]
    )
    output.write_text(source, encoding="utf-8")


if __name__ == "__main__":
    main()
