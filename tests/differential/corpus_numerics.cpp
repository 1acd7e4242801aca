#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

__extension__ using Wide = __int128;
__extension__ using WideUnsigned = unsigned __int128;

const char* const kSingle = "single precision against double";

void fft_radix2(Random& random, Scenario& s) {
  const int log_n = random.between(1, 8), n = 1 << log_n, rows = random.between(1, 3);
  const auto in = random.reals(u32(rows * n * 2), -1, 1);
  std::vector<float> expected;
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (int i = 0; i < n; ++i) {
        const size_t at = u32(2 * (r * n + i));
        sum += std::complex<double>(double(in[at]), double(in[at + 1])) *
               std::polar(1.0, -2 * std::numbers::pi * i * k / n);
      }
      expected.push_back(float(sum.real()));
      expected.push_back(float(sum.imag()));
    }
  const auto a = s.input("in", in), out = s.output<float>("out", in.size(), near_if_fused(0, 1e-6 * n));
  s.launch("fft_radix2", {u32(rows)}, {u32(n / 2)}, u32(n) * 8, a, out, log_n);
  s.expect(out, expected, near(0, 1e-6 * n + 1e-5, kSingle));
}

void dct_8x8(Random& random, Scenario& s) {
  const int tiles_x = random.between(1, 9), tiles_y = random.between(1, 5), w = 8 * tiles_x;
  const auto image = random.reals(u32(w * 8 * tiles_y), -1, 1);
  std::vector<float> expected(image.size());
  const auto scale = [](int k) { return k == 0 ? std::sqrt(0.125) : 0.5; };
  const auto wave = [](int i, int k) { return std::cos((2 * i + 1) * k * std::numbers::pi / 16); };
  for (int y = 0; y < 8 * tiles_y; ++y)
    for (int x = 0; x < w; ++x) {
      double sum = 0;
      for (int i = 0; i < 64; ++i)
        sum +=
            double(image[u32((y / 8 * 8 + i / 8) * w + x / 8 * 8 + i % 8)]) * wave(i / 8, y % 8) * wave(i % 8, x % 8);
      expected[u32(y * w + x)] = float(sum * scale(x % 8) * scale(y % 8));
    }
  const auto in = s.input("image", image), out = s.output<float>("coefficients", image.size());
  s.launch("dct_8x8", {u32(tiles_x), u32(tiles_y)}, {8, 8}, 0, in, out, w);
  s.expect(out, expected, near(0, 1e-5, kSingle));
}

void haar_lifting(Random& random, Scenario& s) {
  const int n = random.power(2, 1024), rows = random.between(1, 3);
  auto data = random.integers(u32(rows * n), -10000, 10000);
  const auto in = s.inout("data", data);
  s.launch("haar_lifting", {u32(rows)}, {u32(n / 2)}, u32(n) * 4, in, n);
  for (int r = 0; r < rows; ++r)
    for (int length = n; length > 1; length /= 2) {
      const std::vector<int> before(data.begin() + r * n, data.begin() + r * n + length);
      for (int i = 0; i < length / 2; ++i) {
        const int a = before[u32(2 * i)], detail = before[u32(2 * i + 1)] - a;
        data[u32(r * n + i)] = a + int(std::floor(detail / 2.0));
        data[u32(r * n + length / 2 + i)] = detail;
      }
    }
  s.expect(in, data);
}

void n_body(Random& random, Scenario& s) {
  const int n = random.size(150), threads = random.block(128);
  auto bodies = random.reals(u32(n * 4), 0.1, 1);
  std::vector<float> expected;
  for (int i = 0; i < n; ++i) {
    double acceleration[3] = {};
    for (int j = 0; j < n; ++j) {
      double r[3], squares = 1e-3;
      for (int k = 0; k < 3; ++k) {
        r[k] = double(bodies[u32(4 * j + k)]) - double(bodies[u32(4 * i + k)]);
        squares += r[k] * r[k];
      }
      for (int k = 0; k < 3; ++k) acceleration[k] += r[k] * double(bodies[u32(4 * j + 3)]) / std::pow(squares, 1.5);
    }
    for (double a : acceleration) expected.push_back(float(a));
  }
  const auto in = s.input("positions", bodies);
  const auto out = s.output<float>("accelerations", expected.size(), near(1e-4, 1e-2, "rsqrt.approx"));
  s.launch("n_body", {blocks_for(n, threads)}, {u32(threads)}, u32(threads) * 16, in, out, n);
  s.expect(out, expected, near(1e-4, 0.1, "rsqrt.approx, single precision"));
}

struct Sphere {
  float x, y, z, radius;
  int colour;
};

