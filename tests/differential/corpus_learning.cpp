#include <cmath>
#include <numeric>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

const char* const kApproximate = "approximate exponentials and reciprocals";
const char* const kSingle = "single precision against double";

void softmax(const std::string& kernel, Random& random, Scenario& s) {
  const int rows = random.between(1, 6), cols = random.size(500);
  const auto in = random.reals(u32(rows * cols), -5, 5);
  std::vector<float> expected;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < cols; ++c) sum += std::exp(double(in[u32(r * cols + c)]));
    for (int c = 0; c < cols; ++c) expected.push_back(float(std::exp(double(in[u32(r * cols + c)])) / sum));
  }
  const auto a = s.input("in", in), out = s.output<float>("out", in.size(), near(1e-5, 0, kApproximate));
  const uint32_t threads = kernel == "online_softmax" ? 32 : u32(32 * random.between(1, 8));
  s.launch(kernel, {u32(rows)}, {threads}, 0, a, out, cols);
  s.expect(out, expected, near(1e-5, 1e-7, kApproximate));
}

void layer_norm(Random& random, Scenario& s) {
  const int rows = random.size(40), cols = random.between(2, 300);
  const auto in = random.reals(u32(rows * cols), -2, 3), weight = random.reals(u32(cols), 0.5, 1.5);
  const auto bias = random.reals(u32(cols), -1, 1);
  std::vector<float> out_values, means;
  for (int r = 0; r < rows; ++r) {
    double mean = 0, squares = 0;
    for (int c = 0; c < cols; ++c) mean += double(in[u32(r * cols + c)]) / cols;
    for (int c = 0; c < cols; ++c) squares += std::pow(double(in[u32(r * cols + c)]) - mean, 2) / cols;
    means.push_back(float(mean));
    for (int c = 0; c < cols; ++c)
      out_values.push_back(
          float((double(in[u32(r * cols + c)]) - mean) / std::sqrt(squares + 1e-5) * double(weight[u32(c)]) +
                double(bias[u32(c)])));
  }
  const auto a = s.input("inp", in), w = s.input("weight", weight), b = s.input("bias", bias);
  const auto out = s.output<float>("out", in.size(), near(1e-5, 1e-5, kApproximate));
  const auto mean = s.output<float>("mean", u32(rows), near(1e-6, 1e-6, kApproximate));
  const auto rstd = s.output<float>("rstd", u32(rows), near(1e-6, 0, kApproximate));
  const int warps = random.between(1, 8);
  s.launch("layer_norm", {blocks_for(rows, warps)}, {u32(32 * warps)}, 0, a, w, b, out, mean, rstd, rows, cols);
  s.expect(out, out_values, near(1e-4, 1e-4, kSingle));
  s.expect(mean, means, near(1e-5, 1e-5, kSingle));
}

void rms_norm_half(Random& random, Scenario& s) {
  const int rows = random.between(1, 5), pairs = random.size(200);
  std::vector<Half> in(u32(rows * pairs * 2)), weight(u32(pairs * 2)), expected;
  for (Half& value : in) value = half_of(random.real(-2, 2));
  for (Half& value : weight) value = half_of(random.real(0.5F, 1.5F));
  for (int r = 0; r < rows; ++r) {
    double squares = 0;
    const auto at = [&](int c) { return double(float_of(in[u32(r * pairs * 2 + c)])); };
    for (int c = 0; c < 2 * pairs; ++c) squares += at(c) * at(c) / (2 * pairs);
    for (int c = 0; c < 2 * pairs; ++c)
      expected.push_back(half_of(float(at(c) * double(float_of(weight[u32(c)])) / std::sqrt(squares + 1e-5))));
  }
  const auto a = s.input("in", in), w = s.input("weight", weight);
  const auto out = s.output<Half>("out", in.size(), near(2e-3, 1e-6, "shared atomics add in any order"));
  s.launch("rms_norm_half", {u32(rows)}, {u32(random.block(128))}, 0, a, w, out, pairs);
  s.expect(out, expected, near(4e-3, 1e-4, "products rounded to half"));
}

