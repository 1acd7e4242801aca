#include <bit>
#include <numeric>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

void tile_sums(Random& random, Scenario& s) {
  const int n = random.size(2000), threads = 32 * random.between(1, 8);
  const uint32_t blocks = blocks_for(n, threads);
  const auto in = random.integers(u32(n), -99, 99);
  std::vector<int> sums(blocks * u32(threads) / 16);
  for (size_t i = 0; i < in.size(); ++i) sums[i / 16] += in[i];
  const auto a = s.input("in", in), out = s.output<int>("sums", sums.size());
  s.launch("tile_sums", {blocks}, {u32(threads)}, 0, a, out, n);
  s.expect(out, sums);
}

void tile_reduce(Random& random, Scenario& s) {
  const int n = random.size(3000), threads = 32 * random.between(1, 8), blocks = random.between(1, 4);
  const auto in = random.integers(u32(n), 0, 99);
  std::vector<int> warps(u32(blocks * threads / 32));
  for (int i = 0; i < n; ++i) warps[u32(i % (blocks * threads) / 32)] += in[u32(i)];
  const auto a = s.input("in", in), out = s.inout<int>("totals", {0, 0});
  s.launch("tile_reduce", {u32(blocks)}, {u32(threads)}, 0, a, out, n);
  s.expect<int>(out, {std::accumulate(in.begin(), in.end(), 0), *std::max_element(warps.begin(), warps.end())});
}

void filter_aggregated(Random& random, Scenario& s) {
  const int n = random.size(3000), threads = random.block(256);
  const auto in = random.integers(u32(n), 1, 999);
  std::vector<int> kept(u32(n), -1);
  const auto end = std::copy_if(in.begin(), in.end(), kept.begin(), [](int v) { return v % 3 == 0; });
  const std::string why = "groups take their places in any order";
  const auto a = s.input("in", in), out = s.inout("out", std::vector<int>(u32(n), -1), same_elements(why));
  const auto counter = s.inout<int>("counter", {0});
  s.launch("filter_aggregated", {blocks_for(n, threads)}, {u32(threads)}, 0, a, n, out, counter);
  s.expect(out, kept, same_elements(why));
  s.expect<int>(counter, {int(end - kept.begin())});
}

void spin_lock_blocks(Random& random, Scenario& s) {
  const int n = random.size(3000), threads = random.block(128);
  const auto in = random.integers(u32(n), -999, 999);
  const auto a = s.input("in", in), out = s.inout<int64_t>("total", {0});
  s.launch("reset_mutex", {1}, {1}, 0);
  s.launch("spin_lock_blocks", {blocks_for(n, threads)}, {u32(threads)}, 0, a, out, n);
  s.expect<int64_t>(out, {std::accumulate(in.begin(), in.end(), int64_t{0})});
}

void spin_lock_lanes(Random& random, Scenario& s) {
  const int n = random.size(300), locks = random.between(1, 9), threads = random.block(128);
  const auto which = random.integers(u32(n), 0, locks - 1);
  std::vector<int> counters(u32(locks));
  for (int w : which) ++counters[u32(w)];
  const auto held = s.inout("locks", std::vector<int>(u32(locks)));
  const auto out = s.inout("counters", std::vector<int>(u32(locks))), in = s.input("which", which);
  s.launch("spin_lock_lanes", {blocks_for(n, threads)}, {u32(threads)}, 0, held, out, in, n);
  s.expect(out, counters);
}

void producer_consumer(Random& random, Scenario& s) {
  const int pairs = random.between(1, 12), per_block = random.size(300);
  const auto in = random.integers(u32(pairs * per_block), -999, 999);
  std::vector<int> expected;
  for (int p = 0; p < pairs; ++p)
    for (int i = per_block - 1; i >= 0; --i) expected.push_back(in[u32(p * per_block + i)] * 2 + 1);
  const auto a = s.input("in", in), buffer = s.scratch<int>("buffer", in.size());
  const auto flags = s.inout("flags", std::vector<int>(u32(pairs))), out = s.output<int>("out", in.size());
  s.launch("producer_consumer", {u32(2 * pairs)}, {u32(random.block(128))}, 0, a, buffer, flags, out, per_block);
  s.expect(out, expected);
}

