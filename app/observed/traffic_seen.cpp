#include "app/observed/traffic_seen.hpp"

#include <algorithm>
#include <cmath>

#include "app/observed/traffic_choice.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostSeen = 256;

std::optional<size_t> number_of(const Lab& lab, const std::string& rung) {
  for (size_t i = 0; i < lab.rungs.size(); ++i)
    if (lab.rungs[i].name == rung) return i;
  return {};
}

/// Compared per requested byte, so that wider lanes alone make no difference.
bool moves_otherwise(const WarpAccess& a, const WarpAccess& b) {
  return uint64_t{a.cost.sectors} * b.cost.useful_bytes != uint64_t{b.cost.sectors} * a.cost.useful_bytes;
}

}  // namespace

void remember_accesses(ViewState& view, const std::shared_ptr<const RunResult>& result) {
  if (!result || !result->observed || result->request.edited_source || !result->request.broken.empty()) return;
  if (result->request.own_lab) return;  // the kernels of a user's own file need not form a ladder
  const Lab* lab = lab_of(result->request);
  const auto number = lab == nullptr ? std::nullopt : number_of(*lab, result->rung);
  if (!number || result->tiles.grid.count() == 0) return;
  if (view.seen_accesses == nullptr) view.seen_accesses = std::make_shared<std::vector<SeenAccess>>();
  std::vector<SeenAccess>& seen = *view.seen_accesses;
  const std::string& rung = result->rung;  // for a rung that picks, the picked one
  std::erase_if(seen, [&](const SeenAccess& one) { return one.lab == lab->name && one.rung == rung; });
  TraceIndex& index = trace_index(view, result);
  for (const LedgerRow& row : ledger_rows(*result)) {
    if (row.is_shared()) continue;
    const auto access = access_of_row(index, row, usual_block(*result), {});
    if (!access) continue;
    const WarpAccess shown = warp_access(*result, *access);
    if (shown.buffer < 0) continue;
    seen.push_back({.lab = lab->name,
                    .rung = rung,
                    .buffer = result->plan.buffers[static_cast<size_t>(shown.buffer)].name,
                    .title = lab->rungs[*number].title,
                    .number = *number,
                    .sizes = result->request.config.sizes,
                    .writes = shown.writes,
                    .access = shown});
  }
  if (seen.size() > kMostSeen) seen.erase(seen.begin(), seen.end() - static_cast<std::ptrdiff_t>(kMostSeen));
}

const SeenAccess* access_of_neighbour(const ViewState& view, const RunResult& result, const WarpAccess& shown) {
  const Lab* lab = lab_of(result.request);
  const auto here = lab == nullptr ? std::nullopt : number_of(*lab, result.rung);
  if (!here || shown.buffer < 0 || view.seen_accesses == nullptr) return nullptr;
  const std::string& buffer = result.plan.buffers[static_cast<size_t>(shown.buffer)].name;
  const auto distance = [&](const SeenAccess& one) {
    return std::abs(static_cast<int64_t>(one.number) - static_cast<int64_t>(*here));
  };
  const SeenAccess* best = nullptr;
  for (const SeenAccess& one : *view.seen_accesses) {
    const bool same = one.lab == lab->name && one.buffer == buffer && one.writes == shown.writes &&
                      one.number != *here && one.sizes == result.request.config.sizes;
    if (!same || !moves_otherwise(one.access, shown)) continue;
    if (best == nullptr || distance(one) < distance(*best)) best = &one;
  }
  return best;
}

}  // namespace tilescope
