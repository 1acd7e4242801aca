#include <cmath>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

int clamped(int value, int count) { return std::clamp(value, 0, count - 1); }

/// A two-dimensional grid of blocks over w x h, with blocks of odd shapes.
struct Tiling {
  Dim3 grid, block;
  Tiling(Random& random, int w, int h) {
    block = {u32(random.between(1, 32)), u32(random.between(1, 16)), 1};
    if (random.once_in(2)) block = {32, 8, 1};
    grid = {blocks_for(w, block.x), blocks_for(h, block.y), 1};
  }
};

void convolve_rows(Random& random, Scenario& s) {
  const int w = random.size(400), h = random.between(1, 9), threads = random.block(256);
  const auto in = random.reals(u32(w * h), -1, 1);
  const double taps[7] = {0.03125, 0.109375, 0.21875, 0.28125, 0.21875, 0.109375, 0.03125};
  std::vector<float> expected;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      double sum = 0;
      for (int k = -3; k <= 3; ++k)
        if (x + k >= 0 && x + k < w) sum += taps[k + 3] * double(in[u32(y * w + x + k)]);
      expected.push_back(float(sum));
    }
  const auto a = s.input("in", in), out = s.output<float>("out", in.size());
  s.launch("convolve_rows", {blocks_for(w, threads), u32(h)}, {u32(threads)}, u32(threads + 6) * 4, a, out, w, h);
  s.expect(out, expected, near(0, 1e-6, "single precision against double"));
}

void stencil_1d(Random& random, Scenario& s) {
  const int n = random.size(3000), threads = random.between(8, 256), radius = random.between(1, 8);
  const auto in = random.integers(u32(n), -1000, 1000);
  std::vector<int> expected(u32(n));
  for (int i = 0; i < n; ++i)
    for (int k = -radius; k <= radius; ++k) expected[u32(i)] += in[u32(clamped(i + k, n))];
  const auto a = s.input("in", in), out = s.output<int>("out", u32(n));
  s.launch("stencil_1d", {blocks_for(n, threads)}, {u32(threads)}, u32(threads + 2 * radius) * 4, a, out, n, radius);
  s.expect(out, expected);
}

void heat_3d(Random& random, Scenario& s) {
  const int nx = random.size(40), ny = random.size(20), nz = random.between(1, 9);
  const auto u = random.reals(u32(nx * ny * nz), 0, 1);
  const auto at = [&](int x, int y, int z) {
    const bool inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
    return inside ? double(u[u32((z * ny + y) * nx + x)]) : 0.0;
  };
  std::vector<float> expected;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        const double sum =
            at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1);
        expected.push_back(float(at(x, y, z) + 0.1 * (sum - 6 * at(x, y, z))));
      }
  const auto in = s.input("u", u), out = s.output<float>("v", u.size());
  const Tiling tiling(random, nx, ny);
  s.launch("heat_3d", tiling.grid, tiling.block, 0, in, out, nx, ny, nz, 0.1F);
  s.expect(out, expected, near(0, 2e-6, "single precision against double"));
}

void jacobi_2d(Random& random, Scenario& s) {
  const int n = random.size(60), sweeps = random.between(1, 4);
  const size_t cells = u32(n * n);
  auto u = random.reals<double>(cells, -1, 1);
  const auto f = random.reals<double>(cells, -1, 1);
  auto from = s.inout("u", u);
  const auto in_f = s.input("f", f);
  auto to = s.output<double>("next", cells);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    s.launch("jacobi_2d", {blocks_for(n, 16), blocks_for(n, 8)}, {16, 8}, 0, from, in_f, to, n, 0.01);
    std::swap(from, to);
    const auto at = [&](int r, int c) { return r >= 0 && r < n && c >= 0 && c < n ? u[u32(r * n + c)] : 0.0; };
    std::vector<double> next(cells);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c)
        next[u32(r * n + c)] =
            0.25 * (at(r - 1, c) + at(r + 1, c) + at(r, c - 1) + at(r, c + 1) + 0.01 * f[u32(r * n + c)]);
    u = next;
  }
  s.expect(from, u, near(0, 1e-14, "fused and unfused"));
}

void game_of_life(Random& random, Scenario& s) {
  const int w = random.size(90), h = random.size(50), generations = random.between(1, 4);
  auto cells = random.integers<uint8_t>(u32(w * h), 0, 1);
  auto from = s.inout("cells", cells), to = s.output<uint8_t>("next", cells.size());
  const int threads = random.block(256);
  for (int generation = 0; generation < generations; ++generation) {
    s.launch("game_of_life", {u32(random.between(1, 9))}, {u32(threads)}, 0, from, to, w, h);
    std::swap(from, to);
    std::vector<uint8_t> next;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        int alive = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0) alive += cells[u32((y + dy + h) % h * w + (x + dx + w) % w)];
        next.push_back(alive == 3 || (alive == 2 && cells[u32(y * w + x)] != 0));
      }
    cells = next;
  }
  s.expect(from, cells);
}

