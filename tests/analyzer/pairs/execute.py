#!/usr/bin/env python3
"""Executes every twin against a model of LibTorch and MetaSan, along all paths up to a length, and compares with what
it is said to be.

A bad twin must violate its rule on some path, a good twin must violate no rule on any. This guards the ground truth
of the pairs, which nothing else checks.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import generate

HERE = pathlib.Path(__file__).resolve().parent

DEFINITIONS = """
bool more() { return model::choose(2); }
int next() { return model::choose(3, 2); }
void note() {}
void may_throw() {
  if (model::choose(2))
    throw std::runtime_error("thrown");
}
template <class T> void keep(const T&) {}
void keep_bytes(const void*, std::size_t) {}
void read_floats(float* to, long) { model::by_address.at(to)->memory = model::Memory::Written; }

template <class Call> void execute(const char* name, Call call) {
  std::set<std::string> found;
  model::choices.clear();
  model::position = 0;
  do {
    model::violations.clear();
    model::scopes.clear();
    model::statics.clear();
    try {
      call();
    } catch (const std::exception&) {
    }
    found.merge(model::violations);
  } while (model::next_path());
  // The twins may print too.
  std::cout << "\\ntwin " << name << ':';
  for (const std::string& rule : found)
    std::cout << ' ' << rule;
  std::cout << '\\n';
}
"""

# Values of parameters that are tried. Order does not matter, the number of rounds of a loop does.
ARGUMENTS = {"bool": "model::choose(2)", "int": "model::choose(4)"}


def arguments_for(parameters):
    """Declarations and the call's arguments for a parameter list."""
    declarations, values = [], []
    for parameter in filter(None, parameters.split(", ")):
        type_, name = parameter.rsplit(" ", 1)
        if type_ in ARGUMENTS:
            declarations.append(f"{type_} {name} = {ARGUMENTS[type_]};")
        else:
            declarations.append(f"{type_.rstrip('&')} {name};")
        values.append(name)
    return declarations, ", ".join(values)


def call_of(twin, text):
    """The body of a function that runs the twin once."""
    free = re.search(r"^void run\((.*)\) \{", text, re.MULTILINE)
    if free:
        declarations, values = arguments_for(free[1])
        return declarations + [f"{twin.name}::run({values});"]
    method = re.search(r"^  void (run|build)\(\) \{", text, re.MULTILINE)
    if method:
        name = "run" if "void run()" in text else "build"
        return [f"{twin.name}::Runner runner;", f"runner.{name}();"]
    constructor = re.search(r"^  (?:explicit )?Runner\((.*?)\)", text, re.MULTILINE)
    declarations, values = arguments_for(constructor[1])
    return declarations + [f"{twin.name}::Runner runner{{{values}}};"]


def executable_source(path, twins):
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        line = re.sub(
            r"static (?:const )?torch::Tensor (\w+) = (.*);",
            rf"const torch::Tensor& \1 = model::static_local({number}, [] {{ return \2; }});",
            line,
        )
        lines[number] = re.sub(r"^void provide\((.*)\);$", r"void provide(\1) { model::provide(target); }", line)
    main = []
    for twin in twins:
        text = twin.pair.bad if twin.is_bad else twin.pair.good
        main += [f'  execute("{twin.name}", [] {{', *(f"    {line}" for line in call_of(twin, text)), "  });"]
    return "\n".join([*lines, DEFINITIONS, "int main() {", *main, "}"]) + "\n"


def wrong_twins(compiler, folder, rule, path, twins):
    """Twins that do not do what they are said to: (name, what was expected, what happened)."""
    source, program = folder / f"{rule}.exec.cpp", folder / f"{rule}.exec"
    source.write_text(executable_source(path, twins))
    flags = ["-std=c++20", "-w", "-O0", "-isystem", str(HERE / "model")]
    built = subprocess.run([compiler, *flags, str(source), "-o", str(program)], capture_output=True, text=True)
    if built.returncode != 0:
        sys.exit(f"{source} does not compile:\n{built.stderr[:4000]}")
    ran = subprocess.run([program], capture_output=True, text=True, timeout=300)
    if ran.returncode != 0:
        sys.exit(f"{program} failed with {ran.returncode}:\n{ran.stdout[-400:]}{ran.stderr}")
    happened = {name: set(rules.split()) for name, rules in re.findall(r"^twin (\w+):(.*)$", ran.stdout, re.MULTILINE)}
    wrong = []
    for twin in twins:
        # A scope under which nothing is made is only wrong in the pairs that are about it.
        about_it = twin.pair.defect.startswith("unnamed")
        violated = "scope-without-tensors" if about_it else rule
        expected = {violated} if twin.is_bad else set()
        found = happened[twin.name] - (set() if about_it else {"scope-without-tensors"})
        if found != expected:
            wrong.append((twin.name, expected, found))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--all", action="store_true", help="every flow with every defect")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave the sources there")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        files = generate.write(folder, arguments.all)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            tasks = [pool.submit(wrong_twins, arguments.compiler, folder, rule, *files[rule]) for rule in files]
            wrong = [line for task in tasks for line in task.result()]
    for name, expected, found in wrong:
        print(f"{name}: expected {', '.join(expected) or 'nothing'}, found {', '.join(sorted(found)) or 'nothing'}")
    executed = sum(len(twins) for _path, twins in files.values())
    print(f"{executed} twins executed, {len(wrong)} not what they are said to be")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
