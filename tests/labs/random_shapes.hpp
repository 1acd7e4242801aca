// Shapes for tests that run every rung of a lab over them: 1, primes, powers of two and their neighbours, and random
// numbers. The simulator's are small; a GPU gets larger ones, so that there are several of its larger tiles.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/types.hpp"

namespace tilescope {

constexpr size_t kRandomShapes = 200;

using Values = std::map<std::string, int64_t>;

/// Each shape `times` times in a row: once for each way to run it.
inline std::vector<Values> repeated(const std::vector<Values>& shapes, size_t times) {
  std::vector<Values> result;
  for (const Values& shape : shapes) result.insert(result.end(), times, shape);
  return result;
}

/// Up to `most`, or one of `awkward`.
inline int64_t random_extent(std::mt19937& random, const std::vector<int64_t>& awkward, int64_t most) {
  if (random() % 2 == 0) return std::min<int64_t>(awkward[random() % awkward.size()], most);
  return static_cast<int64_t>(random() % static_cast<uint32_t>(most)) + 1;
}

/// Lengths of a vector; short and long ones equally often.
inline std::vector<Values> random_lengths(int64_t most, uint32_t seed) {
  std::vector<int64_t> sizes{1, 2, 3, 5, 7, 127, 131, 1009, 4099, 8191, 10007};
  for (int64_t power = 8; power <= most; power *= 2)
    for (const int64_t off : {-1, 0, 1}) sizes.push_back(power + off);
  std::erase_if(sizes, [most](int64_t size) { return size > most; });
  std::mt19937 random(seed);
  while (sizes.size() < kRandomShapes) {
    const double place = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    sizes.push_back(static_cast<int64_t>(std::exp(place * std::log(static_cast<double>(most)))));
  }
  sizes.resize(kRandomShapes);
  std::vector<Values> shapes;
  shapes.reserve(sizes.size());
  for (const int64_t size : sizes) shapes.push_back({{"n", size}});
  return shapes;
}

/// Matrices for rungs that handle row by row.
inline std::vector<Values> random_rows(DeviceKind device) {
  const bool gpu = device == DeviceKind::gpu;
  std::mt19937 random(20261121);
  std::vector<int64_t> awkward{1, 2, 3, 7, 31, 32, 33, 61, 64, 127, 128, 129, 257, 511, 512, 521, 1021, 1024};
  if (gpu) awkward.insert(awkward.end(), {1031, 2047, 2048, 2049, 4093, 4096, 4097});
  const int64_t most_elements = gpu ? 150'000 : 1500;
  // Longer than the registers of a CTA hold; on a GPU in each of four combinations of type and tile.
  std::vector<Values> longest{{{"rows", 1}, {"columns", 40009}}};
  if (gpu) {
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{3, 16411}, {2, 65536}, {1, 131071}})
      longest.push_back({{"rows", rows}, {"columns", columns}});
    longest = repeated(longest, 4);
  }
  std::vector<Values> shapes;
  while (shapes.size() < kRandomShapes - longest.size()) {
    const int64_t columns = random_extent(random, awkward, gpu ? 4200 : 1100);
    const int64_t most_rows = std::clamp<int64_t>(most_elements / columns, 2, 1500);
    shapes.push_back({{"rows", random_extent(random, awkward, most_rows)}, {"columns", columns}});
  }
  shapes.insert(shapes.end(), longest.begin(), longest.end());
  return shapes;
}

/// Products in fp32, with few multiply-adds for the simulator.
inline std::vector<Values> random_products(DeviceKind device) {
  const bool gpu = device == DeviceKind::gpu;
  std::mt19937 random(20261122);
  std::vector<int64_t> awkward{1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 31, 32, 33, 61, 63, 64, 65, 96, 127, 128, 129};
  if (gpu) awkward.insert(awkward.end(), {191, 255, 256, 257, 293});
  const int64_t widest = gpu ? 300 : 150, deepest = gpu ? 300 : 100, most = gpu ? 27'000'000 : 300'000;
  std::vector<Values> shapes;
  while (shapes.size() < kRandomShapes) {
    const int64_t m = random_extent(random, awkward, widest), n = random_extent(random, awkward, widest);
    const int64_t k = random_extent(random, awkward, std::clamp<int64_t>(most / (m * n), 4, deepest));
    shapes.push_back({{"M", m}, {"N", n}, {"K", k}});
  }
  return shapes;
}

/// Products on the tensor cores: about half of their extents are multiples of 8, so that rows are aligned to 16 bytes.
inline std::vector<Values> random_tensor_products(DeviceKind device) {
  const bool gpu = device == DeviceKind::gpu;
  std::mt19937 random(20261122);
  std::vector<int64_t> awkward{1, 2, 3, 7, 8, 15, 16, 17, 31, 61, 63, 64, 65, 97, 127, 128, 129};
  if (gpu) awkward.insert(awkward.end(), {191, 192, 193, 255, 256, 257, 293});
  const auto pick = [&](int64_t most) {
    switch (random() % 3) {
      case 0:
        return std::min<int64_t>(awkward[random() % awkward.size()], most);
      case 1:
        return static_cast<int64_t>(random() % static_cast<uint32_t>(most / 8) + 1) * 8;
      default:
        return static_cast<int64_t>(random() % static_cast<uint32_t>(most)) + 1;
    }
  };
  std::vector<std::array<int64_t, 3>> extents{{1, 1, 1},     {1, 257, 131}, {257, 1, 131},
                                              {131, 257, 1}, {65, 72, 40},  {129, 136, 8}};
  while (extents.size() < kRandomShapes) {
    const int64_t m = pick(gpu ? 300 : 140), n = pick(gpu ? 300 : 140), k = pick(gpu ? 300 : 160);
    extents.push_back({m, n, k});
  }
  std::vector<Values> shapes;
  shapes.reserve(extents.size());
  for (const auto& [m, n, k] : extents) shapes.push_back({{"M", m}, {"N", n}, {"K", k}});
  return shapes;
}

/// The same with rows always aligned to 16 bytes: other rows are refused.
inline std::vector<Values> random_aligned_products(DeviceKind device) {
  std::vector<Values> shapes = random_tensor_products(device);
  for (Values& shape : shapes)
    for (const char* name : {"N", "K"}) shape[name] = (shape[name] + 7) / 8 * 8;
  return shapes;
}

/// Short and long queries and keys, possibly one much longer than the other. Up to `most_sharing` heads share keys, and
/// one batch in `pairs` has two sequences.
inline std::vector<Values> random_sequences(DeviceKind device, uint32_t seed, uint32_t most_sharing, uint32_t pairs) {
  const bool gpu = device == DeviceKind::gpu;
  std::mt19937 random(seed);
  std::vector<int64_t> awkward{1, 2, 3, 7, 31, 61, 63, 64, 65, 97, 127, 128, 129, 131};
  if (gpu) awkward.insert(awkward.end(), {191, 192, 193, 255, 256, 257, 293});
  std::vector<Values> shapes;
  while (shapes.size() < kRandomShapes) {
    const int64_t kv_heads = random() % 2 + 1, group = random() % most_sharing + 1;
    const int64_t sequences = random() % pairs == 0 ? 2 : 1;
    const int64_t queries = random_extent(random, awkward, gpu ? 300 : 140);
    const int64_t keys = random_extent(random, awkward, gpu ? 300 : 140);
    shapes.push_back({{"batch", sequences},
                      {"heads", kv_heads * group},
                      {"kv_heads", kv_heads},
                      {"queries", queries},
                      {"keys", keys}});
  }
  return shapes;
}

}  // namespace tilescope
