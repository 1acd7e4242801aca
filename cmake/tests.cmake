# tests/<area>/*_test.cpp become the program <area>_test; TEST_LIBRARIES_<area> says what it links beside the engine.
find_package(GTest REQUIRED)
add_precompiled(tests LIBRARIES fmt::fmt tl::expected Threads::Threads GTest::gtest INCLUDES gtest/gtest.h OPTIONS ${OPTIMISE_LITTLE})
set(TEST_LIBRARIES_sim tilescope_sim tilescope_compile)
set(TEST_LIBRARIES_ptx tilescope_sim)
set(TEST_LIBRARIES_compile tilescope_compile)
set(TEST_LIBRARIES_gpu tilescope_gpu tilescope_compile tilescope_traffic)
set(TEST_LIBRARIES_traffic tilescope_traffic)
set(TEST_LIBRARIES_base tilescope_base)
set(TEST_LIBRARIES_reference ${WHOLE_REFERENCE})
set(TEST_LIBRARIES_bench tilescope_bench tilescope_labs)
set(TEST_LIBRARIES_tune tilescope_tune tilescope_labs)
set(TEST_LIBRARIES_run tilescope_engine tilescope_labs)
set(TEST_LIBRARIES_graph tilescope_graph)
set(TEST_LIBRARIES_autograd tilescope_autograd)
set(TEST_LIBRARIES_layout tilescope_layout tilescope_engine tilescope_labs)
set(TEST_LIBRARIES_labs tilescope_bench tilescope_labs ${WHOLE_REFERENCE})
set(TEST_LIBRARIES_exercises tilescope_workshop tilescope_labs)
set(TEST_LIBRARIES_cli tilescope_labs tilescope_commands)
set(TEST_LIBRARIES_app tilescope_views tilescope_labs tilescope_window)
set(TEST_LIBRARIES_gui tilescope_views tilescope_labs tilescope_window)
set(TEST_LIBRARIES_documents tilescope_views tilescope_labs tilescope_window)
set(TEST_LIBRARIES_host_program tilescope_host_program tilescope_report tilescope_labs)
set(TEST_LIBRARIES_torch_operator tilescope_torch_operator tilescope_labs)
set(TEST_LIBRARIES_launcher tilescope_base)

