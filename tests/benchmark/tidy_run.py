"""One run of metasan-tidy, and the time that its checks took.

The time is taken inside the process (clang-tidy's own profile: matching and analysis of every check), so that the
noise of a parse of seconds does not drown what takes a fraction of one.
"""

import dataclasses
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

MOCK_HEADERS = pathlib.Path(__file__).resolve().parent.parent / "analyzer/Inputs"
MOCK_FLAGS = ["-std=c++20", "-nostdinc++", "-isystem", str(MOCK_HEADERS)]


@dataclasses.dataclass(frozen=True)
class Run:
    process_seconds: float
    checks_seconds: float
    output: str

    @property
    def too_large(self):
        """How many functions went over the budget."""
        return self.output.count("is too large to be analyzed")


def user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{result.stdout}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result.stdout


def profile_seconds(folder):
    """The sum over all checks of one run: the profile has "time.clang-tidy.<check>.user" and ".sys"."""
    [file] = folder.glob("*.json")
    profile = json.loads(file.read_text())["profile"]
    return sum(seconds for name, seconds in profile.items() if name.endswith((".user", ".sys")))


def run_checks(tidy, source, flags=MOCK_FLAGS, checks="metasan-*"):
    with tempfile.TemporaryDirectory() as folder:
        options = [f"--checks=-*,{checks}", "--enable-check-profile", f"--store-check-profile={folder}"]
        seconds, output = user_seconds([tidy, *options, source, "--", *flags])
        return Run(seconds, profile_seconds(pathlib.Path(folder)), output)
