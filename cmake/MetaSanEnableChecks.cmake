# metasan_enable_checks(<target> [CHECKS <pattern>] [OPTIONS <argument of clang-tidy>...])
#
# Runs MetaSan's checks on the sources of a target while it compiles; findings are compiler warnings. Works with the Ninja and the Makefile
# generators, with any compiler.
#
#   metasan_enable_checks(my_program)
#   metasan_enable_checks(my_program CHECKS "metasan-meta-*" OPTIONS "--warnings-as-errors=*")
#
# The tool is metasan-tidy, of this build or of the installation this file belongs to. Where only the plugin was installed, a clang-tidy
# of LLVM 19 loads it. METASAN_TIDY names another tool.
set(METASAN_TIDY "" CACHE FILEPATH "The metasan-tidy that metasan_enable_checks runs; empty: the one that belongs to MetaSan")
set_property(GLOBAL PROPERTY METASAN_CHECKS_PREFIX "${METASAN_INSTALL_PREFIX}")
set_property(GLOBAL PROPERTY METASAN_CHECKS_LIBDIR "${CMAKE_CURRENT_LIST_DIR}/../..")

function(_metasan_find_tidy result)
  get_property(prefix GLOBAL PROPERTY METASAN_CHECKS_PREFIX)
  get_property(libdir GLOBAL PROPERTY METASAN_CHECKS_LIBDIR)
  if(METASAN_TIDY)
    set(command "${METASAN_TIDY}")
  elseif(TARGET metasan-tidy)
    set(command "$<TARGET_FILE:metasan-tidy>")
  elseif(prefix AND EXISTS "${prefix}/bin/metasan-tidy")
    set(command "${prefix}/bin/metasan-tidy")
  elseif(EXISTS "${libdir}/MetaSanTidy.so")
    find_program(METASAN_CLANG_TIDY clang-tidy-19)
    if(METASAN_CLANG_TIDY)
      set(command "${METASAN_CLANG_TIDY};-load;${libdir}/MetaSanTidy.so")
    endif()
  endif()
  if(NOT command)
    message(FATAL_ERROR "no metasan-tidy found: set METASAN_TIDY to it, or install MetaSan with its analyzer")
  endif()
  set(${result} "${command}" PARENT_SCOPE)
endfunction()

function(metasan_enable_checks target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CHECKS" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "metasan_enable_checks: '${arg_UNPARSED_ARGUMENTS}' is not an argument it knows")
  endif()
  if(NOT arg_CHECKS)
    set(arg_CHECKS "metasan-*")
  endif()
  _metasan_find_tidy(command)
  list(APPEND command "--checks=-*,${arg_CHECKS}" "--quiet")
  # The compile command is the target's own, made for its compiler. What Clang does not know in it must not fail the build:
  # warnings of GCC's, and the precompiled header that GCC made. Clang leaves that aside (it is not in its format) and reads the header
  # itself that the command includes, so the code is the same and only the parse takes longer.
  foreach(flag -Wno-error -Wno-unknown-warning-option -Wno-ignored-gch -Wno-unused-command-line-argument
               -Wno-ignored-optimization-argument)
    list(APPEND command "--extra-arg=${flag}")
  endforeach()
  list(APPEND command ${arg_OPTIONS})
  set_property(TARGET ${target} PROPERTY CXX_CLANG_TIDY "${command}")
  if(TARGET metasan-tidy)
    add_dependencies(${target} metasan-tidy)
  endif()
endfunction()
