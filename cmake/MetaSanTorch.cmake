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

if(METASAN_SANITIZE)
  add_compile_options(-fsanitize=${METASAN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${METASAN_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC 12 takes what the instrumentation hides from it for uninitialized.
    add_compile_options(-Wno-maybe-uninitialized)
    if(METASAN_SANITIZE STREQUAL thread)
      # LibTorch's headers have fences, which ThreadSanitizer does not see.
      add_compile_options(-Wno-tsan)
    endif()
  endif()
endif()

# torch/torch.h costs over ten seconds per source file: executables that include it share one precompiled header.
# A precompiled header fits only code of its own position independence, which is why this sets it.
file(WRITE ${PROJECT_BINARY_DIR}/torch_pch.cpp "")
add_library(metasan_torch_pch OBJECT ${PROJECT_BINARY_DIR}/torch_pch.cpp)
target_link_libraries(metasan_torch_pch PRIVATE torch)
target_precompile_headers(metasan_torch_pch PRIVATE <torch/torch.h>)
set_target_properties(metasan_torch_pch PROPERTIES POSITION_INDEPENDENT_CODE OFF)

function(metasan_use_torch_pch target)
  target_precompile_headers(${target} REUSE_FROM metasan_torch_pch)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()
