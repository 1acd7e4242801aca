// How fast the rungs of the transpose lab are for which parameters, on the GPU of this machine, as JSON:
//
//   transpose_sweep [ROWSxCOLUMNS …] > sweep.json        default: 8192x8192 16384x16384 8200x12000
//
// Every configuration is checked against the lab's reference first. They are timed in one process, interleaved with the
// device copy of as many bytes, the L2 flushed before each execution. Three rounds for each size: the shape of tile and
// access; the order of CTAs and hints to the caches, for the best shapes; and once more, longer, the best of these
// beside every rung at its defaults.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/bench/measure.hpp"
#include "engine/bench/race.hpp"
#include "engine/gpu/buffer_sets.hpp"
#include "engine/gpu/timing.hpp"

namespace {

using namespace tilescope;
using nlohmann::json;

/// A rung with its parameters. `hints` are edits of the kernel: loads, stores or both marked as used once.
struct Variant {
  std::string rung;
  std::map<std::string, int64_t> params;
  std::string hints = "none";
  bool operator==(const Variant&) const = default;
};

struct Timed {
  Variant variant;
  Interval milliseconds;
  double of_copy = 0;
};

struct Size2 {
  int64_t rows, columns;
};

const Lab& lab() { return *find_lab("transpose"); }

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

template <class T>
T need(Result<T> result) {
  if (!result) give_up(result.error().message);
  return std::move(*result);
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) give_up("the kernel no longer has: " + from);
  text.replace(at, from.size(), to);
}

/// The kernel with hints; they exist for packs of four floats.
std::string with_hints(std::string source, const std::string& hints) {
  if (hints == "loads" || hints == "both")
    replace(source, "return *reinterpret_cast<const Pack*>(at);",
            "float4 f = __ldcs(reinterpret_cast<const float4*>(at)); return {{f.x, f.y, f.z, f.w}};");
  if (hints == "stores" || hints == "both")
    replace(source, "*reinterpret_cast<Pack*>(at) = pack;",
            "__stcs(reinterpret_cast<float4*>(at), make_float4(pack.value[0], pack.value[1], pack.value[2], "
            "pack.value[3]));");
  return source;
}

class Sweep {
 public:
  explicit Sweep(Engine& engine) : engine_(engine) {
    Request request = request_for({.rung = lab().rungs.front().name}, {64, 64});
    source_ = need(engine_.plan(request)).source_text;
  }

  json measure(Size2 size);

 private:
  Request request_for(const Variant& variant, Size2 size) const {
    Request request;
    request.lab = lab().name;
    request.rung = variant.rung;
    request.device = DeviceKind::gpu;
    request.observe = false;
    request.config = default_config(lab(), DeviceKind::gpu);
    request.config.sizes = {{"rows", size.rows}, {"columns", size.columns}};
    for (const auto& [name, value] : variant.params) request.config.params[name] = value;
    if (variant.hints != "none") request.edited_source = with_hints(source_, variant.hints);
    return request;
  }

  /// Compiled, and right for whole tiles and for tiles that are cut short.
  const CompiledModule& checked(const Variant& variant) {
    for (const auto& [known, compiled] : compiled_)
      if (known == variant) return compiled;
    for (const Size2 size : {Size2{500, 700}, Size2{512, 768}}) {
      auto run = need(engine_.run(request_for(variant, size)));
      if (!run.passed()) give_up(variant.rung + " computes wrong results");
      if (size.rows == 512) compiled_.emplace_back(variant, std::move(run.compiled));
    }
    return compiled_.back().second;
  }

  std::vector<Timed> race_of(const std::vector<Variant>& variants, Size2 size, double seconds);

  Engine& engine_;
  std::string source_;
  std::vector<std::pair<Variant, CompiledModule>> compiled_;
  std::vector<std::shared_ptr<DeviceBuffer>> buffers_;
};

/// Ascending in time; the copy's is in `of_copy` of each.
std::vector<Timed> Sweep::race_of(const std::vector<Variant>& variants, Size2 size, double seconds) {
  auto timer = need(GpuTimer::open(context_of(*buffers_.front())));
  AddressSet addresses;
  for (const auto& buffer : buffers_) addresses.push_back(buffer->address());
  const size_t bytes = buffers_.front()->bytes();
  const auto copies = need(CopySets::make(buffers_, bytes, 1));
  std::vector<TimedWork> works;
  for (const Variant& variant : variants) {
    const Request request = request_for(variant, size);
    const auto launches = find_rung(lab(), variant.rung)->launches(request.config);
    works.push_back(need(timer->launches(checked(variant), launches, std::span(&addresses, 1))));
  }
  works.push_back(GpuTimer::copies(copies.addresses(), bytes));
  std::vector<Contestant> contestants;
  for (size_t i = 0; i < works.size(); ++i) {
    Contestant contestant;
    contestant.series = i;
    contestant.take = [&timer, &work = works[i]](int count) { return timer->cold(work, count); };
    contestant.estimate_ms = bootstrap_median(need(contestant.take(2))).median;
    contestants.push_back(std::move(contestant));
  }
  const ClockReading clock = [this] { return (*engine_.gpu())->device().sm_clock_mhz; };
  const auto ran = race(
      contestants, {seconds}, [](size_t) { return false; }, clock, [](double) {}, {});
  if (!ran) give_up(ran.error().message);
  const double copy = bootstrap_median(contestants.back().samples).median;
  std::vector<Timed> timed;
  for (size_t i = 0; i < variants.size(); ++i) {
    const Interval interval = bootstrap_median(contestants[i].samples);
    timed.push_back({variants[i], interval, copy / interval.median});
  }
  std::sort(timed.begin(), timed.end(),
            [](const Timed& a, const Timed& b) { return a.milliseconds.median < b.milliseconds.median; });
  return timed;
}