void sobel(Random& random, Scenario& s) {
  const int w = random.size(120), h = random.size(60);
  const auto image = random.words<uint8_t>(u32(w * h));
  std::vector<uint8_t> expected(image.size());
  for (int y = 1; y + 1 < h; ++y)
    for (int x = 1; x + 1 < w; ++x) {
      const auto p = [&](int dx, int dy) { return int(image[u32((y + dy) * w + x + dx)]); };
      const int gx = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
      const int gy = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
      expected[u32(y * w + x)] = uint8_t(std::min(255, std::abs(gx) + std::abs(gy)));
    }
  const auto in = s.input("image", image), out = s.output<uint8_t>("edges", image.size());
  const Tiling tiling(random, w, h);
  s.launch("sobel", tiling.grid, tiling.block, 0, in, out, w, h);
  s.expect(out, expected);
}

void median_3x3(Random& random, Scenario& s) {
  const int w = random.size(90), h = random.size(50);
  const auto image = random.words<uint8_t>(u32(w * h));
  std::vector<uint8_t> expected;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      std::vector<uint8_t> window;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) window.push_back(image[u32(clamped(y + dy, h) * w + clamped(x + dx, w))]);
      std::sort(window.begin(), window.end());
      expected.push_back(window[4]);
    }
  const auto in = s.input("in", image), out = s.output<uint8_t>("out", image.size());
  const Tiling tiling(random, w, h);
  s.launch("median_3x3", tiling.grid, tiling.block, 0, in, out, w, h);
  s.expect(out, expected);
}

void bilateral(Random& random, Scenario& s) {
  const int w = random.size(40), h = random.size(30), radius = random.between(1, 3);
  const auto image = random.reals(u32(w * h), 0, 1);
  std::vector<float> expected;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      double sum = 0, weights = 0;
      for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) {
          if (y + dy < 0 || y + dy >= h || x + dx < 0 || x + dx >= w) continue;
          const double value = double(image[u32((y + dy) * w + x + dx)]), d = value - double(image[u32(y * w + x)]);
          const double weight = std::exp(-(dx * dx + dy * dy) * 0.25 - d * d * 2.0);
          sum += weight * value;
          weights += weight;
        }
      expected.push_back(float(sum / weights));
    }
  const auto in = s.input("in", image);
  const auto out = s.output<float>("out", image.size(), near(1e-5, 1e-6, "ex2.approx"));
  const Tiling tiling(random, w, h);
  s.launch("bilateral", tiling.grid, tiling.block, 0, in, out, w, h, radius, 0.25F, 2.0F);
  s.expect(out, expected, near(1e-5, 1e-5, "single precision, ex2.approx"));
}

void rgb_to_luma(Random& random, Scenario& s) {
  const int n = random.size(3000), threads = random.block(512);
  const auto pixels = random.words<uint8_t>(u32(n) * 4);
  std::vector<uint8_t> expected;
  for (size_t i = 0; i < u32(n); ++i)
    expected.push_back(uint8_t((77 * pixels[4 * i] + 150 * pixels[4 * i + 1] + 29 * pixels[4 * i + 2] + 128) / 256));
  const auto in = s.input("pixels", pixels), out = s.output<uint8_t>("luma", u32(n));
  s.launch("rgb_to_luma", {blocks_for(n, threads)}, {u32(threads)}, 0, in, out, n);
  s.expect(out, expected);
}

void histogram_bytes(const std::string& kernel, int bytes_per_item, Random& random, Scenario& s) {
  const int items = random.size(3000), threads = random.block(256);
  auto data = random.words<uint8_t>(u32(items * bytes_per_item));
  if (random.once_in(2))
    for (uint8_t& byte : data) byte &= 3;
  std::vector<uint32_t> expected(256);
  for (uint8_t byte : data) ++expected[byte];
  const auto in = s.input("data", data), bins = s.inout("bins", std::vector<uint32_t>(256));
  const uint32_t shared = bytes_per_item == 4 ? u32((threads + 31) / 32) * 1024 : 0;
  s.launch(kernel, {u32(random.between(1, 6))}, {u32(threads)}, shared, in, items, bins);
  s.expect(bins, expected);
}

void histogram_match(Random& random, Scenario& s) {
  const int n = random.size(3000), count = random.between(1, 40);
  const auto data = random.integers(u32(n), 0, 10000);
  std::vector<int> expected(u32(count));
  for (int value : data) ++expected[u32(value % count)];
  const auto in = s.input("data", data), bins = s.inout("bins", std::vector<int>(u32(count)));
  s.launch("histogram_match", {u32(random.between(1, 5))}, {u32(32 * random.between(1, 8))}, 0, in, n, bins, count);
  s.expect(bins, expected);
}

