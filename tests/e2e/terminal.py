"""Colour on a terminal, and nothing elsewhere."""

import sys

BOLD, RED, GREEN, CYAN, DIM = "1", "31", "32", "36", "2"


class Printer:
    """Prints what the demo does, as it does it; a quiet one prints nothing."""

    def __init__(self, color: str, quiet: bool) -> None:
        self.color = color == "always" or (color == "auto" and sys.stdout.isatty())
        self.quiet = quiet

    def __call__(self, text: str = "", *codes: str) -> None:
        if not self.quiet:
            print(self.styled(text, *codes), flush=True)

    def styled(self, text: str, *codes: str) -> str:
        return f"\033[{';'.join(codes)}m{text}\033[0m" if self.color and codes and text else text

    def step(self, title: str) -> None:
        self()
        self(f"== {title}", BOLD, CYAN)

    def command(self, text: str) -> None:
        self(f"$ {text}", DIM)

    def indented(self, text: str) -> None:
        for line in text.rstrip("\n").splitlines():
            self(f"  {line}" if line else "")

    def diff(self, lines: list[str]) -> None:
        colors = {"+": (GREEN,), "-": (RED,), "@": (CYAN,)}
        for line in lines:
            self(f"  {line.rstrip()}", *colors.get(line[:1], ()))
