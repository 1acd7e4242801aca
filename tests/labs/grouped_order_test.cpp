// The grouped-order lab's counts against the hardware counter l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum:
// docs/counters.md of 2026-11-21, written by `tools/calibrate_counters.py record_counters` on one NVIDIA H200.
#include <gtest/gtest.h>

#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

TEST(GroupedOrder, LoadsAsManySectorsAsAnH200CountsWhereRowsDoNotBeginWithASector) {
  const std::shared_ptr<Engine> engine = Engine::open({});
  Request request;
  request.lab = "grouped-order";
  request.config = default_config(*find_lab("grouped-order"), DeviceKind::sim);
  request.config.sizes = {{"M", 1000}, {"N", 1000}, {"K", 136}};  // rows of 272 and 2,000 bytes
  for (const char* rung : {"row-major", "grouped", "hilbert"}) {
    request.rung = rung;
    const auto result = engine->run(request);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->passed()) << rung;
    EXPECT_EQ(result->traffic.counters.global_load_sectors, 313952U) << rung;
  }
}

}  // namespace
}  // namespace tilescope