void lattice_boltzmann(Random& random, Scenario& s) {
  const int nx = random.size(40), ny = random.size(30), cells = nx * ny;
  const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const auto f = random.reals(u32(9 * cells), 0.05, 0.2);
  std::vector<float> expected(f.size());
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      double rho = 0, ux = 0, uy = 0;
      for (int k = 0; k < 9; ++k) {
        const double q = double(f[u32(k * cells + y * nx + x)]);
        rho += q;
        ux += q * ex[k];
        uy += q * ey[k];
      }
      ux /= rho;
      uy /= rho;
      for (int k = 0; k < 9; ++k) {
        const double weight = k == 0 ? 4.0 / 9 : k < 5 ? 1.0 / 9 : 1.0 / 36, eu = 3 * (ex[k] * ux + ey[k] * uy);
        const double equilibrium = weight * rho * (1 + eu + 0.5 * eu * eu - 1.5 * (ux * ux + uy * uy));
        const double q = double(f[u32(k * cells + y * nx + x)]);
        const int to = (y + ey[k] + ny) % ny * nx + (x + ex[k] + nx) % nx;
        expected[u32(k * cells + to)] = float(q + 0.6 * (equilibrium - q));
      }
    }
  const auto in = s.input("f", f), out = s.output<float>("g", f.size(), near_if_fused(0, 1e-6));
  const Tiling tiling(random, nx, ny);
  s.launch("lattice_boltzmann", tiling.grid, tiling.block, 0, in, out, nx, ny, 0.6F);
  s.expect(out, expected, near(0, 2e-6, "single precision against double"));
}

void mandelbrot(Random& random, Scenario& s) {
  const int w = random.size(70), h = random.size(40), most = random.between(1, 200);
  const float x0 = -2.0F, y0 = -1.25F, step = 2.5F / float(std::max(w, h));
  std::vector<int> expected;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      // volatile prevents fusion: each product is rounded by itself.
      volatile float product = float(x) * step;
      const float cr = x0 + product;
      product = float(y) * step;
      const float ci = y0 + product;
      float zr = 0, zi = 0;
      int n = 0;
      for (; n < most; ++n) {
        volatile float rr = zr * zr, ii = zi * zi, cross = 2.0F * zr * zi;
        if (rr + ii > 4.0F) break;
        zi = cross + ci;
        zr = rr - ii + cr;
      }
      expected.push_back(n);
    }
  const auto out = s.output<int>("iterations", expected.size());
  const Tiling tiling(random, w, h);
  s.launch("mandelbrot", tiling.grid, tiling.block, 0, out, w, h, x0, y0, step, most);
  s.expect(out, expected);
}

void distance_rows(Random& random, Scenario& s) {
  const int w = random.size(150), h = random.size(60), threads = random.block(64);
  std::vector<uint8_t> mask(u32(w * h));
  for (uint8_t& cell : mask) cell = random.once_in(9);
  std::vector<uint16_t> expected;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      int best = 65535;
      for (int other = 0; other < w; ++other)
        if (mask[u32(y * w + other)] != 0) best = std::min(best, std::abs(other - x));
      expected.push_back(uint16_t(best));
    }
  const auto in = s.input("mask", mask), out = s.output<uint16_t>("distance", mask.size());
  s.launch("distance_rows", {blocks_for(h, threads)}, {u32(threads)}, 0, in, out, w, h);
  s.expect(out, expected);
}

}  // namespace

void add_grids(Corpus& corpus) {
  const std::string file = "grids.cu";
  corpus.push_back({"convolve_rows", file, convolve_rows});
  corpus.push_back({"stencil_1d", file, stencil_1d});
  corpus.push_back({"heat_3d", file, heat_3d});
  corpus.push_back({"jacobi_2d", file, jacobi_2d});
  corpus.push_back({"game_of_life", file, game_of_life});
  corpus.push_back({"sobel", file, sobel});
  corpus.push_back({"median_3x3", file, median_3x3});
  corpus.push_back({"bilateral", file, bilateral});
  corpus.push_back({"rgb_to_luma", file, rgb_to_luma});
  corpus.push_back({"histogram_global", file,
                    [](Random& random, Scenario& s) { histogram_bytes("histogram_global", 1, random, s); }});
  corpus.push_back({"histogram_shared", file,
                    [](Random& random, Scenario& s) { histogram_bytes("histogram_shared", 4, random, s); }});
  corpus.push_back({"histogram_match", file, histogram_match});
  corpus.push_back({"lattice_boltzmann", file, lattice_boltzmann});
  corpus.push_back({"mandelbrot", file, mandelbrot});
  corpus.push_back({"distance_rows", file, distance_rows});
}

}  // namespace tilescope::differential
