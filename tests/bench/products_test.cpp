// The references of the matmul labs on a GPU: each computes the right product in every type and layout, at sizes with
// aligned rows and at others. A wrong one is not timed, and the reason is given in place of its points.
#include <gtest/gtest.h>

#include "engine/bench/measure.hpp"

namespace tilescope {
namespace {

class ProductsOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    engine_ = Engine::open({.root = TILESCOPE_SOURCE});
    if (!engine_->gpu()) GTEST_SKIP() << engine_->gpu().error().message;
    if (!engine_->compiler()) GTEST_SKIP() << engine_->compiler().error().message;
  }

  /// Every reference of the lab has a point at every size, or its library is not installed.
  void expect_references(const std::string& lab, const std::string& rung,
                         const std::map<std::string, int64_t>& params) {
    std::string what = lab;
    for (const auto& [name, value] : params) what += fmt::format(" {}={}", name, value);
    SCOPED_TRACE(what);
    BenchRequest request{.lab = lab, .sizes = {72, 100, 257, 512}, .rungs = {rung}, .seconds_per_size = 0.05};
    request.config.params = params;
    const auto report = bench(*engine_, request, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const TimingSeries& series : report->series) {
      const bool library = series.name == "cuBLAS" || series.name == "cuBLASLt";
      const bool absent = series.unavailable.find("cannot be imported") != std::string::npos ||
                          series.unavailable.find("was not found") != std::string::npos;
      if (absent && !library) continue;
      EXPECT_EQ(series.points.size(), request.sizes.size()) << series.name << ": " << series.unavailable;
      for (const auto& [size, reason] : series.gaps) ADD_FAILURE() << series.name << " at " << size << ": " << reason;
      if (series.name != "cuBLASLt") continue;
      for (const TimingPoint& point : series.points)
        EXPECT_NE(point.note.find("algorithm "), std::string::npos) << point.note;
    }
  }
  std::shared_ptr<Engine> engine_;
};

TEST_F(ProductsOnGpu, EveryReferenceMultipliesInEveryTypeAndLayout) {
  for (const int64_t type : {0, 1, 2})
    for (const int64_t layout : {0, 1})
      expect_references("matmul-tensor-core", "double-buffered", {{"DTYPE", type}, {"B_LAYOUT", layout}, {"BK", 32}});
}

TEST_F(ProductsOnGpu, EveryReferenceAddsTheBiasAndActivates) {
  for (const int64_t type : {0, 1})
    for (const int64_t activation : {0, 1})
      expect_references("matmul-epilogue", "fused", {{"DTYPE", type}, {"ACTIVATION", activation}});
}

}  // namespace
}  // namespace tilescope