# The differential corpus and the kernel generator are also used by programs of tools/.
file(GLOB differential_sources CONFIGURE_DEPENDS tests/differential/*.cpp)
list(FILTER differential_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(tilescope_differential STATIC ${differential_sources})
target_link_libraries(tilescope_differential PUBLIC tilescope_sim tilescope_compile)
target_compile_options(tilescope_differential PRIVATE ${OPTIMISE_LITTLE})
use_precompiled(little tilescope_differential)
set(TEST_LIBRARIES_differential tilescope_differential)

file(GLOB test_areas CONFIGURE_DEPENDS tests/*)
foreach(area_folder ${test_areas})
  get_filename_component(area ${area_folder} NAME)
  file(GLOB area_sources CONFIGURE_DEPENDS ${area_folder}/*_test.cpp)
  if(area_sources AND DEFINED TEST_LIBRARIES_${area})
    add_executable(${area}_test ${area_sources})
    target_link_libraries(${area}_test PRIVATE ${TEST_LIBRARIES_${area}} GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_options(${area}_test PRIVATE ${OPTIMISE_LITTLE})
    use_precompiled(tests ${area}_test)
    use_unity(${area}_test MOST 6)
    add_dependencies(${area}_test tilescope-worker)
    target_compile_definitions(${area}_test PRIVATE TILESCOPE_SOURCE="${PROJECT_SOURCE_DIR}" TILESCOPE_BINARY="${PROJECT_BINARY_DIR}")
    # What takes long comes in parts that run side by side, and starts first. A program counts as two, a script that
    # drives the window and mostly waits as one (run_tests of tilescope).
    set(shards 1)
    set(cost 0)
    if(area STREQUAL labs OR area STREQUAL gui OR area STREQUAL exercises)
      set(shards 4)
      set(cost 950)
    elseif(area MATCHES "^(app|cli|compile|documents|host_program|launcher|run|sim|traffic)$")
      set(cost 50)
    endif()
    foreach(shard RANGE 1 ${shards})
      set(name ${area})
      if(shards GREATER 1)
        set(name ${area}_${shard})
      endif()
      math(EXPR index "${shard} - 1")
      add_test(NAME ${name} COMMAND ${area}_test)
      set_tests_properties(${name} PROPERTIES TIMEOUT 1200 COST ${cost} PROCESSORS 2
        ENVIRONMENT "TILESCOPE_ROOT=${PROJECT_SOURCE_DIR};GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
    endforeach()
  endif()
endforeach()

# Writes the PTX of the kernels that sim_test runs.
add_executable(make_kernel_ptx tests/sim/make_kernel_ptx.cpp)
target_link_libraries(make_kernel_ptx PRIVATE tilescope_compile)
target_compile_definitions(make_kernel_ptx PRIVATE TILESCOPE_SOURCE="${PROJECT_SOURCE_DIR}")
add_dependencies(make_kernel_ptx tilescope-worker)

# NVIDIA's occupancy calculator is a header of the toolkit.
if(TARGET traffic_test)
  target_include_directories(traffic_test SYSTEM PRIVATE ${CUDA_INCLUDE})
endif()

# Compiles the host side of programs that include the toolkit's headers.
if(TARGET host_program_test)
  target_compile_definitions(host_program_test PRIVATE TILESCOPE_CUDA_INCLUDE="${CUDA_INCLUDE}")
endif()

# Kernels that fault, as those of gpu do, can break the interop that gui tests, on the whole machine.
if(TARGET gpu_test AND TARGET gui_test)
  set_tests_properties(gpu PROPERTIES DEPENDS "gui_1;gui_2;gui_3;gui_4")
endif()

# Links the program again with one more lab.
if(TARGET documents_test AND TARGET tilescope)
  add_dependencies(documents_test tilescope)
endif()

# Runs the program as a user does.
if(TARGET cli_test AND TARGET tilescope)
  add_dependencies(cli_test tilescope)
endif()

# Takes pictures with the program.
if(TARGET gui_test AND TARGET tilescope)
  add_dependencies(gui_test tilescope)
endif()

# The real window under Xvfb, with a real pointer, each on a display of its own. They wait most of the time, so they start
# first, beside everything else.
if(TARGET tilescope)
  add_test(NAME window COMMAND ${PROJECT_SOURCE_DIR}/tests/gui/drive_window.sh $<TARGET_FILE:tilescope>)
  add_test(NAME window_own_file COMMAND ${PROJECT_SOURCE_DIR}/tests/gui/drive_own_file.sh $<TARGET_FILE:tilescope>)
  add_test(NAME window_taps COMMAND ${PROJECT_SOURCE_DIR}/tests/gui/drive_taps.sh $<TARGET_FILE:tilescope>)
  add_test(NAME window_edits COMMAND ${PROJECT_SOURCE_DIR}/tests/gui/drive_edits.sh $<TARGET_FILE:tilescope>)
  add_test(NAME window_steps COMMAND ${PROJECT_SOURCE_DIR}/tests/gui/drive_steps.sh $<TARGET_FILE:tilescope>)
  add_test(NAME window_exercise COMMAND ${PROJECT_SOURCE_DIR}/tests/gui/drive_exercise.sh $<TARGET_FILE:tilescope>)
  add_test(NAME window_first_hour COMMAND ${PROJECT_SOURCE_DIR}/tests/gui/drive_first_hour.sh $<TARGET_FILE:tilescope>)
  add_test(NAME window_tune COMMAND ${PROJECT_SOURCE_DIR}/tests/gui/drive_tune.sh $<TARGET_FILE:tilescope>)
  set_tests_properties(window window_own_file window_taps window_edits window_steps window_exercise window_first_hour window_tune PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77
    COST 900 ENVIRONMENT "TILESCOPE_ROOT=${PROJECT_SOURCE_DIR}")
  set_tests_properties(window_taps window_first_hour PROPERTIES COST 1000)
  # No more than two at a time: more of them would wait for the cores, and then for each other's keys and clicks too long.
  set_tests_properties(window_taps window_tune PROPERTIES RESOURCE_LOCK first_window)
  set_tests_properties(window window_own_file window_edits window_steps window_exercise window_first_hour
    PROPERTIES RESOURCE_LOCK second_window)
endif()
