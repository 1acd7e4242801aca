// A launch's results do not depend on the number of host threads: buffers, accesses, counters and findings are equal to
// the byte.
#include <bit>
#include <numeric>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

/// Everything that a launch reports, as text and numbers in order.
class Transcript {
 public:
  template <class T>
  void add(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void add(const std::string& value) {
    add(value.size());
    text_ += value;
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  void add(const Site& site) {
    add(site.file);
    add(site.ptx);
    for (const uint64_t number : {uint64_t{site.instruction}, uint64_t{site.line}, uint64_t{site.bytes_per_lane}})
      add(number);
  }
  void add(const Access& access) {
    for (const uint64_t number : {access.base, uint64_t{access.block}, uint64_t{access.mask}, uint64_t{access.pattern},
                                  uint64_t{access.sequence}, uint64_t{access.warp}, uint64_t{access.site}})
      add(number);
  }
  void add(const SiteCount& count) {
    for (const uint64_t number : {uint64_t{count.site}, static_cast<uint64_t>(count.buffer), count.requests,
                                  count.lanes, count.sectors, count.useful_bytes, count.wavefronts})
      add(number);
  }
  void add(const Finding& finding) {
    add(finding.message);
    add(finding.count);
    add(finding.buffer);
    add(finding.offset);
  }
  void add(const LaunchReport& report) {
    add(report.warps);
    add(std::bit_cast<std::array<uint64_t, sizeof(Counters) / 8>>(report.counters));
    add(report.sites);
    add(report.trace.sites);
    add(report.trace.patterns);
    add(report.trace.accesses);
    add(report.trace.complete);
    add(report.trace.blocks_recorded);
    add(report.findings);
    add(report.stopped_by_finding);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Case {
  const char* module;
  const char* kernel;
  Dim3 grid, block;
  void (*arguments)(Machinery& machine);
  size_t access_budget = 1 << 20;
};

void numbers_in_and_out(Machinery& machine) {
  std::vector<float> values(40000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 997);
  machine.input("a", values);
  machine.input("b", values);
  machine.output<float>("out", 40000);
  machine.value(40000);
}
void integers_in_and_out(Machinery& machine) {
  std::vector<int> values(40000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 31 % 97);
  machine.input("in", values);
  machine.output<int>("out", 40000);
}
void shared_counter(Machinery& machine) {
  std::vector<int> values(40000);
  std::iota(values.begin(), values.end(), 0);
  machine.input("in", values);
  machine.input("count", std::vector<int>{0});
  machine.input("sum", std::vector<float>{0});
  machine.value(40000);
}
void grid_rounds(Machinery& machine) {
  machine.input("arrived", std::vector<int>{0});
  machine.input("values", std::vector<int>(300, 1));
  machine.value(2);
}

std::string transcript_of(const Case& each, int threads) {
  Machinery machine(threads);
  each.arguments(machine);
  machine.options.record_accesses = true;
  machine.options.access_budget = each.access_budget;
  const auto report = machine.run(module_of(each.module), each.kernel, each.grid, each.block);
  Transcript transcript;
  transcript.add(report);
  for (size_t i = 0; i < machine.buffers.size(); ++i) transcript.add(machine.download<uint8_t>(i));
  return transcript.text();
}

TEST(HostThreads, DoNotChangeWhatALaunchGives) {
  const Case cases[] = {
      {"vector_add", "add_scalar", {320, 1, 1}, {128, 1, 1}, numbers_in_and_out},
      {"vector_add", "add_uneven", {320, 1, 1}, {128, 1, 1}, numbers_in_and_out},
      {"vector_add", "add_grid_stride", {37, 1, 1}, {96, 1, 1}, numbers_in_and_out, 1000},
      {"machinery", "choose", {600, 1, 1}, {64, 1, 1}, integers_in_and_out},
      {"synchronisation", "shuffle_in_branches", {500, 1, 1}, {80, 1, 1}, integers_in_and_out},
      {"synchronisation", "votes_of_block", {300, 1, 1}, {100, 1, 1}, integers_in_and_out},
      {"synchronisation", "leave_and_shuffle", {300, 1, 1}, {128, 1, 1}, integers_in_and_out},
      {"synchronisation", "mask_without_itself", {300, 1, 1}, {64, 1, 1}, integers_in_and_out},
      {"machinery", "count_odd", {320, 1, 1}, {128, 1, 1}, shared_counter},
      {"waiting", "grid_sleeping", {300, 1, 1}, {64, 1, 1}, grid_rounds},
      {"waiting", "wait_on_plain_flag", {300, 1, 1}, {64, 1, 1}, integers_in_and_out},
  };
  for (const Case& each : cases) {
    const std::string alone = transcript_of(each, 1);
    EXPECT_GT(alone.size(), 1000U) << each.kernel;
    for (const int threads : {2, 5}) EXPECT_TRUE(transcript_of(each, threads) == alone) << each.kernel;
  }
}

}  // namespace
}  // namespace tilescope
