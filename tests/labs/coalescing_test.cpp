// What the coalescing lab shows: the sectors that a warp touches follow from its 32 addresses alone. They are counted
// here from the addresses, 8 floats per sector.
#include <gtest/gtest.h>

#include <set>

#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

constexpr int64_t kPoints = 1024;  // whole warps in whole CTAs

Counters counters_of(const std::string& rung, const std::map<std::string, int64_t>& params) {
  static const std::shared_ptr<Engine> engine = Engine::open({});
  Request request;
  request.lab = "coalescing";
  request.rung = rung;
  request.config = default_config(*find_lab("coalescing"), DeviceKind::sim);
  request.config.sizes["n"] = kPoints;
  for (const auto& [name, value] : params) request.config.params[name] = value;
  const auto result = engine->run(request);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_TRUE(result->passed() && result->findings.empty()) << rung;
  return result->traffic.counters;
}

/// Sectors of all warps and fields if field f of point p is the float at offset + p · stride + f, with `width` floats
/// per access.
uint64_t sectors_of_structures(int64_t stride, int64_t offset, int64_t width) {
  uint64_t sectors = 0;
  for (int64_t warp = 0; warp < kPoints / 32; ++warp)
    for (int64_t field = 0; field < stride; field += width) {
      std::set<int64_t> touched;
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t k = 0; k < width; ++k) touched.insert((offset + (warp * 32 + lane) * stride + field + k) / 8);
      sectors += touched.size();
    }
  return sectors;
}

TEST(Coalescing, SectorsOfStructuresGrowWithTheStrideUntilEveryLaneHasItsOwn) {
  for (const char* rung : {"field-by-field", "point-by-point"})
    for (const int64_t stride : {1, 2, 3, 4, 7, 8, 9, 16, 32}) {
      const Counters counters = counters_of(rung, {{"STRIDE", stride}});
      EXPECT_EQ(counters.global_load_sectors, sectors_of_structures(stride, 0, 1)) << rung << stride;
      EXPECT_EQ(counters.global_store_sectors, sectors_of_structures(stride, 0, 1)) << rung << stride;
      const auto sectors_per_request = static_cast<uint64_t>(std::min(4 * stride, int64_t{32}));
      EXPECT_EQ(counters.global_load_sectors, sectors_per_request * counters.global_load_requests) << rung << stride;
    }
}

TEST(Coalescing, AnOffsetThatIsNoMultipleOfASectorCutsOneMore) {
  for (const char* rung : {"structure-of-arrays", "blocks-of-32", "staged"})
    for (int64_t offset = 0; offset <= 8; ++offset) {
      const Counters counters = counters_of(rung, {{"STRIDE", 4}, {"OFFSET", offset}});
      EXPECT_EQ(counters.global_load_requests, uint64_t{kPoints * 4 / 32});
      EXPECT_EQ(counters.global_load_sectors, counters.global_load_requests * (offset % 8 == 0 ? 4 : 5)) << offset;
      EXPECT_EQ(counters.global_store_sectors, 4 * counters.global_store_requests);
    }
}

TEST(Coalescing, SectorsOfTheOtherLayoutsDoNotDependOnTheStride) {
  for (const char* rung : {"structure-of-arrays", "blocks-of-32", "staged"})
    for (const int64_t stride : {1, 3, 8, 32}) {
      const Counters counters = counters_of(rung, {{"STRIDE", stride}});
      EXPECT_EQ(counters.global_load_sectors, static_cast<uint64_t>(kPoints * stride / 8)) << rung << stride;
      EXPECT_EQ(counters.global_store_sectors, static_cast<uint64_t>(kPoints * stride / 8)) << rung << stride;
    }
}

TEST(Coalescing, AStructureOfOneVectorIsUsedWholly) {
  for (const int64_t vector : {1, 2, 4})
    for (const int64_t stride : {4, 8, 12}) {
      const Counters counters = counters_of("vector-fields", {{"STRIDE", stride}, {"VEC", vector}});
      EXPECT_EQ(counters.global_load_requests, static_cast<uint64_t>(kPoints / 32 * stride / vector));
      EXPECT_EQ(counters.global_load_sectors, sectors_of_structures(stride, 0, vector)) << stride << " " << vector;
    }
  const Counters whole = counters_of("vector-fields", {{"STRIDE", 4}, {"VEC", 4}});
  EXPECT_EQ(whole.global_load_sectors * 32, whole.global_load_bytes_useful);
}

TEST(Coalescing, VectorsThatWouldNotBeAlignedAreReadAsSingleFloats) {
  EXPECT_EQ(counters_of("vector-fields", {{"STRIDE", 8}, {"OFFSET", 2}, {"VEC", 4}}).global_load_requests,
            uint64_t{kPoints / 32 * 8});
  EXPECT_EQ(counters_of("vector-fields", {{"STRIDE", 8}, {"OFFSET", 2}, {"VEC", 2}}).global_load_requests,
            uint64_t{kPoints / 32 * 4});
}

TEST(Coalescing, WorkOnStagedPointsHasNoConflictAtAnyStride) {
  // Per float: one store and one load on the way in and out, in one pass of 32 words each, or two if a point ends in a
  // skipped word; and one of each by the thread that owns the point, always one pass.
  for (const int64_t stride : {1, 3, 8, 31}) {
    const Counters counters = counters_of("staged", {{"STRIDE", stride}});
    const auto requests = static_cast<uint64_t>(kPoints * stride / 32);
    const uint64_t ways = stride % 2 == 0 ? 2 : 1;
    EXPECT_EQ(counters.shared_load_wavefronts, requests + ways * requests) << stride;
    EXPECT_EQ(counters.shared_store_wavefronts, requests + ways * requests) << stride;
  }
}

}  // namespace
}  // namespace tilescope