void gelu_vector(Random& random, Scenario& s) {
  const int n = random.size(3000);
  const auto x = random.reals(u32(n), -4, 4);
  std::vector<float> expected;
  for (float v : x)
    expected.push_back(
        float(0.5 * double(v) * (1 + std::tanh(0.7978845608028654 * (double(v) + 0.044715 * std::pow(double(v), 3))))));
  const auto a = s.input("x", x), y = s.output<float>("y", u32(n), near(1e-5, 1e-6, kApproximate));
  s.launch("gelu_vector", {u32(random.between(1, 5))}, {u32(random.block(256))}, 0, a, y, n / 4, n / 4 * 4, n);
  s.expect(y, expected, near(1e-5, 1e-5, kApproximate));
}

void embedding(Random& random, Scenario& s) {
  const int tokens = random.size(50), width = random.size(200), vocabulary = random.between(1, 100);
  const auto ids = random.integers(u32(tokens), -1, vocabulary);
  std::vector<Half> table(u32(vocabulary * width)), expected;
  for (Half& value : table) value = half_of(random.real(-1, 1));
  for (int id : ids) {
    const int row = id < 0 || id >= vocabulary ? 0 : id;
    expected.insert(expected.end(), table.begin() + row * width, table.begin() + (row + 1) * width);
  }
  const auto in = s.input("tokens", ids), in_table = s.input("table", table);
  const auto out = s.output<Half>("out", expected.size());
  s.launch("embedding", {u32(tokens)}, {u32(random.block(128))}, 0, in, in_table, out, width, vocabulary);
  s.expect(out, expected);
}

void rotary(Random& random, Scenario& s) {
  const int positions = random.between(1, 9), heads = random.between(1, 6), half = random.size(32);
  auto q = random.reals(u32(positions * heads * 2 * half), -1, 1);
  const auto angles = random.reals(u32(positions * half), -10, 10);
  const auto in_q = s.inout("q", q, near(1e-6, 1e-6, kApproximate));
  const auto in_angles = s.input("angles", angles);
  for (int p = 0; p < positions; ++p)
    for (int h = 0; h < heads; ++h)
      for (int d = 0; d < half; ++d) {
        const double angle = double(angles[u32(p * half + d)]);
        float* base = &q[u32((p * heads + h) * 2 * half)];
        const double a = double(base[d]), b = double(base[d + half]);
        base[d] = float(a * std::cos(angle) - b * std::sin(angle));
        base[d + half] = float(a * std::sin(angle) + b * std::cos(angle));
      }
  s.launch("rotary", {u32(positions)}, {u32(random.block(128))}, 0, in_q, in_angles, heads, half);
  s.expect(in_q, q, near(1e-5, 1e-5, kSingle));
}

std::vector<float> attention(const std::vector<float>& q, const std::vector<float>& k, const std::vector<float>& v,
                             int t, int d, double scale, bool causal) {
  std::vector<float> out;
  for (int i = 0; i < t; ++i) {
    std::vector<double> acc(u32(d));
    double sum = 0;
    for (int j = 0; j < (causal ? i + 1 : t); ++j) {
      double dot = 0;
      for (int x = 0; x < d; ++x) dot += double(q[u32(i * d + x)]) * double(k[u32(j * d + x)]);
      const double weight = std::exp(dot * scale);
      sum += weight;
      for (int x = 0; x < d; ++x) acc[u32(x)] += weight * double(v[u32(j * d + x)]);
    }
    for (double value : acc) out.push_back(float(value / sum));
  }
  return out;
}