void ray_spheres(Random& random, Scenario& s) {
  const int w = random.size(60), h = random.size(40), count = random.between(1, 12);
  std::vector<Sphere> spheres;
  for (int i = 0; i < count; ++i)
    spheres.push_back({random.real(-2, 2), random.real(-2, 2), random.real(0, 3), random.real(0.2F, 1), i});
  // Pixels at edges and depth ties may differ: the executors are compared, and there is no reference.
  const auto in = s.input("spheres", spheres);
  const auto colour = s.output<int>("colour", u32(w * h)),
             depth = s.output<float>("depth", u32(w * h), near_if_fused(0, 1e-3));  // a root near zero
  s.launch("ray_spheres", {blocks_for(w, 16), blocks_for(h, 16)}, {16, 16}, 0, in, count, colour, depth, w, h);
}

void series_pi(Random& random, Scenario& s) {
  const uint32_t blocks = u32(random.between(1, 4)), threads = u32(random.block(128));
  const int terms = random.between(1, 5000);
  std::vector<double> expected(size_t{blocks} * threads);
  for (size_t i = 0; i < expected.size(); ++i) {
    long double sum = 0;
    for (size_t k = i; k < u32(terms); k += expected.size()) sum += (k % 2 == 0 ? 4.0L : -4.0L) / (2 * double(k) + 1);
    expected[i] = double(sum);
  }
  const auto out = s.output<double>("partial", expected.size());
  s.launch("series_pi", {blocks}, {threads}, 0, out, terms);
  s.expect(out, expected, near(4e-16, 0, "Kahan's sum keeps it to a rounding or two"));
}

void double_functions(Random& random, Scenario& s) {
  const int n = random.size(300), threads = random.block(128);
  const auto x = random.reals<double>(u32(n), -20, 20);
  std::vector<double> expected;
  for (double v : x)
    for (double value :
         {std::sqrt(std::abs(v)), std::exp(v * 0.125), std::log(std::abs(v) + 1e-3), std::sin(v), std::atan2(v, 1.5),
          std::pow(std::abs(v) + 0.5, 1.7), std::floor(v) + std::fmod(v, 0.75), std::erf(v * 0.3) + std::cbrt(v)})
      expected.push_back(value);
  const auto in = s.input("x", x),
             out = s.output<double>("out", expected.size(), near(1e-15, 1e-15, "approximate seeds"));
  s.launch("double_functions", {blocks_for(n, threads)}, {u32(threads)}, 0, in, out, n);
  s.expect(out, expected, near(2e-15, 2e-15, "two libraries"));
}

void float_functions(Random& random, Scenario& s) {
  const int n = random.size(300), threads = random.block(128);
  // Large angles too: their range reduction uses a table in local memory.
  auto x = random.reals(u32(n), -20, 20);
  for (size_t i = 0; i < x.size(); i += 7) x[i] *= 1e3F;
  std::vector<float> expected;
  for (float single : x) {
    const auto v = double(single);
    const double half = double(single * 0.5F);
    for (double value :
         {std::sqrt(std::abs(v)), std::cbrt(v), std::exp2(half), std::log(double(std::abs(single) + 1e-3F)),
          std::sin(v), std::atan(v), std::pow(double(std::abs(single) + 0.5F), double(1.7F)),
          std::nearbyint(v) + std::trunc(v), std::hypot(v, 2.0), std::erf(double(single * 0.3F))})
      expected.push_back(float(value));
  }
  const auto in = s.input("x", x), out = s.output<float>("out", expected.size(), near(1e-6, 1e-7, "approximate steps"));
  s.launch("float_functions", {blocks_for(n, threads)}, {u32(threads)}, 0, in, out, n);
  s.expect(out, expected, near(3e-6, 1e-6, "bounds of the CUDA mathematical functions, and two libraries"));
}

void big_add(Random& random, Scenario& s) {
  const int n = random.size(300), words = random.between(1, 12), threads = random.block(128);
  auto a = random.words<uint32_t>(u32(n * words)), b = random.words<uint32_t>(u32(n * words));
  for (size_t i = 0; i < a.size(); i += 2) a[i] = ~b[i];  // long carries
  std::vector<uint32_t> expected;
  for (int i = 0; i < n; ++i) {
    uint64_t carry = 0;
    for (int w = 0; w < words; ++w) {
      carry += uint64_t{a[u32(i * words + w)]} + b[u32(i * words + w)];
      expected.push_back(uint32_t(carry));
      carry >>= 32;
    }
    expected.push_back(uint32_t(carry));
  }
  const auto in_a = s.input("a", a), in_b = s.input("b", b), out = s.output<uint32_t>("sum", expected.size());
  s.launch("big_add", {blocks_for(n, threads)}, {u32(threads)}, 0, in_a, in_b, out, n, words);
  s.expect(out, expected);
}

