#include <bit>
#include <cmath>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

void vector_templates(Random& random, Scenario& s) {
  const int n = random.size(500);
  const auto a = random.integers(u32(3 * n), -99, 99), b = random.integers(u32(3 * n), -99, 99);
  std::vector<int> sum(a.size()), dots(u32(n));
  for (size_t i = 0; i < a.size(); ++i) {
    sum[i] = a[i] + b[i];
    dots[i / 3] += a[i] * b[i];
  }
  const auto in_a = s.input("a", a), in_b = s.input("b", b), out = s.output<int>("sum", a.size());
  const auto out_dots = s.output<int>("dots", u32(n));
  s.launch("vector_templates", {u32(random.between(1, 3))}, {u32(random.block(128))}, 0, in_a, in_b, out, out_dots, n);
  s.expect(out, sum);
  s.expect(out_dots, dots);
}

struct Parameters {
  int n;
  float scale;
  int16_t shift;
  int8_t flags;
  float taps[3];
};

void struct_argument(Random& random, Scenario& s) {
  const int n = random.size(1000), threads = random.block(256);
  const Parameters p{n, 0.5F, int16_t(random.between(-n + 1, n - 1)), int8_t(random.between(0, 1)), {1, 2, 4}};
  const auto in = random.integers(u32(n), -99, 99);
  const std::vector<float> values(in.begin(), in.end());
  std::vector<float> expected;
  for (int i = 0; i < n; ++i) {
    const int wrapped = (i + p.shift + n) % n, clamped = std::clamp(i + p.shift, 0, n - 1);
    expected.push_back(values[u32(p.flags != 0 ? wrapped : clamped)] * 0.5F + p.taps[i % 3]);
  }
  const auto a = s.input("in", values), out = s.output<float>("out", u32(n));
  s.launch("struct_argument", {blocks_for(n, threads)}, {u32(threads)}, 0, p, a, out);
  s.expect(out, expected);
}

void virtual_areas(Random& random, Scenario& s) {
  const int n = random.size(400), threads = random.block(128);
  const auto sizes = random.reals(u32(2 * n), 0, 9);
  std::vector<float> expected;
  for (size_t i = 0; i < u32(n); ++i) expected.push_back(sizes[2 * i] * sizes[2 * i + i % 2]);
  const auto in = s.input("sizes", sizes), out = s.output<float>("out", u32(n));
  s.launch("virtual_areas", {blocks_for(n, threads)}, {u32(threads)}, 0, in, out, n);
  s.expect(out, expected);
}

void function_table(Random& random, Scenario& s) {
  const int n = random.size(400), threads = random.block(128);
  const auto a = random.integers(u32(n), -99, 99), b = random.integers(u32(n), -99, 99);
  std::vector<int> expected;
  for (size_t i = 0; i < u32(n); ++i)
    expected.push_back(i % 3 == 0 ? a[i] + b[i] : i % 3 == 1 ? a[i] * b[i] : std::max(a[i], b[i]));
  const auto in_a = s.input("a", a), in_b = s.input("b", b), out = s.output<int>("out", u32(n));
  s.launch("function_table", {blocks_for(n, threads)}, {u32(threads)}, 0, in_a, in_b, out, n);
  s.expect(out, expected);
}

void recursive_fibonacci(Random& random, Scenario& s) {
  const int n = random.size(100), threads = random.block(64);
  const auto in = random.integers(u32(n), 0, 12);
  std::vector<int> expected, numbers = {0, 1};
  while (numbers.size() < 13) numbers.push_back(numbers[numbers.size() - 1] + numbers[numbers.size() - 2]);
  for (int i : in) expected.push_back(numbers[u32(i)]);
  const auto a = s.input("in", in), out = s.output<int>("out", u32(n));
  s.launch("recursive_fibonacci", {blocks_for(n, threads)}, {u32(threads)}, 0, a, out, n);
  s.expect(out, expected);
}

