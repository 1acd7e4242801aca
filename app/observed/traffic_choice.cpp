#include "app/observed/traffic_choice.hpp"

#include <algorithm>
#include <tuple>

#include "engine/traffic/access/block_traffic.hpp"

namespace tilescope {
namespace {

bool is_shared_at(const RunResult& result, uint32_t access) { return is_shared(result.trace.accesses[access]); }

bool is_of(const Statement& statement, const LedgerRow& row) {
  return statement.line == row.line && statement.space == row.space && statement.kind == row.kind &&
         statement.file == row.file;
}

/// The access of the warp in the other memory space that is nearest before or after a given one.
std::optional<uint32_t> partner_of(const RunResult& result, uint32_t access) {
  const auto& accesses = result.trace.accesses;
  const Access& one = accesses[access];
  const bool shared = is_shared(one);
  std::optional<uint32_t> best;
  uint32_t best_distance = 0;
  const auto offer = [&](uint32_t other) {
    const Access& two = accesses[other];
    if (two.warp != one.warp || is_shared(two) == shared) return;
    if (!is_shared(two) && region_of(two.base).buffer < 0) return;
    const uint32_t distance = two.sequence > one.sequence ? two.sequence - one.sequence : one.sequence - two.sequence;
    if (best && distance >= best_distance) return;
    best = other;
    best_distance = distance;
  };
  const auto same_block = [&](uint32_t other) {
    return accesses[other].block == one.block &&
           result.trace.sites[accesses[other].site].launch == result.trace.sites[one.site].launch;
  };
  // A store writes what was read before it, and a load's data is stored after it.
  const AccessKind kind = result.trace.sites[one.site].kind;
  const bool backwards = kind == AccessKind::store;
  for (const bool back : {backwards, !backwards}) {
    if (back)
      for (uint32_t other = access; other-- > 0 && same_block(other);) offer(other);
    else
      for (uint32_t other = access + 1; other < accesses.size() && same_block(other); ++other) offer(other);
  }
  return best;
}

ShownAccesses with_partner(const RunResult& result, uint32_t access) {
  const bool shared = is_shared_at(result, access);
  ShownAccesses shown{.global = access, .shared = {}, .shared_chosen = shared};
  const auto partner = partner_of(result, access);
  shown.global = shared ? partner : std::optional(access);
  shown.shared = shared ? std::optional(access) : partner;
  return shown;
}

std::optional<uint32_t> access_of_line(TraceIndex& index, const std::vector<LedgerRow>& rows, uint32_t line,
                                       uint32_t block, const std::optional<AccessPlace>& near) {
  std::vector<const LedgerRow*> there;
  for (const LedgerRow& row : rows)
    if (row.line == line) there.push_back(&row);
  // The most wasteful first; if nothing is wasted, stores before loads, and global before shared memory.
  const auto rank = [](const LedgerRow& row) {
    return std::tuple(is_wasteful(row.movement) ? row.movement.wasted() : 0, !row.is_shared(), row.writes());
  };
  std::stable_sort(there.begin(), there.end(),
                   [&](const LedgerRow* a, const LedgerRow* b) { return rank(*a) > rank(*b); });
  for (const LedgerRow* row : there)
    if (const auto access = access_of_row(index, *row, block, near)) return access;
  return {};
}

}  // namespace

std::optional<uint32_t> access_of_row(TraceIndex& index, const LedgerRow& row, uint32_t block,
                                      const std::optional<AccessPlace>& near) {
  const BlockAccesses& accesses = index.block(block);
  const uint32_t warps = accesses.warps();
  const uint32_t warp = near ? near->warp : warps > 0 ? (warps - 1) / 2 : 0;
  for (size_t i = 0; i < index.statements().size(); ++i) {
    if (!is_of(index.statements()[i], row)) continue;
    const uint32_t step = near ? near->step : accesses.steps(i) / 2;
    if (const auto access = accesses.nearest(i, warp, step)) return access;
  }
  return {};
}

ShownAccesses shown_accesses(TraceIndex& index, const std::vector<LedgerRow>& rows, const Selection& hover,
                             const Selection& selection, uint32_t block) {
  const RunResult& result = index.result();
  const auto valid = [&](const Selection& from) {
    return from.access && *from.access < result.trace.accesses.size() &&
           (is_shared_at(result, *from.access) || region_of(result.trace.accesses[*from.access].base).buffer >= 0);
  };
  const auto chosen_here = [&](const Selection& from) {
    if (!valid(from)) return false;
    const Access& one = result.trace.accesses[*from.access];
    return one.block == block && (!from.line || result.trace.sites[one.site].line == *from.line);
  };
  if (chosen_here(hover)) return with_partner(result, *hover.access);
  const auto near = valid(selection) ? index.place(*selection.access) : std::nullopt;
  // A hovered line takes precedence over the selection, unless the selection lies on it.
  if (hover.line && hover.line != selection.line)
    if (const auto access = access_of_line(index, rows, *hover.line, block, near)) return with_partner(result, *access);
  if (chosen_here(selection)) return with_partner(result, *selection.access);
  if (near) {  // the same instruction in a different block
    const bool line_agrees = !selection.line || index.statements()[near->statement].line == *selection.line;
    if (line_agrees)
      if (const auto access = index.block(block).nearest(near->statement, near->warp, near->step))
        return with_partner(result, *access);
  }
  if (selection.line)
    if (const auto access = access_of_line(index, rows, *selection.line, block, near))
      return with_partner(result, *access);
  if (const auto access = index.shown_access(hover, selection, block)) return with_partner(result, *access);
  // A kernel that uses only shared memory.
  for (const LedgerRow& row : rows)
    if (const auto access = access_of_row(index, row, block, near)) return with_partner(result, *access);
  return {};
}

std::vector<size_t> statements_of(TraceIndex& index, uint32_t block) {
  std::vector<size_t> statements;
  const BlockAccesses& accesses = index.block(block);
  for (size_t i = 0; i < index.statements().size(); ++i) {
    const Statement& one = index.statements()[i];
    const bool shown = one.space == Space::shared ? one.kind != AccessKind::async_copy : one.buffer >= 0;
    if (shown && accesses.steps(i) > 0) statements.push_back(i);
  }
  return statements;
}

}  // namespace tilescope