void attention_case(bool flash, Random& random, Scenario& s) {
  const int t = random.size(70), d = flash ? 16 : random.size(40);
  const bool causal = !flash && random.once_in(2);
  const auto q = random.reals(u32(t * d), -1, 1), k = random.reals(u32(t * d), -1, 1),
             v = random.reals(u32(t * d), -1, 1);
  const auto in_q = s.input("Q", q), in_k = s.input("K", k), in_v = s.input("V", v);
  const auto out = s.output<float>("O", u32(t * d), near(1e-5, 1e-6, kApproximate));
  if (flash)
    s.launch("attention_flash", {blocks_for(t, 32)}, {32}, 0, in_q, in_k, in_v, out, t, 0.25F);
  else
    s.launch("attention_naive", {u32(t)}, {u32(random.block(128))}, u32(t) * 4, in_q, in_k, in_v, out, t, d, 0.25F,
             causal);
  s.expect(out, attention(q, k, v, t, d, 0.25, causal), near(1e-4, 1e-5, kSingle));
}

void top_k(Random& random, Scenario& s) {
  const int rows = random.between(1, 4), cols = random.size(300), k = random.between(1, std::min(cols, 8));
  std::vector<int> values(u32(rows * cols)), indices;
  for (int r = 0; r < rows; ++r)  // distinct in each row
    for (int c = 0; c < cols; ++c) values[u32(r * cols + c)] = c * 7919 % 10007;
  std::vector<float> floats(values.begin(), values.end()), best;
  for (int r = 0; r < rows; ++r) {
    std::vector<int> order(u32(cols));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return floats[u32(r * cols + a)] > floats[u32(r * cols + b)]; });
    for (int i = 0; i < k; ++i) {
      indices.push_back(order[u32(i)]);
      best.push_back(floats[u32(r * cols + order[u32(i)])]);
    }
  }
  const auto in = s.inout("values", floats);
  const auto out_indices = s.output<int>("indices", indices.size()), out_best = s.output<float>("best", best.size());
  s.launch("top_k", {u32(rows)}, {u32(random.power(1, 128))}, 0, in, cols, k, out_indices, out_best);
  s.expect(out_indices, indices);
  s.expect(out_best, best);
}

void sample_weights(Random& random, Scenario& s) {
  const int n = random.size(60), draws = random.size(400), threads = random.block(128);
  auto weights = random.integers<uint32_t>(u32(n), 0, 0xffffffff);
  if (random.once_in(5)) std::fill(weights.begin(), weights.end(), 0U);
  const auto coins = random.words<uint32_t>(u32(draws));
  const uint64_t total = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
  std::vector<int> picks;
  for (uint32_t coin : coins) {
    uint64_t running = 0;
    int pick = total == 0 ? -1 : 0;
    while (total != 0 && (running += weights[u32(pick)]) <= coin % total) ++pick;
    picks.push_back(pick);
  }
  const auto w = s.input("weights", weights), c = s.input("coins", coins), out = s.output<int>("picks", u32(draws));
  s.launch("sample_weights", {blocks_for(draws, threads)}, {u32(threads)}, 0, w, n, c, draws, out);
  s.expect(out, picks);
}

void adam_step(Random& random, Scenario& s) {
  const int n = random.size(2000), threads = random.block(256);
  const auto param = random.reals(u32(n), -1, 1), grad = random.reals(u32(n), -1, 1), m = random.reals(u32(n), -1, 1);
  const auto v = random.reals(u32(n), 0, 1);
  std::vector<float> expected;
  for (size_t i = 0; i < u32(n); ++i) {
    const double mi = 0.9 * double(m[i]) + 0.1 * double(grad[i]);
    const double vi = 0.999 * double(v[i]) + 0.001 * std::pow(double(grad[i]), 2);
    expected.push_back(
        float(double(param[i]) - 0.01 * (mi / 0.19 / (std::sqrt(vi / 0.002) + 1e-8) + 0.1 * double(param[i]))));
  }
  const auto p = s.inout("param", param, near_if_fused(1e-6, 1e-7)), g = s.input("grad", grad), in_m = s.inout("m", m),
             in_v = s.inout("v", v);
  s.launch("adam_step", {blocks_for(n, threads)}, {u32(threads)}, 0, p, g, in_m, in_v, n, 0.01F, 0.9F, 0.999F, 0.19F,
           0.002F, 1e-8F, 0.1F);
  s.expect(p, expected, near(1e-5, 1e-5, kSingle));
}