void grid_barrier(Random& random, Scenario& s) {
  const int n = random.size(800);
  auto data = random.integers(u32(n), -99, 99);
  const auto first = data;
  data.resize(u32(4 * n), -1);
  const auto in = s.inout("data", data), arrived = s.inout<int>("arrived", {0});
  s.launch("grid_barrier", {u32(random.between(1, 16))}, {u32(random.block(128))}, 0, in, arrived, n);
  for (int round = 1; round <= 3; ++round)
    for (int i = 0; i < n; ++i) data[u32(round * n + i)] = data[u32((round - 1) * n + n - 1 - i)] + round;
  s.expect(in, data);
}

void votes(Random& random, Scenario& s) {
  const int warps = random.between(1, 4), blocks = random.between(1, 3), threads = 32 * warps;
  auto in = random.integers(u32(blocks * threads), random.between(0, 10), random.between(20, 100));
  if (random.once_in(3)) in[0] = 1 << 21;
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < in.size(); ++i) {
    const int* warp = &in[i / 32 * 32];
    uint32_t any = 0, all = 1, ballot = 0, match = 0, agree = 1, exclusive = 0, both = ~0U, either = 0;
    for (size_t lane = 0; lane < 32; ++lane) {
      const auto v = uint32_t(warp[lane]);
      any |= v > 90;
      all &= v > 5;
      ballot |= (v & 1) << lane;
      match |= uint32_t{(v & 7) == uint32_t(in[i] & 7)} << lane;
      agree &= v >> 20 == uint32_t(warp[0]) >> 20;
      exclusive ^= v;
      both &= v | 1;
      either |= v;
    }
    const int* block = &in[i / u32(threads) * u32(threads)];
    const auto count = [&](auto test) { return uint32_t(std::count_if(block, block + threads, test)); };
    const uint32_t across = (count([](int v) { return v == 77; }) > 0 ? 1 : 0) +
                            (count([](int v) { return v < 1000; }) == u32(threads) ? 2 : 0) +
                            4 * count([](int v) { return v > 50; });
    uint32_t r = any | all << 1 | (agree != 0 ? 4U : 0U);
    r += ballot * 5 + match * 3 + (agree != 0 ? ~0U : 0U);
    r ^= exclusive + both + either;
    expected.push_back(r * 16 + across);
  }
  const auto a = s.input("in", in), out = s.output<uint32_t>("out", in.size());
  s.launch("votes", {u32(blocks)}, {u32(threads)}, 0, a, out);
  s.expect(out, expected);
}

void shuffles(Random& random, Scenario& s) {
  const int blocks = random.between(1, 3), threads = 32 * random.between(1, 4);
  const auto in = random.integers(u32(blocks * threads), -1000, 1000);
  std::vector<int> expected;
  for (size_t i = 0; i < in.size(); ++i) {
    const int* warp = &in[i / 32 * 32];
    const auto lane = int(i % 32), v = in[i];
    const int up = lane % 8 >= 3 ? warp[lane - 3] : v, down = lane % 16 + 5 < 16 ? warp[lane + 5] : v;
    expected.push_back(up + 3 * down + 5 * warp[lane ^ 6] + 7 * warp[v & 31] + 11 * warp[lane / 4 * 4 + 2] +
                       13 * warp[lane ^ 1] + 17 * warp[std::min(lane + 1, 31)]);
  }
  const auto a = s.input("in", in), out = s.output<int>("out", in.size());
  s.launch("shuffles", {u32(blocks)}, {u32(threads)}, 0, a, out);
  s.expect(out, expected);
}