std::vector<Variant> shapes() {
  std::vector<Variant> all;
  for (const int64_t tile : {32, 64})
    for (const int64_t rows : {2, 4, 8}) {
      all.push_back({"padded-tile", {{"TILE", tile}, {"ROWS", rows}, {"PAD", 1}}});
      for (const int64_t vector : {1, 2, 4})
        all.push_back({"grouped-tiles", {{"TILE", tile}, {"ROWS", rows}, {"VEC", vector}, {"GROUP", 1}}});
    }
  return all;
}

std::vector<Variant> orders_and_hints(const std::vector<Timed>& shapes, size_t best) {
  std::vector<Variant> all;
  for (const Timed& shape : shapes) {
    if (shape.variant.rung != "grouped-tiles" || best == 0) continue;
    --best;
    for (const int64_t group : {1, 2, 4, 8, 16, 64})
      for (const char* hints : {"none", "loads", "stores", "both"}) {
        Variant variant = shape.variant;
        variant.params["GROUP"] = group;
        variant.hints = hints;
        if (variant.params["VEC"] == 4 || variant.hints == "none") all.push_back(std::move(variant));
      }
  }
  return all;
}

std::vector<Variant> finalists(const std::vector<Timed>& best) {
  std::vector<Variant> all;
  for (const Rung& rung : lab().rungs) all.push_back({rung.name, {}});
  size_t without_hints = 5;
  for (size_t i = 0; i < best.size(); ++i) {
    const bool plain = best[i].variant.hints == "none";
    if (i < 3 || (plain && without_hints > 0)) all.push_back(best[i].variant);
    if (plain && without_hints > 0) --without_hints;
  }
  return all;
}

json to_json(const std::vector<Timed>& timed, Size2 size) {
  json list = json::array();
  const double bytes = 8.0 * static_cast<double>(size.rows * size.columns);
  for (const Timed& one : timed)
    list.push_back({{"rung", one.variant.rung},
                    {"params", one.variant.params},
                    {"hints", one.variant.hints},
                    {"ms", one.milliseconds.median},
                    {"ms_low", one.milliseconds.low},
                    {"ms_high", one.milliseconds.high},
                    {"gigabytes_per_second", bytes / one.milliseconds.median / 1e6},
                    {"of_copy", one.of_copy}});
  return list;
}

json Sweep::measure(Size2 size) {
  buffers_.clear();
  auto run = need(engine_.run(request_for({"grouped-tiles", {}}, size)));
  if (!run.passed()) give_up("grouped-tiles computes wrong results");
  buffers_ = std::move(run.device_buffers);
  const auto first = race_of(shapes(), size, 4);
  const auto second = race_of(orders_and_hints(first, 4), size, 10);
  const auto last = race_of(finalists(second), size, 6);
  return {{"rows", size.rows},
          {"columns", size.columns},
          {"shapes", to_json(first, size)},
          {"orders_and_hints", to_json(second, size)},
          {"finalists", to_json(last, size)}};
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<Size2> sizes;
  for (int i = 1; i < count; ++i) {
    Size2 size{};
    if (std::sscanf(arguments[i], "%ldx%ld", &size.rows, &size.columns) != 2)
      give_up("ROWSxCOLUMNS, such as 8192x8192");
    sizes.push_back(size);
  }
  if (sizes.empty()) sizes = {{8192, 8192}, {16384, 16384}, {8200, 12000}};
  const auto engine = Engine::open({});
  if (!engine->gpu()) give_up(engine->gpu().error().message);
  Sweep sweep(*engine);
  json document{{"gpu", (*engine->gpu())->device().name}, {"sizes", json::array()}};
  for (const Size2 size : sizes) document["sizes"].push_back(sweep.measure(size));
  document["sm_clock_mhz"] = (*engine->gpu())->device().sm_clock_mhz;
  std::printf("%s\n", document.dump(1).c_str());
  return 0;
}