void max_pool(Random& random, Scenario& s) {
  const int channels = random.between(1, 4), size = random.between(1, 4), stride = random.between(1, 3);
  const int h = size + random.between(0, 20), w = size + random.between(0, 30);
  const int oh = (h - size) / stride + 1, ow = (w - size) / stride + 1;
  const auto in = random.reals(u32(channels * h * w), -1, 1);
  std::vector<float> out_values;
  std::vector<int> places;
  for (int c = 0; c < channels; ++c)
    for (int y = 0; y < oh; ++y)
      for (int x = 0; x < ow; ++x) {
        int best = y * stride * w + x * stride;
        for (int i = 0; i < size * size; ++i) {
          const int at = (y * stride + i / size) * w + x * stride + i % size;
          if (in[u32(c * h * w + at)] > in[u32(c * h * w + best)]) best = at;
        }
        places.push_back(best);
        out_values.push_back(in[u32(c * h * w + best)]);
      }
  const auto a = s.input("in", in), out = s.output<float>("out", places.size());
  const auto argmax = s.output<int>("argmax", places.size());
  const int threads = random.block(256);
  s.launch("max_pool", {blocks_for(channels * oh * ow, threads)}, {u32(threads)}, 0, a, out, argmax, channels, h, w,
           size, stride);
  s.expect(out, out_values);
  s.expect(argmax, places);
}

void quantize_rows(Random& random, Scenario& s) {
  const int rows = random.between(1, 6), cols = random.size(300);
  auto in = random.reals(u32(rows * cols), -3, 3);
  if (random.once_in(3)) std::fill_n(in.begin(), cols, 0.0F);
  std::vector<int8_t> bytes;
  std::vector<float> scales;
  for (int r = 0; r < rows; ++r) {
    float largest = 0;
    for (int c = 0; c < cols; ++c) largest = std::max(largest, std::abs(in[u32(r * cols + c)]));
    const float scale = largest / 127.0F;
    scales.push_back(scale);
    for (int c = 0; c < cols; ++c)
      bytes.push_back(scale == 0 ? int8_t{0} : int8_t(std::nearbyint(in[u32(r * cols + c)] / scale)));
  }
  const auto a = s.input("in", in), out = s.output<int8_t>("out", in.size()),
             out_scales = s.output<float>("scales", u32(rows));
  s.launch("quantize_rows", {u32(rows)}, {u32(random.block(128))}, 0, a, out, out_scales, cols);
  s.expect(out, bytes);
  s.expect(out_scales, scales);
}

}  // namespace

void add_learning(Corpus& corpus) {
  const std::string file = "learning.cu";
  for (const char* kernel : {"softmax_rows", "online_softmax"})
    corpus.push_back({kernel, file, [kernel](Random& random, Scenario& s) { softmax(kernel, random, s); }});
  corpus.push_back({"layer_norm", file, layer_norm});
  corpus.push_back({"rms_norm_half", file, rms_norm_half});
  corpus.push_back({"gelu_vector", file, gelu_vector});
  corpus.push_back({"embedding", file, embedding});
  corpus.push_back({"rotary", file, rotary});
  corpus.push_back({"attention_naive", file, [](Random& random, Scenario& s) { attention_case(false, random, s); }});
  corpus.push_back({"attention_flash", file, [](Random& random, Scenario& s) { attention_case(true, random, s); }});
  corpus.push_back({"top_k", file, top_k});
  corpus.push_back({"sample_weights", file, sample_weights});
  corpus.push_back({"adam_step", file, adam_step});
  corpus.push_back({"max_pool", file, max_pool});
  corpus.push_back({"quantize_rows", file, quantize_rows});
}

}  // namespace tilescope::differential
