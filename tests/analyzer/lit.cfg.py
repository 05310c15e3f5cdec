import os
import shutil
import sys

import lit.formats

config.name = "MetaSan analyzer"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cpp", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)

inputs = os.path.join(config.test_source_root, "Inputs")
runner = os.path.join(config.test_source_root, "check_clang_tidy.py")

# Mock headers by default: a test with the real ones takes as long to parse as a hundred others.
mock = f"-std=c++20 -nostdinc++ -isystem {inputs}"
config.substitutions.append(("%mock_flags", mock))
config.substitutions.append(("%check_clang_tidy", f"{sys.executable} {runner} --tidy {config.metasan_tidy}"))
config.substitutions.append(("%metasan_tidy", config.metasan_tidy))
config.substitutions.append(("%tidy_module", config.metasan_tidy_module))
config.substitutions.append(("%compiler_plugin", config.metasan_compiler_plugin))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%cmake", config.cmake))
config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%metasan_source", config.metasan_source))
config.substitutions.append(("%metasan_build", config.metasan_build))
config.substitutions.append(("%inputs", inputs))

torch_include = os.path.join(config.torch_root, "include")
if config.torch_root and os.path.exists(os.path.join(torch_include, "torch", "csrc", "api", "include", "torch", "torch.h")):
    config.available_features.add("torch-headers")
    api = os.path.join(torch_include, "torch", "csrc", "api", "include")
    own = os.path.join(config.metasan_source, "include")
    config.substitutions.append(
        ("%torch_flags", f"-std=c++20 -isystem {torch_include} -isystem {api} -isystem {own}")
    )
else:
    config.substitutions.append(("%torch_flags", mock))

# What Debian puts into packages of their own. A test of one says "REQUIRES: <tool>".
for tool in ("clang-tidy", "clang++", "run-clang-tidy", "clang-tidy-diff.py", "clang-apply-replacements"):
    stem, dot, suffix = tool.partition(".")
    names = (f"{stem}-19{dot}{suffix}", tool)
    found = filter(None, (shutil.which(name, path=where) for name in names for where in (None, config.llvm_tools)))
    path = next(found, None)
    if path:
        config.available_features.add(tool)
    config.substitutions.append((f"%{stem.replace('-', '_').replace('+', 'x')}\\b", path or tool))

path = os.pathsep.join((config.llvm_tools, os.environ.get("PATH", "")))
config.environment["PATH"] = path