void multiply_128(Random& random, Scenario& s) {
  const int n = random.size(300), threads = random.block(128);
  const auto a = random.words<uint64_t>(u32(2 * n)), b = random.words<uint64_t>(u32(2 * n));
  std::vector<uint64_t> expected;
  for (size_t i = 0; i < u32(n); ++i) {
    uint64_t r[4] = {};
    for (size_t j = 0; j < 2; ++j) {
      WideUnsigned carry = 0;
      for (size_t k = 0; k < 2; ++k) {
        carry += WideUnsigned{a[2 * i + k]} * b[2 * i + j] + r[j + k];
        r[j + k] = uint64_t(carry);
        carry >>= 64;
      }
      r[j + 2] = uint64_t(carry);
    }
    expected.insert(expected.end(), r, r + 4);
  }
  const auto in_a = s.input("a", a), in_b = s.input("b", b), out = s.output<uint64_t>("low_high", expected.size());
  s.launch("multiply_128", {blocks_for(n, threads)}, {u32(threads)}, 0, in_a, in_b, out, n);
  s.expect(out, expected);
}

uint64_t reversed(uint64_t value) {
  uint64_t result = 0;
  for (int i = 0; i < 64; ++i) result |= (value >> i & 1) << (63 - i);
  return result;
}

void wide_integers(Random& random, Scenario& s) {
  const int n = random.size(300), threads = random.block(128);
  auto a = random.words<int64_t>(u32(n)), b = random.words<int64_t>(u32(n));
  for (size_t i = 0; i < b.size(); i += 3) b[i] >>= random.between(1, 63);
  std::vector<uint64_t> expected;
  for (size_t i = 0; i < u32(n); ++i) {
    const int64_t x = a[i], y = b[i] == 0 ? 1 : b[i], divisor = y == -1 ? 3 : y;
    const auto u = uint64_t(x), v = uint64_t(y);
    expected.push_back(uint64_t(x / divisor));
    expected.push_back(uint64_t(x % divisor));
    expected.push_back(u / v + u % v);
    expected.push_back(uint64_t(Wide{x} * y >> 64));
    expected.push_back(uint64_t(WideUnsigned{u} * u >> 37));
    expected.push_back(uint64_t(std::popcount(u) + std::countl_zero(u) * 100 + (std::countr_zero(v) + 1) * 10000));
    expected.push_back((u << (v & 63)) ^ uint64_t(x >> (u & 63)));
    expected.push_back(reversed(u) + uint64_t(Wide{x} * y >> 64));
  }
  const auto in_a = s.input("a", a), in_b = s.input("b", b), out = s.output<uint64_t>("out", expected.size());
  s.launch("wide_integers", {blocks_for(n, threads)}, {u32(threads)}, 0, in_a, in_b, out, n);
  s.expect(out, expected);
}

void power_mod(Random& random, Scenario& s) {
  const int n = random.size(40);
  const auto base = random.words<uint64_t>(u32(n)), modulus = random.integers<uint64_t>(u32(n), 1, INT64_MAX - 1);
  const auto exponent = random.integers<uint32_t>(u32(n), 0, 4000);
  std::vector<uint64_t> expected;
  for (size_t i = 0; i < u32(n); ++i) {
    WideUnsigned result = 1 % modulus[i];
    for (uint32_t k = 0; k < exponent[i]; ++k) result = result * (base[i] % modulus[i]) % modulus[i];
    expected.push_back(uint64_t(result));
  }
  const auto b = s.input("base", base), e = s.input("exponent", exponent), m = s.input("modulus", modulus);
  const auto out = s.output<uint64_t>("out", u32(n));
  s.launch("power_mod", {u32(random.between(1, 3))}, {u32(random.block(64))}, 0, b, e, m, out, n);
  s.expect(out, expected);
}

void sieve_segments(Random& random, Scenario& s) {
  const int words = random.size(400), threads = random.block(128), limit = 64 * words;
  std::vector<bool> composite(u32(limit) + 1);
  std::vector<int> primes;
  for (int p = 3; p <= limit; p += 2) {
    if (composite[u32(p)]) continue;
    if (p * p <= limit) primes.push_back(p);
    for (int64_t m = int64_t{p} * p; m <= limit; m += 2 * p) composite[size_t(m)] = true;
  }
  if (primes.empty()) primes.push_back(3);
  std::vector<uint32_t> expected(u32(words));
  for (int i = 0; i < 32 * words; ++i)
    if (!composite[u32(2 * i + 1)]) expected[u32(i / 32)] |= 1U << (i % 32);
  const auto bits = s.output<uint32_t>("bits", u32(words)), in = s.input("primes", primes);
  s.launch("sieve_segments", {blocks_for(words, threads)}, {u32(threads)}, u32(threads) * 4, bits, words, in,
           int(primes.size()));
  s.expect(bits, expected);
}

