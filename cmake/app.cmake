# The window and the command line.
find_package(CLI11 REQUIRED)
find_package(glfw3 REQUIRED)
pkg_check_modules(EPOXY REQUIRED IMPORTED_TARGET epoxy)
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)

# The rooms of app/, each a library, so that what depends on what can be read here. docs/HACKING.md has the table that
# tests/base/dependencies_test.cpp holds the includes to.
function(app_sources result)
  set(sources)
  foreach(folder ${ARGN})
    file(GLOB found CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()
function(app_library name folders)
  app_sources(sources ${folders})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${ARGN})
  target_compile_options(${name} PRIVATE ${OPTIMISE_LITTLE})
endfunction()

app_library(tilescope_reading app/sandbox/reading tilescope_compile)
app_library(tilescope_form app/sandbox/form tilescope_reading tilescope_engine)
app_library(tilescope_exercises app/exercises tilescope_form)
app_library(tilescope_draw "app/draw;app/draw/plots;app/draw/editor;app/draw/gl" tilescope_gpu glfw PkgConfig::EPOXY PkgConfig::IMGUI)
target_include_directories(tilescope_draw SYSTEM PUBLIC /usr/include/imgui)
app_library(tilescope_session app/session tilescope_tune)
app_library(tilescope_recall app/recall tilescope_session)
app_library(tilescope_sandbox app/sandbox tilescope_session tilescope_form)
app_library(tilescope_observed app/observed tilescope_draw tilescope_bench tilescope_layout)
use_precompiled(little tilescope_reading tilescope_form tilescope_exercises tilescope_draw tilescope_session tilescope_recall tilescope_sandbox tilescope_observed)

app_library(tilescope_workshop app/workshop tilescope_session tilescope_exercises)
use_precompiled(little tilescope_workshop)

# What views and panels are given takes longer to read than all that is theirs, so it is read once.
add_precompiled(views LIBRARIES tilescope_observed tilescope_session tilescope_sandbox tilescope_workshop
  INCLUDES imgui.h app/views/context.hpp OPTIONS ${OPTIMISE_LITTLE})
app_library(tilescope_view app/views tilescope_observed tilescope_session tilescope_recall tilescope_sandbox tilescope_workshop)

# The panels around the views.
file(GLOB panel_folders LIST_DIRECTORIES true CONFIGURE_DEPENDS app/panels/*)
list(FILTER panel_folders EXCLUDE REGEX "\\.")
app_library(tilescope_panels "app/panels;${panel_folders}" tilescope_view tilescope_report tilescope_host_program)
use_precompiled(views tilescope_view tilescope_panels)

# Views register themselves, so they are objects, as labs are: a static library would drop them. A folder is a view;
# the figures of lessons register themselves too.
file(GLOB view_folders LIST_DIRECTORIES true CONFIGURE_DEPENDS app/views/* app/views/lesson/figures)
list(FILTER view_folders EXCLUDE REGEX "\\.")
app_sources(view_sources ${view_folders})
add_library(tilescope_views OBJECT ${view_sources})
target_link_libraries(tilescope_views PUBLIC tilescope_panels tilescope_graph tilescope_torch_operator tilescope_autograd PkgConfig::MD4C)
target_compile_options(tilescope_views PRIVATE ${OPTIMISE_LITTLE})
use_precompiled(views tilescope_views)

# Commands that need no window.
app_library(tilescope_commands app/commands tilescope_exercises tilescope_report tilescope_tune tilescope_graph tilescope_host_program tilescope_torch_operator tilescope_autograd CLI11::CLI11)
use_precompiled(little tilescope_commands)

app_library(tilescope_window app/window tilescope_panels tilescope_commands PkgConfig::PNG)
use_precompiled(views tilescope_window)

use_unity(tilescope_reading tilescope_form tilescope_exercises tilescope_draw tilescope_session tilescope_recall tilescope_sandbox tilescope_observed tilescope_workshop
  tilescope_view tilescope_panels tilescope_commands tilescope_window)
use_unity(tilescope_views MOST 20)  # those whose files are changed most: a group is compiled again as a whole

add_executable(tilescope app/main.cpp)
target_link_libraries(tilescope PRIVATE tilescope_views tilescope_labs tilescope_window)
target_compile_options(tilescope PRIVATE ${OPTIMISE_LITTLE})
use_precompiled(little tilescope)
add_dependencies(tilescope tilescope-worker)

# The program finds what it reads in ../share/tilescope (engine/run/paths.cpp), and the worker beside itself.
install(TARGETS tilescope tilescope-worker)
install(DIRECTORY kernels shaders assets docs exercises DESTINATION share/tilescope)
install(FILES LICENSE README.md DESTINATION share/tilescope)
