# metasan_warnings: what MetaSan's own code is compiled with; never part of the installed interface.
add_library(metasan_warnings INTERFACE)
target_compile_options(metasan_warnings INTERFACE -Wall -Wextra -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)  # GCC 12 is wrong about strings that are moved into an inlined call
