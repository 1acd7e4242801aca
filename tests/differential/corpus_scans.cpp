#include <numeric>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

template <class T>
std::vector<T> exclusive(const std::vector<T>& in) {
  std::vector<T> out(in.size());
  std::exclusive_scan(in.begin(), in.end(), out.begin(), T{0});
  return out;
}
template <class T>
std::vector<T> inclusive(const std::vector<T>& in) {
  std::vector<T> out(in.size());
  std::inclusive_scan(in.begin(), in.end(), out.begin());
  return out;
}

void scan_hillis_steele(Random& random, Scenario& s) {
  const int n = random.size(1024);
  const auto in = random.integers(u32(n), -99, 99);
  const auto a = s.input("in", in), out = s.output<int>("out", u32(n));
  s.launch("scan_hillis_steele", {1}, {u32(n)}, u32(n) * 8, a, out, n);
  s.expect(out, exclusive(in));
}

void scan_blelloch(Random& random, Scenario& s) {
  const int n = random.power(2, 2048);
  const auto in = random.integers(u32(n), -99, 99);
  const auto a = s.input("g_idata", in), out = s.output<int>("g_odata", u32(n));
  s.launch("scan_blelloch", {1}, {u32(n / 2)}, u32(n + n / 32) * 4, a, out, n);
  s.expect(out, exclusive(in));
}

void scan_block(Random& random, Scenario& s) {
  const int n = random.size(6000), threads = 32 * random.between(1, 32);
  const uint32_t blocks = blocks_for(n, threads);
  const auto in = random.integers(u32(n), -99, 99);
  const auto a = s.input("in", in), out = s.output<int>("out", u32(n)), totals = s.output<int>("totals", blocks);
  const auto scanned = s.output<int>("scanned_totals", blocks), rest = s.output<int>("grand_total", 64);
  s.launch("scan_block", {blocks}, {u32(threads)}, 0, a, out, totals, n);
  s.launch("scan_block", {blocks_for(blocks, 1024)}, {1024}, 0, totals, scanned, rest, int(blocks));
  s.launch("add_block_offsets", {blocks}, {u32(threads)}, 0, out, scanned, n);
  s.expect(out, inclusive(in));
}

void scan_look_back(Random& random, Scenario& s) {
  const int n = random.size(4000), threads = 32 * random.between(1, 8);
  const uint32_t blocks = blocks_for(n, threads);
  const auto in = random.integers<uint32_t>(u32(n), 0, 999);
  const auto a = s.input("in", in), out = s.output<uint32_t>("out", u32(n));
  const auto descriptors = s.inout("descriptors", std::vector<uint64_t>(blocks));
  const auto ticket = s.inout<uint32_t>("ticket", {0});
  s.launch("scan_look_back", {blocks}, {u32(threads)}, 0, a, out, n, descriptors, ticket);
  s.expect(out, inclusive(in));
}

void segmented_scan_warp(Random& random, Scenario& s) {
  const int rows = random.between(1, 9), cols = random.size(200);
  const auto values = random.integers(u32(rows * cols), -9, 9);
  std::vector<uint8_t> heads(values.size());
  std::vector<int> sums(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    heads[i] = random.once_in(7);
    const bool first = i % u32(cols) == 0 || heads[i] != 0;
    sums[i] = values[i] + (first ? 0 : sums[i - 1]);
  }
  const auto a = s.input("values", values), b = s.input("heads", heads);
  const auto out = s.output<int>("out", values.size());
  const uint32_t warps = u32(random.between(1, 8));
  s.launch("segmented_scan_warp", {blocks_for(rows, warps)}, {32, warps}, 0, a, b, out, rows, cols);
  s.expect(out, sums);
}

void compact_positive(Random& random, Scenario& s) {
  const int n = random.size(5000), threads = 32 * random.between(1, 16);
  const auto in = random.integers(u32(n), -50, 50);
  std::vector<int> kept(u32(n), -1);
  const auto end = std::copy_if(in.begin(), in.end(), kept.begin(), [](int value) { return value > 0; });
  const std::string why = "warps take their places in any order";
  const auto a = s.input("in", in);
  const auto out = s.inout("out", std::vector<int>(u32(n), -1), same_elements(why));
  const auto count = s.inout<int>("count", {0});
  s.launch("compact_positive", {blocks_for(n, threads)}, {u32(threads)}, 0, a, n, out, count);
  s.expect(out, kept, same_elements(why));
  s.expect<int>(count, {int(end - kept.begin())});
}

void compact_stable(Random& random, Scenario& s) {
  const int n = random.size(2000);
  const auto in = random.reals(u32(n), 0, 1);
  std::vector<float> kept;
  for (float value : in)
    if (value >= 0.625F) kept.push_back(value);
  const auto a = s.input("in", in), out = s.output<float>("out", u32(n)), count = s.output<int>("kept", 1);
  s.launch("compact_stable", {1}, {u32(random.block(256))}, 0, a, n, 0.625F, out, count);
  s.expect(out, kept);
  s.expect<int>(count, {int(kept.size())});
}

}  // namespace

void add_scans(Corpus& corpus) {
  const std::string file = "scans.cu";
  corpus.push_back({"scan_hillis_steele", file, scan_hillis_steele});
  corpus.push_back({"scan_blelloch", file, scan_blelloch});
  corpus.push_back({"scan_block", file, scan_block});
  corpus.push_back({"scan_look_back", file, scan_look_back});
  corpus.push_back({"segmented_scan_warp", file, segmented_scan_warp});
  corpus.push_back({"compact_positive", file, compact_positive});
  corpus.push_back({"compact_stable", file, compact_stable});
}

}  // namespace tilescope::differential