void number_games(Random& random, Scenario& s) {
  const int n = random.size(400), threads = random.block(128);
  const auto a = random.integers<uint32_t>(u32(n), 0, 100000), b = random.integers<uint32_t>(u32(n), 0, 100000);
  std::vector<uint32_t> divisors;
  std::vector<uint16_t> steps;
  for (size_t i = 0; i < u32(n); ++i) {
    divisors.push_back(std::gcd(a[i], b[i]));
    uint64_t c = a[i] % 10000 + 1;
    uint16_t count = 0;
    for (; c != 1; ++count) c = c % 2 == 0 ? c / 2 : 3 * c + 1;
    steps.push_back(count);
  }
  const auto in_a = s.input("a", a), in_b = s.input("b", b), gcd = s.output<uint32_t>("gcd", u32(n));
  const auto out = s.output<uint16_t>("steps", u32(n));
  s.launch("number_games", {blocks_for(n, threads)}, {u32(threads)}, 0, in_a, in_b, gcd, out, n);
  s.expect(gcd, divisors);
  s.expect(out, steps);
}

void cholesky_small(Random& random, Scenario& s) {
  const int n = random.between(1, 24), count = random.between(1, 5);
  std::vector<float> matrices, expected;
  for (int m = 0; m < count; ++m) {
    // A lower triangle with a dominant diagonal; the matrix is its product with its transpose.
    std::vector<double> l(u32(n * n));
    for (int r = 0; r < n; ++r)
      for (int c = 0; c <= r; ++c) l[u32(r * n + c)] = r == c ? 2 + random.unit() : random.unit() - 0.5;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += l[u32(r * n + k)] * l[u32(c * n + k)];
        matrices.push_back(float(sum));
      }
    expected.insert(expected.end(), l.begin(), l.end());
  }
  const auto in = s.inout("matrices", matrices, near_if_fused(1e-6, 1e-6));
  s.launch("cholesky_small", {u32(count)}, {u32(random.block(64))}, 0, in, n);
  s.expect(in, expected, near(1e-5, 1e-5, kSingle));
}

void tridiagonal(Random& random, Scenario& s) {
  const int n = random.size(60), systems = random.size(100), threads = random.block(64);
  const size_t count = u32(n * systems);
  const auto a = random.reals<double>(count, -1, 1), c = random.reals<double>(count, -1, 1);
  const auto b = random.reals<double>(count, 3, 4), x = random.reals<double>(count, -1, 1);
  std::vector<double> d;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < systems; ++k) {
      const size_t at = u32(i * systems + k);
      double value = b[at] * x[at];
      if (i > 0) value += a[at] * x[at - u32(systems)];
      if (i + 1 < n) value += c[at] * x[at + u32(systems)];
      d.push_back(value);
    }
  const auto in_a = s.input("a", a), in_b = s.input("b", b), in_c = s.input("c", c), in_d = s.input("d", d);
  const auto out = s.output<double>("x", count, near_if_fused(0, 1e-14)), scratch = s.scratch<double>("scratch", count);
  s.launch("tridiagonal", {blocks_for(systems, threads)}, {u32(threads)}, 0, in_a, in_b, in_c, in_d, out, scratch, n,
           systems);
  s.expect(out, x, near(0, 1e-13, "a well-conditioned system"));
}

}  // namespace

void add_numerics(Corpus& corpus) {
  const std::string file = "numerics.cu";
  corpus.push_back({"fft_radix2", file, fft_radix2});
  corpus.push_back({"dct_8x8", file, dct_8x8});
  corpus.push_back({"haar_lifting", file, haar_lifting});
  corpus.push_back({"n_body", file, n_body});
  corpus.push_back({"ray_spheres", file, ray_spheres});
  corpus.push_back({"series_pi", file, series_pi});
  corpus.push_back({"double_functions", file, double_functions});
  corpus.push_back({"float_functions", file, float_functions});
  corpus.push_back({"big_add", file, big_add});
  corpus.push_back({"multiply_128", file, multiply_128});
  corpus.push_back({"wide_integers", file, wide_integers});
  corpus.push_back({"power_mod", file, power_mod});
  corpus.push_back({"sieve_segments", file, sieve_segments});
  corpus.push_back({"number_games", file, number_games});
  corpus.push_back({"cholesky_small", file, cholesky_small});
  corpus.push_back({"tridiagonal", file, tridiagonal});
}

}  // namespace tilescope::differential