void half_warps(Random& random, Scenario& s) {
  const int blocks = random.between(1, 4);
  const auto in = random.integers(u32(128 * blocks), -1000, 1000);
  std::vector<int> expected;
  for (size_t i = 0; i < in.size(); ++i) {
    const auto part = in.begin() + std::ptrdiff_t(i / 16 * 16);
    expected.push_back(i % 32 < 16 ? std::accumulate(part, part + 16, 0) : *std::max_element(part, part + 16));
  }
  const auto a = s.input("in", in), out = s.output<int>("out", in.size());
  s.launch("half_warps", {u32(blocks)}, {128}, 0, a, out);
  s.expect(out, expected);
}

void named_barriers(Random& random, Scenario& s) {
  const int rounds = random.between(1, 8), others = random.between(0, 3);
  const auto in = random.integers(u32(32 * rounds), -99, 99);
  std::vector<int> expected(u32(32 * (others + 1)));
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t r = 0; r < u32(rounds); ++r) expected[lane] += in[r * 32 + 31 - lane] * int(r + 1);
    for (size_t w = 1; w <= u32(others); ++w) expected[32 * w + lane] = int(w + 1);
  }
  const auto a = s.input("in", in), out = s.output<int>("out", expected.size());
  s.launch("named_barriers", {1}, {u32(64 + 32 * others)}, 0, a, out, rounds);
  s.expect(out, expected);
}

void all_atomics(Random& random, Scenario& s) {
  const int n = random.size(2000), threads = random.block(256);
  const auto in = random.integers(u32(n), 0, 1 << 20);
  std::vector<int> words = {0, 0, INT32_MAX, INT32_MIN, -1, 0, 0, n % 13, (10 - n % 10) % 10};
  std::vector<uint64_t> longs = {0, ~uint64_t{0}, 0, 0};
  double floats = 0, doubles = 0, most = -1;
  for (int v : in) {
    words[0] += v;
    words[1] -= v;
    words[2] = std::min(words[2], v);
    words[3] = std::max(words[3], v);
    words[4] &= v | 0xff00;
    words[5] |= v;
    words[6] ^= v;
    longs[0] += uint64_t(v) * 1000003;
    longs[1] = std::min(longs[1], uint64_t(v));
    longs[2] = std::max(longs[2], uint64_t(v) << 33);
    longs[3] ^= uint64_t{1} << (v & 63);
    floats += v & 255;
    doubles += v * 0.25;
    most = std::max(most, v * 0.5);
  }
  const auto a = s.input("in", in);
  const auto out_words = s.inout<int>("words", {0, 0, INT32_MAX, INT32_MIN, -1, 0, 0, 0, 0});
  const auto out_longs = s.inout<uint64_t>("longs", {0, ~uint64_t{0}, 0, 0});
  const auto out_floats = s.inout<float>("floats", {0, -1}), out_doubles = s.inout<double>("doubles", {0});
  s.launch("all_atomics", {blocks_for(n, threads)}, {u32(threads)}, 0, a, n, out_words, out_longs, out_floats,
           out_doubles);
  s.expect(out_words, words);
  s.expect(out_longs, longs);
  s.expect<float>(out_floats, {float(floats), float(most)});
  s.expect<double>(out_doubles, {doubles});
}

}  // namespace

void add_cooperation(Corpus& corpus) {
  const std::string file = "cooperation.cu";
  corpus.push_back({"tile_sums", file, tile_sums});
  corpus.push_back({"tile_reduce", file, tile_reduce});
  corpus.push_back({"filter_aggregated", file, filter_aggregated});
  corpus.push_back({"spin_lock_blocks", file, spin_lock_blocks});
  corpus.push_back({"spin_lock_lanes", file, spin_lock_lanes});
  corpus.push_back({"producer_consumer", file, producer_consumer});
  corpus.push_back({"grid_barrier", file, grid_barrier});
  corpus.push_back({"votes", file, votes});
  corpus.push_back({"shuffles", file, shuffles});
  corpus.push_back({"half_warps", file, half_warps});
  corpus.push_back({"named_barriers", file, named_barriers});
  corpus.push_back({"all_atomics", file, all_atomics});
}

}  // namespace tilescope::differential
