# bench/*.cpp: programs that print how fast parts of the engine are. Nothing passes or fails by them.
option(TILESCOPE_BENCH "Build the benchmark programs (Google Benchmark)" OFF)
if(TILESCOPE_BENCH)
  find_package(benchmark REQUIRED)
  add_executable(sim_bench bench/sim_bench.cpp)
  target_link_libraries(sim_bench PRIVATE tilescope_sim tilescope_compile benchmark::benchmark)
  target_compile_definitions(sim_bench PRIVATE TILESCOPE_SOURCE="${PROJECT_SOURCE_DIR}")
endif()