void recursive_permutations(Random& random, Scenario& s) {
  const int n = random.size(40), length = random.between(1, 5), threads = random.block(64);
  const auto words = random.integers<int8_t>(u32(n * length), 0, 50);
  std::vector<int> expected;
  for (int i = 0; i < n; ++i) {
    // By position, so that equal letters count as often as the kernel counts them.
    std::vector<int> places;
    for (int k = 0; k < length; ++k) places.push_back(k);
    int count = 0;
    do {
      int sum = 0;
      for (int k = 0; k < length; ++k) sum += (k + 1) * words[u32(i * length + places[u32(k)])];
      count += sum % 7 == 0 ? 1 : 0;
    } while (std::next_permutation(places.begin(), places.end()));
    expected.push_back(count);
  }
  const auto in = s.input("words", words), out = s.output<int>("counts", u32(n));
  s.launch("recursive_permutations", {blocks_for(n, threads)}, {u32(threads)}, 0, in, length, n, out);
  s.expect(out, expected);
}

void union_bits(Random& random, Scenario& s) {
  const int n = random.size(500), threads = random.block(128);
  const auto in = random.words<uint32_t>(u32(n));
  std::vector<uint32_t> expected;
  for (uint32_t v : in) {
    v ^= 0x80000000U;
    if ((v >> 23 & 255) > 2) v -= 1U << 23;
    expected.push_back((v & 0xffff0000U) | (v & 255) << 8 | (v >> 8 & 255));
  }
  const auto a = s.input("in", in), out = s.output<uint32_t>("out", u32(n));
  s.launch("union_bits", {blocks_for(n, threads)}, {u32(threads)}, 0, a, out, n);
  s.expect(out, expected);
}

void inline_ptx(Random& random, Scenario& s) {
  const int n = random.size(500), threads = random.block(128);
  const auto in = random.words<uint32_t>(u32(n));
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < in.size(); ++i) {
    const uint32_t v = in[i], lane = uint32_t(i % u32(threads) % 32), half = 0x40000000;
    const uint32_t difference = v > half ? v - half : half - v;
    expected.push_back((v ^ difference ^ lane) + (v >> lane & 127) + lane);
  }
  const auto a = s.input("in", in), out = s.output<uint32_t>("out", u32(n));
  s.launch("inline_ptx", {blocks_for(n, threads)}, {u32(threads)}, 0, a, out, n);
  s.expect(out, expected);
}

/// Kernels without a reference: only the executors are compared.
template <class T>
void compare_words(const std::string& kernel, int results, bool small, Random& random, Scenario& s) {
  const int n = random.size(500), threads = random.block(128);
  std::vector<T> a(u32(n)), b(u32(n));
  const auto fill = [&](std::vector<T>& values) {
    for (T& value : values) {
      if constexpr (std::is_same_v<T, uint32_t>)
        value = uint32_t(random.bits()) >> (small ? random.between(0, 31) : 0);
      else
        value = half_of(random.real(-8, 8));
    }
  };
  fill(a);
  fill(b);
  const auto in_a = s.input("a", a), in_b = s.input("b", b), out = s.output<T>("out", u32(n) * u32(results));
  s.launch(kernel, {blocks_for(n, threads)}, {u32(threads)}, 0, in_a, in_b, out, n);
}

void half_arithmetic(Random& random, Scenario& s) {
  const int n = random.size(300), threads = random.block(128);
  std::vector<Half> a(u32(2 * n)), b(u32(2 * n)), expected(u32(12 * n));
  for (Half& value : a) value = half_of(random.real(-8, 8));
  for (Half& value : b) value = half_of(random.real(-8, 8));
  for (size_t i = 0; i < a.size(); ++i) {
    const float x = float_of(a[i]), y = float_of(b[i]), difference = float_of(half_of(x - y));
    Half* out = &expected[i / 2 * 12 + i % 2];
    out[0] = half_of(x + y);
    out[2] = half_of(std::fma(x, y, difference));
    out[4] = half_of(std::max(x, -y));
    out[6] = half_of(x / y);
    out[8] = half_of(x > y ? 1 : 0);
    out[10] = i % 2 == 0 ? half_of(x * float_of(b[i + 1])) : half_of(std::trunc(float_of(a[i - 1])));
  }
  const auto in_a = s.input("a", a), in_b = s.input("b", b);
  const auto out = s.output<Half>("out", expected.size());
  s.launch("half_arithmetic", {blocks_for(n, threads)}, {u32(threads)}, 0, in_a, in_b, out, n);
  // Products and fused sums of halves are exact in single precision but for the tiniest: there is one rounding, as in
  // the kernel.
  s.expect(out, expected, near(1e-3, 1e-7, "the quotient is a product with a reciprocal"));
}

