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
config.substitutions.append(("%plugin", config.metasan_plugin))
config.substitutions.append(("%cmake", config.cmake))
config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%metasan_source", config.metasan_source))
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

for name in ("clang-tidy-19", "clang-tidy"):
    path = shutil.which(name) or shutil.which(name, path=config.llvm_tools)
    if path:
        config.available_features.add("clang-tidy")
        config.substitutions.append(("%clang_tidy", path))
        break
else:
    config.substitutions.append(("%clang_tidy", "clang-tidy"))

path = os.pathsep.join((config.llvm_tools, os.environ.get("PATH", "")))
config.environment["PATH"] = path
