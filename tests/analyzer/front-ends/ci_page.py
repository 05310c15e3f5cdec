#!/usr/bin/env python3
"""Runs the recipes of docs/guides/ci.md: each must fail on a project with a finding, and pass on one without.

    ci_page.py --build-dir DIR --source-dir DIR --work-dir DIR

The recipes run as they stand, from the page, in a small project of mock headers. Stand-ins take the place of what needs a network or
minutes: apt-get only looks at the names of the packages, and MetaSan itself is not built again but taken from the build directory.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import yaml

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

STAND_INS = {
    "sudo": 'exec "$@"',
    "apt-get": """
for package in $([ "$1" != install ] || printf '%s\\n' "${@:2}" | grep -v '^-'); do
  grep -qx "$package" "$METASAN_SOURCE/dependencies/debian.txt" || [ "$package" = git ] || { echo "$package is no package MetaSan needs"; exit 1; }
done""",
    "git": """
if [ "$1" = clone ]; then
  [ "$4" = "<address of MetaSan>" ] && exec ln -s "$METASAN_SOURCE" "$5"
fi
exec /usr/bin/env PATH="$REAL_PATH" git "$@\"""",
    "cmake": """
case "$*" in
  *metasan-source*)
    for option in $(printf '%s\\n' "$@" | sed -n 's/^-D\\(METASAN_[A-Z_]*\\)=.*/\\1/p'); do
      grep -q "^option($option " metasan-source/CMakeLists.txt || { echo "$option is no option"; exit 1; }
    done
    exec mkdir metasan-build ;;
  "--build metasan-build") exec test -d metasan-build ;;
  "--install metasan-build --prefix "*) exec cp -r "$INSTALLED" "$4" ;;
esac
exec /usr/bin/env PATH="$REAL_PATH" cmake "$@\"""",
}

CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(MetaSan REQUIRED COMPONENTS checks)
add_library(app OBJECT first.cpp second.cpp)
target_compile_options(app PRIVATE -nostdinc++ -isystem $ENV{INPUTS})
target_precompile_headers(app PRIVATE <torch/torch.h>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(app PRIVATE -Werror -Wduplicated-cond)
endif()
"""
RIGHT = """#include <torch/torch.h>
long rows() {
  auto t = torch::empty({2, 3}, torch::kMeta);
  return t.size(0);
}
"""
WRONG = RIGHT + "void read() {\n  auto t = torch::empty({1}, torch::kMeta);\n  t.item();\n}\n"
FINDING = re.compile(r"first\.cpp:8:5: error: tensor 't' has no data: .*\[metasan-meta-data-dependent")


class Sandbox:
    def __init__(self, arguments):
        self.work = arguments.work_dir.resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.home, self.project, self.bin = (self.work / name for name in ("home", "project", "bin"))
        self.installed = self.work / "installed"
        self.install(arguments)
        self.bin.mkdir()
        for name, text in STAND_INS.items():
            (self.bin / name).write_text(f"#!/usr/bin/env bash\nset -eu\n{text}\n")
            (self.bin / name).chmod(0o755)
        path = os.environ["PATH"]
        self.environment = {
            **os.environ,
            "PATH": f"{self.bin}:{self.home}/metasan/bin:{pathlib.Path(sys.executable).parent}:{path}",
            "REAL_PATH": path,
            "HOME": str(self.home),
            "INPUTS": str(arguments.source_dir / "tests/analyzer/Inputs"),
            "METASAN_SOURCE": str(arguments.source_dir),
            "INSTALLED": str(self.installed),
            "CMAKE_PREFIX_PATH": str(self.installed),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

    def install(self, arguments):
        """What "cmake --install" makes, without copying libraries with debug information."""
        for folder, files in (("bin", ["metasan-tidy"]), ("lib", ["MetaSanTidy.so", "MetaSanPlugin.so"])):
            (self.installed / folder).mkdir(parents=True)
            for file in files:
                (self.installed / folder / file).symlink_to((arguments.build_dir / folder / file).resolve(strict=True))
        package = self.installed / "lib/cmake/MetaSan"
        package.mkdir(parents=True)
        shutil.copy(arguments.build_dir / "MetaSanConfig.cmake", package)
        shutil.copy(arguments.source_dir / "cmake/MetaSanEnableChecks.cmake", package)

    def run(self, script, **variables):
        """One script, as bash runs it in a job: it ends at the first command that fails."""
        command = ["bash", "-euo", "pipefail", "-c", script]
        environment = {**self.environment, **variables}
        result = subprocess.run(
            command, cwd=self.project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        return result.returncode, result.stdout

    def start(self, files, installed=True):
        """A fresh checkout: the sources are right on origin/main."""
        for folder in (self.home, self.project):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        if installed:
            (self.home / "metasan").symlink_to(self.installed)
        for name, text in {"CMakeLists.txt": CMAKE_LISTS, "first.cpp": RIGHT, "second.cpp": RIGHT, **files}.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        identity = "-c user.name=test -c user.email=test@example.com"
        status, output = self.run(
            f"git init -q -b main && git add . && git {identity} commit -qm start && git update-ref refs/remotes/origin/main main"
        )
        if status:
            sys.exit(f"no git repository could be made:\n{output}")


def steps_of(file, text):
    """The scripts that a service would run for a file of its own, in order, with the variables of each."""
    content = yaml.safe_load(text)
    if file.startswith(".github/"):
        [job] = content["jobs"].values()
        return [(step["run"], step.get("env", {})) for step in job["steps"] if "run" in step]
    if file == ".gitlab-ci.yml":
        [job] = content.values()
        return [(line, job["variables"]) for line in job["before_script"] + job["script"]]
    if file == ".pre-commit-config.yaml":
        [hook] = content["repos"][0]["hooks"]
        sources = [name for name in ("CMakeLists.txt", "first.cpp", "second.cpp") if re.search(hook["files"], name)]
        return [(shlex.join([*shlex.split(hook["entry"]), *sources]), {})]
    return []


def recipes_of(page):
    """Title, files, steps, and whether MetaSan is there before."""
    settings, compile_commands = {}, None
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        title = section.split("\n", 1)[0]
        for language, text in BLOCK.findall(section):
            file = text.split("\n", 1)[0].removeprefix("# ")
            if file == ".clang-tidy":
                yaml.safe_load(text)
                settings = {file: text}
            elif language == "yaml":
                steps = steps_of(file, text)
                own = compile_commands if file == ".pre-commit-config.yaml" else []
                yield title, {**settings, file: text}, [*own, *steps], file == ".pre-commit-config.yaml"
            elif language == "cmake":
                build = "cmake -S . -B build && cmake --build build"
                yield title, {"CMakeLists.txt": CMAKE_LISTS + text}, [(build, {})], True
            elif language == "sh":
                steps = [(text, {})]
                if "-p build-checks" in text:
                    compile_commands = [(text.split("run-clang-tidy")[0], {})]
                elif "-path build-checks" in text:
                    steps = [*compile_commands, *steps]
                yield title, settings, steps, True
            else:
                sys.exit(f"{title}: a block in '{language}', which is not tried")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--build-dir", "--source-dir", "--work-dir"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    sandbox = Sandbox(arguments)
    page = (arguments.source_dir / "docs/guides/ci.md").read_text()

    failures = 0
    for title, files, steps, installed in recipes_of(page):
        for expected, change in (("passes", RIGHT), ("fails", WRONG)):
            # A finding that was there before is no concern of the recipe for changed lines.
            old = {"second.cpp": WRONG} if title == "Changed lines only" else {}
            sandbox.start({**files, **old}, installed)
            (sandbox.project / "first.cpp").write_text(change)
            status, output = 0, ""
            for number, (script, variables) in enumerate(steps):
                status, text = sandbox.run(script, **variables)
                output += f"$ {script}\n{text}"
                if status:
                    break
            last = number == len(steps) - 1
            good = status == 0 if expected == "passes" else status != 0 and last and FINDING.search(output)
            print(f"{title}: {expected}{'' if good else ' NOT'}", flush=True)
            if not good:
                failures += 1
                print(output)
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