void bfloat_arithmetic(Random& random, Scenario& s) {
  const int n = random.size(300), threads = random.block(128);
  std::vector<uint16_t> a(u32(n)), b(u32(n));
  std::vector<float> wide;
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = uint16_t(std::bit_cast<uint32_t>(random.real(-8, 8)) >> 16);
    b[i] = uint16_t(std::bit_cast<uint32_t>(random.real(-8, 8)) >> 16);
    wide.push_back(std::bit_cast<float>(uint32_t{a[i]} << 16) * std::bit_cast<float>(uint32_t{b[i]} << 16));
  }
  const auto in_a = s.input("a", a), in_b = s.input("b", b), out = s.output<uint16_t>("out", u32(3 * n));
  const auto out_wide = s.output<float>("wide", u32(n));
  s.launch("bfloat_arithmetic", {blocks_for(n, threads)}, {u32(threads)}, 0, in_a, in_b, out, out_wide, n);
  s.expect(out_wide, wide);
}

void conversions(Random& random, Scenario& s) {
  const int n = random.size(500), threads = random.block(128);
  const auto in = s.input("in", random.reals(u32(n), -30000, 30000));
  const auto din = s.input("din", random.reals<double>(u32(n), -100, 100)), out = s.output<int>("out", u32(12 * n));
  s.launch("conversions", {blocks_for(n, threads)}, {u32(threads)}, 0, in, din, out, n);
}

void pipeline_copies(Random& random, Scenario& s) {
  const int blocks = random.between(1, 4), tiles = random.between(1, 9);
  const auto in = random.integers(u32(blocks * tiles * 128), -99, 99);
  const std::vector<float> values(in.begin(), in.end());
  std::vector<float> expected(u32(blocks * 128));
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < 128; ++t)
      for (int k = 0; k < tiles; ++k)
        expected[u32(b * 128 + t)] += values[u32((b * tiles + k) * 128 + (t * 5 + k) % 128)];
  const auto a = s.input("in", values), out = s.output<float>("out", expected.size());
  s.launch("pipeline_copies", {u32(blocks)}, {128}, 0, a, out, tiles);
  s.expect(out, expected);
}

void three_dimensions(Random& random, Scenario& s) {
  const int nx = random.size(20), ny = random.size(12), nz = random.between(1, 7);
  const Dim3 block{u32(random.between(1, 8)), u32(random.between(1, 8)), u32(random.between(1, 8))};
  const Dim3 grid{blocks_for(nx, block.x), blocks_for(ny, block.y), blocks_for(nz, block.z)};
  std::vector<int> expected;
  for (uint32_t z = 0; z < u32(nz); ++z)
    for (uint32_t y = 0; y < u32(ny); ++y)
      for (uint32_t x = 0; x < u32(nx); ++x)
        expected.push_back(int(x + 10 * y + 100 * z +
                               1000 * ((z / block.z * grid.y + y / block.y) * grid.x + x / block.x) +
                               7 * (z % block.z * block.y + y % block.y)));
  const auto out = s.output<int>("out", expected.size());
  s.launch("three_dimensions", grid, block, 0, out, nx, ny, nz);
  s.expect(out, expected);
}

void lambdas(Random& random, Scenario& s) {
  const int n = random.size(1000), k = random.between(1, 60);
  const auto in = random.integers(u32(n), -99, 99);
  std::vector<int> expected;
  const auto at = [&](int i) { return i < 0 || i >= n ? 0 : std::clamp(in[u32(i)], -k, k); };
  for (int i = 0; i < n; ++i) expected.push_back(2 * at(i) - at(i - 1) - at(i + 1));
  const auto a = s.input("in", in), out = s.output<int>("out", u32(n));
  s.launch("lambdas", {u32(random.between(1, 4))}, {u32(random.block(128))}, 0, a, out, n, k);
  s.expect(out, expected);
}

