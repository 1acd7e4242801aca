# The window and the command line.
find_package(CLI11 REQUIRED)
find_package(glfw3 REQUIRED)
pkg_check_modules(EPOXY REQUIRED IMPORTED_TARGET epoxy)
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)

# Commands that need no window.
file(GLOB cli_sources CONFIGURE_DEPENDS app/cli/*.cpp)
add_library(tilescope_cli STATIC ${cli_sources})
target_link_libraries(tilescope_cli PUBLIC tilescope_bench CLI11::CLI11)

file(GLOB app_sources CONFIGURE_DEPENDS app/*.cpp app/sandbox/*.cpp app/panels/*.cpp app/plots/*.cpp app/editor/*.cpp app/gl/*.cpp)
list(FILTER app_sources EXCLUDE REGEX "app/main\\.cpp$")
add_library(tilescope_app STATIC ${app_sources})
target_link_libraries(tilescope_app PUBLIC tilescope_cli tilescope_bench glfw PkgConfig::EPOXY PkgConfig::IMGUI PkgConfig::MD4C PkgConfig::PNG)
foreach(library tilescope_cli tilescope_app)
  target_compile_options(${library} PRIVATE ${OPTIMISE_LITTLE})
endforeach()
use_precompiled(little tilescope_cli tilescope_app)
target_include_directories(tilescope_app SYSTEM PUBLIC ${CUDA_INCLUDE} /usr/include/imgui)

add_executable(tilescope app/main.cpp)
target_link_libraries(tilescope PRIVATE tilescope_app tilescope_labs)
add_dependencies(tilescope tilescope-worker)
