// The error of the block-order model against a GPU's counters, by tile, and separately for the points held out of the
// fit.
//
//   model_orders h200            the table of docs/block-order.md; h100 likewise
//   model_orders h200 --points   before it, every point: counted, modelled, the sum of its waves' strips, held
//   together, let apart
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>

#include "tools/order_points.hpp"

using namespace tilescope;

namespace {

void print_row(const std::string& name, const std::vector<const OrderPoint*>& points,
               const std::vector<double>& modelled) {
  const OrderErrors errors = errors_of(points, modelled);
  fmt::print("| {} | {} | {} ({:.0f}%) | {:.1f}% | {:.1f}% | {:.0f}% |\n", name, errors.cases, errors.held,
             100.0 * static_cast<double>(errors.held) / static_cast<double>(errors.cases), errors.median,
             errors.ninth_decile, errors.largest);
}

struct Group {
  std::vector<const OrderPoint*> points;
  std::vector<double> modelled, strips;
  void add(const OrderPoint& point, const ModelledPoint& model) {
    points.push_back(&point);
    modelled.push_back(model.device_bytes_read);
    strips.push_back(model.strip_bytes);
  }
};

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

  if (argc > 2 && std::strcmp(argv[2], "--points") == 0) {
    for (size_t i = 0; i < points.size(); ++i)
      fmt::print("{},{},{},{},{},{},{:.0f},{:.0f},{:.0f},{},{}\n", points[i].tile(), points[i].m, points[i].n,
                 points[i].k, points[i].group, points[i].kept_out ? 1 : 0, points[i].counted(),
                 modelled[i].device_bytes_read, modelled[i].strip_bytes, modelled[i].bounds.together,
                 modelled[i].bounds.apart);
    fmt::print("\n");
  }
  std::map<std::string, Group> by_tile;
  Group fitted, kept, fitted_sure, kept_sure, fitted_unsure, kept_unsure;
  for (size_t i = 0; i < points.size(); ++i) {
    const bool kept_out = points[i].kept_out, sure = modelled[i].is_sure();
    (kept_out ? kept : fitted).add(points[i], modelled[i]);
    (kept_out ? (sure ? kept_sure : kept_unsure) : (sure ? fitted_sure : fitted_unsure)).add(points[i], modelled[i]);
    by_tile[points[i].tile() + (points[i].kept_out ? ", kept out" : "")].add(points[i], modelled[i]);
  }
  fmt::print(
      "| launches | number | within 15% | median error | nine of ten | largest |\n|---|---:|---:|---:|---:|---:|\n");
  print_row("fitted", fitted.points, fitted.modelled);
  print_row("**kept out**", kept.points, kept.modelled);
  print_row("fitted, sure", fitted_sure.points, fitted_sure.modelled);
  print_row("**kept out, sure**", kept_sure.points, kept_sure.modelled);
  print_row("fitted, not sure", fitted_unsure.points, fitted_unsure.modelled);
  print_row("**kept out, not sure**", kept_unsure.points, kept_unsure.modelled);
  print_row("kept out, sum of strips alone", kept.points, kept.strips);
  for (const auto& [tile, group] : by_tile) print_row(tile, group.points, group.modelled);
  return 0;
}