int odd_loops_of(int count) {
  int sum = 0, k = 0;
  for (int i = 0; i < count; ++i) {
    const int weight[] = {1, 5, 3, 2};  // by the number left, modulo 4
    sum += weight[(count - i) % 4] * k++;
  }
  int j = 0;
  while (true) {
    if ((sum + j) % 13 == 5) break;
    if (j % 3 != 1) sum ^= j << 3;
    if (++j >= count) break;
  }
  for (int i = 0; i < 64; ++i) {
    const int a = i / 8, b = i % 8;
    if (b >= a && (a * b + sum) % 17 == 0) return sum + 1000 * a + b + j;
  }
  return -sum + j;
}

void odd_loops(Random& random, Scenario& s) {
  const int n = random.size(500), threads = random.block(128);
  const auto counts = random.integers<uint8_t>(u32(n), 0, 40);
  std::vector<int> expected;
  for (uint8_t count : counts) expected.push_back(odd_loops_of(count));
  const auto in = s.input("counts", counts), out = s.output<int>("out", u32(n));
  s.launch("odd_loops", {blocks_for(n, threads)}, {u32(threads)}, 0, in, out, n);
  s.expect(out, expected);
}

void carved_shared(Random& random, Scenario& s) {
  const int n = random.size(800), threads = random.block(256);
  const auto in = random.integers(u32(n), -99999, 99999);
  std::vector<double> expected;
  for (int i = 0; i < n; ++i) {
    const int first = i / threads * threads, t = i % threads;
    const auto at = [&](int k) { return first + k < n ? in[u32(first + k)] : 0; };
    expected.push_back(at(threads - 1 - t) * 0.5 + at(t * 7 % threads) + uint16_t(at((t + 1) % threads)));
  }
  const auto a = s.input("in", in), out = s.output<double>("out", u32(n));
  s.launch("carved_shared", {blocks_for(n, threads)}, {u32(threads)}, u32(threads) * 14, a, out, n);
  s.expect(out, expected);
}

void cache_hints(Random& random, Scenario& s) {
  const int outs = random.size(500), threads = random.block(128);
  const auto in = random.integers(u32(4 * outs), -99, 99);
  const std::vector<float> values(in.begin(), in.end());
  const auto doubles = random.reals<double>(u32(2 * outs), -1, 1);
  std::vector<float> expected;
  std::vector<double> swapped;
  for (size_t i = 0; i < u32(outs); ++i) {
    const float* v = &values[4 * i];
    expected.insert(expected.end(), {v[0] + v[2], v[1], v[3], v[1] - v[3]});
    swapped.insert(swapped.end(), {doubles[2 * i + 1], doubles[2 * i]});
  }
  const auto a = s.input("in", values), out = s.output<float>("out", expected.size());
  const auto d = s.input("din", doubles), dout = s.output<double>("dout", doubles.size());
  s.launch("cache_hints", {blocks_for(outs, threads)}, {u32(threads)}, 0, a, out, 2 * outs, d, dout);
  s.expect(out, expected);
  s.expect(dout, swapped);
}

}  // namespace

void add_styles(Corpus& corpus) {
  const std::string file = "styles.cu";
  corpus.push_back({"vector_templates", file, vector_templates});
  corpus.push_back({"struct_argument", file, struct_argument});
  corpus.push_back({"virtual_areas", file, virtual_areas});
  corpus.push_back({"function_table", file, function_table});
  corpus.push_back({"recursive_fibonacci", file, recursive_fibonacci});
  corpus.push_back({"recursive_permutations", file, recursive_permutations});
  corpus.push_back({"union_bits", file, union_bits});
  corpus.push_back({"inline_ptx", file, inline_ptx});
  corpus.push_back({"bit_intrinsics", file, [](Random& random, Scenario& s) {
                      compare_words<uint32_t>("bit_intrinsics", 12, true, random, s);
                    }});
  corpus.push_back({"half_arithmetic", file, half_arithmetic});
  corpus.push_back({"bfloat_arithmetic", file, bfloat_arithmetic});
  corpus.push_back({"conversions", file, conversions});
  corpus.push_back({"pipeline_copies", file, pipeline_copies});
  corpus.push_back({"three_dimensions", file, three_dimensions});
  corpus.push_back({"lambdas", file, lambdas});
  corpus.push_back({"odd_loops", file, odd_loops});
  corpus.push_back({"carved_shared", file, carved_shared});
  corpus.push_back({"cache_hints", file, cache_hints});
}

}  // namespace tilescope::differential
