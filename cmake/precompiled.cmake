# Headers that nearly every file reads are compiled once for each set of flags: that takes a third off a clean build.
#
# Not by target_precompile_headers on every target. It names GCC's file by its path in compile_commands.json, where
# Clang 14's driver, and so clang-tidy, takes it for one of its own and stops. Here the header is found through a folder
# of include paths, in which Clang sees the text alone.
#
#   add_precompiled(NAME LIBRARIES… [INCLUDES HEADERS…] [OPTIONS FLAGS…])   the header and HEADERS, for these flags
#   use_precompiled(NAME TARGETS…)
#
# Where GCC finds that flags differ after all it reads the text too: slower, and the same. Not without optimisation: fmt
# then asks for some by a pragma, and what pragmas of a precompiled header have changed GCC does not keep apart.
option(TILESCOPE_PRECOMPILED "Compile the headers that nearly every file reads once (GCC)" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(TILESCOPE_PRECOMPILED OFF)
endif()

if(TILESCOPE_PRECOMPILED)
  # With so much there from the start the compiler would soon collect garbage, which takes longer than to leave it.
  add_compile_options("SHELL:$<$<COMPILE_LANGUAGE:CXX>:--param ggc-min-heapsize=524288>")
endif()

function(add_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;INCLUDES;OPTIONS")
  if(NOT TILESCOPE_PRECOMPILED)
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/precompiled/${name})
  list(TRANSFORM arg_INCLUDES REPLACE "(.+)" "#include <\\1>")
  list(JOIN arg_INCLUDES "\n" MORE_INCLUDES)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/often_read.hpp.in ${folder}/often_read.hpp @ONLY)
  # As an object of a library it gets its flags, and is made again when one of the headers changes.
  add_library(precompiled_${name} OBJECT ${folder}/often_read.hpp)
  set_source_files_properties(${folder}/often_read.hpp PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++-header")
  target_link_libraries(precompiled_${name} PRIVATE ${arg_LIBRARIES})
  target_compile_options(precompiled_${name} PRIVATE ${arg_OPTIONS})
  add_custom_command(OUTPUT ${folder}/often_read.hpp.gch
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_OBJECTS:precompiled_${name}> ${folder}/often_read.hpp.gch
    DEPENDS $<TARGET_OBJECTS:precompiled_${name}> VERBATIM)
  # Of a target that depends on nothing else, so that it waits for nothing else.
  add_custom_target(precompiled_${name}_file DEPENDS ${folder}/often_read.hpp.gch)
endfunction()

function(use_precompiled name)
  if(NOT TILESCOPE_PRECOMPILED)
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/precompiled/${name})
  foreach(target ${ARGN})
    # The warnings are those that libstdc++ turns off for std::char_traits, by pragmas that are lost here.
    # -fpch-deps: an object depends on the headers inside as well, also one of several files (cmake/unity.cmake).
    target_compile_options(${target} PRIVATE -I${folder} "SHELL:-include often_read.hpp" -fpch-deps
      -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    add_dependencies(${target} precompiled_${name}_file)
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${folder}/often_read.hpp.gch)
  endforeach()
endfunction()
