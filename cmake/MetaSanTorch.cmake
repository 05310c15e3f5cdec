# Finds LibTorch: METASAN_TORCH_DIR when given, otherwise the wheel in the checkout's virtual environment.
if(METASAN_TORCH_DIR)
  set(_torch_root ${METASAN_TORCH_DIR})
else()
  file(GLOB _torch_root ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
endif()
if(NOT EXISTS "${_torch_root}/share/cmake/Torch/TorchConfig.cmake")
  message(FATAL_ERROR "no LibTorch found at '${_torch_root}': run ./dev setup, or set METASAN_TORCH_DIR to a LibTorch")
endif()
set(METASAN_TORCH_ROOT ${_torch_root})

# TorchConfig writes its ABI flags into CMAKE_CXX_FLAGS and warns of parts that a CPU build lacks.
set(_saved_flags "${CMAKE_CXX_FLAGS}")
find_package(Torch REQUIRED CONFIG PATHS ${_torch_root}/share/cmake/Torch NO_DEFAULT_PATH)
set(CMAKE_CXX_FLAGS "${_saved_flags}")
if(Torch_VERSION AND Torch_VERSION VERSION_LESS 2.13)
  message(FATAL_ERROR "LibTorch ${Torch_VERSION} found; MetaSan needs 2.13 or newer")
endif()

# The headers are large: a target that includes torch/torch.h reuses this precompiled one.
#   target_precompile_headers(<target> REUSE_FROM metasan_torch_pch)
file(WRITE ${PROJECT_BINARY_DIR}/torch_pch.cpp "")
add_library(metasan_torch_pch OBJECT ${PROJECT_BINARY_DIR}/torch_pch.cpp)
target_link_libraries(metasan_torch_pch PRIVATE torch)
target_precompile_headers(metasan_torch_pch PRIVATE <torch/torch.h>)

if(METASAN_SANITIZE)
  add_compile_options(-fsanitize=${METASAN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${METASAN_SANITIZE})
endif()
