// The error of the block-order model against a GPU's counters, by tile, and separately for the points held out of the
// fit.
//
//   model_orders h200            the tables of docs/block-order.md, one for each state of the clock that was counted
//   model_orders h200 --points   before them, every point
//
// h100 likewise. A point has the count and the model's figure for each state, the sum of its waves' strips, and the
// figures held together and let apart.
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>

#include "tools/order_points.hpp"

using namespace tilescope;

namespace {

void print_row(const std::string& name, const std::vector<OrderCase>& cases, ClockState state, bool of_strips = false) {
  const OrderErrors errors = errors_of(cases, state, of_strips);
  fmt::print("| {} | {} | {} ({:.0f}%) | {} | {} | {:.1f}% | {:.1f}% | {:.0f}% |\n", name, errors.cases, errors.held,
             100.0 * static_cast<double>(errors.held) / static_cast<double>(errors.cases), errors.held_in_some_state,
             of_strips ? "" : std::to_string(errors.ranges_held), errors.median, errors.ninth_decile, errors.largest);
}

void print_points(const std::vector<OrderPoint>& points, const std::vector<ModelledPoint>& modelled) {
  for (size_t i = 0; i < points.size(); ++i) {
    fmt::print("{},{},{},{},{},{}", points[i].tile(), points[i].m, points[i].n, points[i].k, points[i].group,
               points[i].kept_out ? 1 : 0);
    for (const ClockState state : kClockStates)
      if (points[i].is_counted(state))
        fmt::print(",{:.0f},{:.0f}", points[i].counts(state).median(), modelled[i].read(state));
    fmt::print(",{:.0f},{},{}\n", modelled[i].strip_bytes, modelled[i].model.bounds.together,
               modelled[i].model.bounds.apart);
  }
  fmt::print("\n");
}

void print_table(const std::vector<OrderPoint>& points, const std::vector<ModelledPoint>& modelled, ClockState state) {
  using Cases = std::vector<OrderCase>;
  std::map<std::string, Cases> by_tile;
  Cases fitted, kept, fitted_sure, kept_sure, fitted_unsure, kept_unsure;
  for (size_t i = 0; i < points.size(); ++i) {
    const bool kept_out = points[i].kept_out, sure = modelled[i].model.is_sure();
    const OrderCase one{&points[i], &modelled[i]};
    (kept_out ? kept : fitted).push_back(one);
    (kept_out ? (sure ? kept_sure : kept_unsure) : (sure ? fitted_sure : fitted_unsure)).push_back(one);
    by_tile[points[i].tile() + (kept_out ? ", kept out" : "")].push_back(one);
  }
  fmt::print("The clock {}:\n\n", state == ClockState::steady ? "is steady" : "falls during the launch");
  fmt::print(
      "| launches | number | within 15% | or in some state | in its range | median error | nine of ten | largest |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|\n");
  print_row("fitted", fitted, state);
  print_row("**kept out**", kept, state);
  print_row("fitted, sure", fitted_sure, state);
  print_row("kept out, sure", kept_sure, state);
  print_row("fitted, not sure", fitted_unsure, state);
  print_row("kept out, not sure", kept_unsure, state);
  print_row("kept out, sum of strips alone", kept, state, true);
  for (const auto& [tile, cases] : by_tile) print_row(tile, cases, state);
  const auto [held, counts] = counts_held_by_others(points, state);
  fmt::print("\nOne count as the model of the others, kept out: {} of {} ({:.1f}%) within 15% or their range.\n\n",
             held, counts, 100.0 * static_cast<double>(held) / static_cast<double>(counts));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string root = TILESCOPE_SOURCE;
  const auto gpus = read_gpu_specs(root + "/assets/gpus.toml");
  const std::string name = argc > 1 ? argv[1] : "h200";
  const GpuSpec* gpu = gpus ? find_gpu(*gpus, name) : nullptr;
  const std::vector<OrderPoint> points = read_order_points(root + "/assets/counters/block-orders." + name + ".csv");
  if (gpu == nullptr || points.empty()) {
    fmt::print(stderr, "usage: model_orders GPU [--points], with a GPU of assets/counters/block-orders.*.csv\n");
    return 2;
  }
  const std::vector<ModelledPoint> modelled = model_points(points, *gpu);
  if (argc > 2 && std::strcmp(argv[2], "--points") == 0) print_points(points, modelled);
  for (const ClockState state : kClockStates)
    if (points.front().is_counted(state)) print_table(points, modelled, state);
  return 0;
}
