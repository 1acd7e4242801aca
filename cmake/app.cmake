# The window and the command line.
find_package(CLI11 REQUIRED)
find_package(glfw3 REQUIRED)
pkg_check_modules(EPOXY REQUIRED IMPORTED_TARGET epoxy)
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)

# What a form reads from the text of somebody's own kernel. A library of its own, for the fuzzer.
set(reading_sources app/sandbox/expression.cpp app/sandbox/host_calls.cpp app/sandbox/host_control.cpp
  app/sandbox/host_declarations.cpp app/sandbox/host_expression.cpp app/sandbox/host_reading.cpp
  app/sandbox/host_statements.cpp app/sandbox/host_suggestion.cpp app/sandbox/host_value.cpp
  app/sandbox/host_values.cpp app/sandbox/kernel_axes.cpp app/sandbox/kernel_extents.cpp
  app/sandbox/kernel_reading.cpp app/sandbox/parameter_type.cpp app/sandbox/source_facts.cpp
  app/sandbox/texture_suggestion.cpp app/sandbox/token_terms.cpp)
add_library(tilescope_reading STATIC ${reading_sources})
target_link_libraries(tilescope_reading PUBLIC tilescope_compile)

# The form of a kernel, and the small languages that its fields and the command line share.
set(form_sources app/sandbox/exec_line.cpp app/sandbox/form_defaults.cpp app/sandbox/kernel_form.cpp
  app/cli/arguments.cpp app/cli/buffer_argument.cpp app/cli/scalar_argument.cpp app/cli/texture_argument.cpp)
add_library(tilescope_forms STATIC ${form_sources})
target_link_libraries(tilescope_forms PUBLIC tilescope_reading tilescope_engine)

# Commands that need no window.
file(GLOB cli_sources CONFIGURE_DEPENDS app/cli/*.cpp)
list(TRANSFORM form_sources PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE form_paths)
list(REMOVE_ITEM cli_sources ${form_paths})
add_library(tilescope_cli STATIC ${cli_sources})
target_link_libraries(tilescope_cli PUBLIC tilescope_forms tilescope_bench CLI11::CLI11)

file(GLOB app_sources CONFIGURE_DEPENDS app/*.cpp app/sandbox/*.cpp app/views/*.cpp app/plots/*.cpp app/editor/*.cpp app/gl/*.cpp)
list(FILTER app_sources EXCLUDE REGEX "app/main\\.cpp$")
list(TRANSFORM reading_sources PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE reading_paths)
list(REMOVE_ITEM app_sources ${reading_paths} ${form_paths})
add_library(tilescope_app STATIC ${app_sources})
target_link_libraries(tilescope_app PUBLIC tilescope_cli tilescope_bench tilescope_reading glfw PkgConfig::EPOXY PkgConfig::IMGUI PkgConfig::MD4C PkgConfig::PNG)
# Views register themselves, so they are objects, as labs are.
file(GLOB view_sources CONFIGURE_DEPENDS app/panels/*.cpp)
add_library(tilescope_views OBJECT ${view_sources})
target_link_libraries(tilescope_views PUBLIC tilescope_app)
foreach(library tilescope_cli tilescope_app tilescope_views tilescope_reading tilescope_forms)
  target_compile_options(${library} PRIVATE ${OPTIMISE_LITTLE})
endforeach()
use_precompiled(little tilescope_cli tilescope_app tilescope_views tilescope_reading tilescope_forms)
target_include_directories(tilescope_app SYSTEM PUBLIC ${CUDA_INCLUDE} /usr/include/imgui)

add_executable(tilescope app/main.cpp)
target_link_libraries(tilescope PRIVATE tilescope_views tilescope_labs tilescope_app)
add_dependencies(tilescope tilescope-worker)
