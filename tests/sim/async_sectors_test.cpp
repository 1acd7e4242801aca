// The sectors of cp.async.cg against the hardware counter l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum for
// copy_async_16_bypass of tools/kernels/access_patterns.cu: docs/counters.md of 2026-11-21, written by
// `tools/calibrate_counters.py record_counters` on one NVIDIA H200.
#include <bit>
#include <map>

#include "run_kernel.hpp"
#include "tests/differential/access_patterns.hpp"

namespace tilescope {
namespace {

/// Like the kernel of access_patterns.cu: each lane reads its offset in `tile`, copies 16 bytes of `data` there if its
/// bit of the mask is set, and then reads that offset again.
CompiledModule copy_to_offsets(const std::string& through) {
  CompiledModule module;
  module.ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 poffsets, .param .u32 pmask, .param .u64 pdata)\n{\n.reg .pred %p;\n"
      ".reg .b32 %thread, %mask, %offset, %to, %again;\n.reg .b64 %offsets, %data, %at, %from;\n"
      ".shared .align 128 .b8 tile[32768];\n"
      "ld.param.u64 %offsets, [poffsets];\nld.param.u32 %mask, [pmask];\nld.param.u64 %data, [pdata];\n"
      "mov.u32 %thread, %tid.x;\nmul.wide.u32 %at, %thread, 4;\nadd.s64 %at, %at, %offsets;\n"
      "mul.wide.u32 %from, %thread, 16;\nadd.s64 %from, %from, %data;\n"
      "ld.global.u32 %offset, [%at];\nmov.u32 %to, tile;\nadd.u32 %to, %to, %offset;\n"
      "shr.u32 %mask, %mask, %thread;\nand.b32 %mask, %mask, 1;\nsetp.ne.u32 %p, %mask, 0;\n"
      "@%p cp.async." +
      through +
      ".shared.global [%to], [%from], 16;\ncp.async.wait_all;\n"
      "@%p ld.global.u32 %again, [%at];\nret;\n}\n";
  return module;
}

uint64_t sectors_of(const std::string& through, const differential::LanePlaces& places) {
  Machinery machine;
  machine.input("offsets", places.offsets);
  machine.value(places.mask);
  machine.input("data", std::vector<uint32_t>(1 << 15));
  const LaunchReport report = machine.run(copy_to_offsets(through), "k", {1, 1, 1}, {32, 1, 1});
  return report.counters.global_load_sectors;
}

std::vector<differential::LanePlaces> recorded_places() { return differential::places_of_lanes(16, 16, 1 << 15, 1); }

TEST(AsyncSectors, PastTheL1AreThoseThatAnH200Counts) {
  const std::map<std::string, uint64_t> recorded = {{"stride 0", 9},
                                                    {"stride 1", 24},
                                                    {"stride 2", 40},
                                                    {"stride 3", 40},
                                                    {"stride 4", 40},
                                                    {"stride 8", 40},
                                                    {"stride 16", 40},
                                                    {"stride 17", 40},
                                                    {"stride 31", 40},
                                                    {"stride 32", 40},
                                                    {"stride 33", 40},
                                                    {"contiguous from 1", 28},
                                                    {"contiguous from 7", 28},
                                                    {"groups of 2 lanes alike", 16},
                                                    {"lanes alike modulo 2", 9},
                                                    {"groups of 4 lanes alike", 12},
                                                    {"lanes alike modulo 4", 10},
                                                    {"groups of 8 lanes alike", 12},
                                                    {"lanes alike modulo 8", 12},
                                                    {"groups of 16 lanes alike", 10},
                                                    {"lanes alike modulo 16", 16},
                                                    {"random 0", 11},
                                                    {"random 1", 15},
                                                    {"random 2", 35},
                                                    {"random 3", 23},
                                                    {"random 4", 40},
                                                    {"random 5", 23}};
  const auto all = recorded_places();
  ASSERT_EQ(all.size(), recorded.size());
  for (const differential::LanePlaces& places : all)
    EXPECT_EQ(sectors_of("cg", places), recorded.at(places.name)) << places.name;
}

TEST(AsyncSectors, ThroughTheL1AreThoseOfALoadWhereverTheyGo) {
  for (const differential::LanePlaces& places : recorded_places()) {
    if (places.mask != 0xffffffff) continue;
    EXPECT_EQ(sectors_of("ca", places), 4U + 16 + 4) << places.name;  // offsets, data, offsets
  }
}

}  // namespace
}  // namespace tilescope
