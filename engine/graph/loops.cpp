#include "engine/graph/loops.hpp"

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <utility>

namespace tilescope {
namespace {

using Element = std::vector<int64_t>;

/// Calls `visit` with every iteration, the innermost loop fastest.
void for_each_iteration(const std::vector<Loop>& loops, const std::function<void(const Iteration&)>& visit) {
  Iteration at{};
  for (size_t loop = 0; loop < loops.size(); ++loop) at[loop] = loops[loop].begin;
  while (true) {
    visit(at);
    size_t loop = loops.size();
    while (loop > 0 && ++at[loop - 1] == loops[loop - 1].end) {
      at[loop - 1] = loops[loop - 1].begin;
      --loop;
    }
    if (loop == 0) return;
  }
}

Element element_of(const ArrayAccess& access, const Iteration& at) {
  Element element;
  element.reserve(access.subscripts.size());
  for (const Subscript& subscript : access.subscripts) {
    int64_t index = subscript.constant;
    for (size_t loop = 0; loop < subscript.factors.size(); ++loop) index += subscript.factors[loop] * at[loop];
    element.push_back(index);
  }
  return element;
}

/// By array and element: the iterations that access it. Each stands once, though a statement may read it twice.
using Users = std::map<std::pair<std::string, Element>, std::vector<Iteration>>;
Users users_of(const LoopNest& nest, bool writes) {
  Users users;
  for_each_iteration(nest.loops, [&](const Iteration& at) {
    for (const ArrayAccess& access : nest.accesses) {
      if (access.writes != writes) continue;
      auto& iterations = users[{access.array, element_of(access, at)}];
      if (iterations.empty() || iterations.back() != at) iterations.push_back(at);
    }
  });
  return users;
}

Iteration difference(const Iteration& from, const Iteration& to) {
  Iteration distance{};
  for (size_t loop = 0; loop < kMostLoops; ++loop) distance[loop] = to[loop] - from[loop];
  return distance;
}

/// A dependence while pairs are added to it.
void add_pair(Dependence& all, const Iteration& p, const Iteration& q, const Element& element) {
  const Iteration distance = difference(p, q);
  if (all.pairs == 0)
    all.distance = distance;
  else if (all.distance && *all.distance != distance)
    all.distance.reset();
  const bool reversed = q < p, apart = q != p;
  if ((reversed && all.reversed == 0) || (apart && all.apart == 0 && all.reversed == 0) || all.pairs == 0) {
    all.first = p;
    all.second = q;
    all.element = element;
  }
  ++all.pairs;
  all.reversed += reversed ? 1 : 0;
  all.apart += apart ? 1 : 0;
}

/// Iterations are numbered from the beginning of each loop, so that nests with equal bounds are compared by position.
std::vector<Dependence> between(const LoopPair& pair) {
  std::map<std::pair<std::string, DependenceKind>, Dependence> found;
  const auto meet = [&](DependenceKind kind, const Users& first, const Users& second) {
    for (const auto& [place, before] : first) {
      const auto after = second.find(place);
      if (after == second.end()) continue;
      Dependence& all = found[{place.first, kind}];
      all.kind = kind;
      all.array = place.first;
      for (const Iteration& p : before)
        for (const Iteration& q : after->second) add_pair(all, p, q, place.second);
    }
  };
  const Users first_reads = users_of(pair.first, false), first_writes = users_of(pair.first, true);
  const Users second_reads = users_of(pair.second, false), second_writes = users_of(pair.second, true);
  meet(DependenceKind::raw, first_writes, second_reads);
  meet(DependenceKind::war, first_reads, second_writes);
  meet(DependenceKind::waw, first_writes, second_writes);
  meet(DependenceKind::rar, first_reads, second_reads);
  std::vector<Dependence> dependences;
  dependences.reserve(found.size());
  for (auto& [key, dependence] : found) dependences.push_back(std::move(dependence));
  return dependences;
}

/// Whether a dependence of the fused nest goes backwards in some loop: the earlier iteration is larger there.
bool goes_backwards(const Iteration& one, const Iteration& other) {
  const Iteration distance = one <= other ? difference(one, other) : difference(other, one);
  return std::ranges::any_of(distance, [](int64_t step) { return step < 0; });
}
bool any_goes_backwards(const Users& one, const Users& other) {
  for (const auto& [place, iterations] : one) {
    const auto found = other.find(place);
    if (found == other.end()) continue;
    for (const Iteration& p : iterations)
      for (const Iteration& q : found->second)
        if (goes_backwards(p, q)) return true;
  }
  return false;
}

bool can_tile(const LoopPair& pair) {
  Users reads = users_of(pair.first, false), writes = users_of(pair.first, true);
  for (const auto& [place, iterations] : users_of(pair.second, false))
    reads[place].insert(reads[place].end(), iterations.begin(), iterations.end());
  for (const auto& [place, iterations] : users_of(pair.second, true))
    writes[place].insert(writes[place].end(), iterations.begin(), iterations.end());
  return !any_goes_backwards(writes, reads) && !any_goes_backwards(writes, writes);
}

/// A memory of some elements; the one that was not used for longest makes room.
class Memory {
 public:
  explicit Memory(size_t capacity) : capacity_(std::max<size_t>(capacity, 1)) {}
  void use(const std::pair<std::string, Element>& place) {
    const auto found = where_.find(place);
    if (found != where_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return;
    }
    ++misses_;
    order_.push_front(place);
    where_[place] = order_.begin();
    if (order_.size() <= capacity_) return;
    where_.erase(order_.back());
    order_.pop_back();
  }
  uint64_t misses() const { return misses_; }

 private:
  size_t capacity_;
  uint64_t misses_ = 0;
  std::list<std::pair<std::string, Element>> order_;  // used last first
  std::map<std::pair<std::string, Element>, std::list<std::pair<std::string, Element>>::iterator> where_;
};

void execute(const LoopNest& nest, const Iteration& at, Memory& memory) {
  for (const ArrayAccess& access : nest.accesses) memory.use({access.array, element_of(access, at)});
}

/// Loops over tiles, and for each the loops within it.
void for_each_tiled(const std::vector<Loop>& loops, const Iteration& tile,
                    const std::function<void(const Iteration&)>& visit) {
  std::vector<Loop> tiles;
  for (size_t loop = 0; loop < loops.size(); ++loop) {
    const int64_t step = tile[loop] > 0 ? std::min(tile[loop], loops[loop].count()) : loops[loop].count();
    tiles.push_back({loops[loop].variable, 0, (loops[loop].count() + step - 1) / step});
  }
  for_each_iteration(tiles, [&](const Iteration& number) {
    std::vector<Loop> inside;
    for (size_t loop = 0; loop < loops.size(); ++loop) {
      const int64_t step = tile[loop] > 0 ? std::min(tile[loop], loops[loop].count()) : loops[loop].count();
      const int64_t begin = loops[loop].begin + number[loop] * step;
      inside.push_back({loops[loop].variable, begin, std::min(begin + step, loops[loop].end)});
    }
    for_each_iteration(inside, visit);
  });
}

}  // namespace

int64_t LoopNest::iterations() const {
  int64_t product = 1;
  for (const Loop& loop : loops) {
    if (loop.count() > kMostIterations) return loop.count();
    product *= loop.count();
  }
  return product;
}

std::string_view name_of(DependenceKind kind) {
  switch (kind) {
    case DependenceKind::raw:
      return "RAW";
    case DependenceKind::war:
      return "WAR";
    case DependenceKind::waw:
      return "WAW";
    case DependenceKind::rar:
      return "RAR";
  }
  return "";
}

bool LoopFusion::legal() const {
  return same_bounds && std::ranges::none_of(dependences, &Dependence::prevents_fusion);
}

bool LoopFusion::one_kernel() const {
  return legal() && std::ranges::all_of(dependences, [](const Dependence& one) {
           return one.kind == DependenceKind::rar || one.apart == 0;
         });
}

LoopFusion analyse(const LoopPair& pair) {
  LoopFusion fusion;
  const auto &one = pair.first.loops, &other = pair.second.loops;
  fusion.same_bounds = std::ranges::equal(one, other, [](const Loop& left, const Loop& right) {
    return left.begin == right.begin && left.end == right.end;
  });
  if (!fusion.same_bounds) return fusion;
  fusion.dependences = between(pair);
  fusion.can_tile = fusion.legal() && can_tile(pair);
  return fusion;
}

LoopMisses count_misses(const LoopPair& pair, size_t capacity, const Iteration& tile) {
  LoopMisses misses;
  misses.accesses = static_cast<uint64_t>(pair.first.iterations()) * pair.first.accesses.size() +
                    static_cast<uint64_t>(pair.second.iterations()) * pair.second.accesses.size();
  Memory separate(capacity), fused(capacity), tiled(capacity);
  for (const LoopNest* nest : {&pair.first, &pair.second})
    for_each_iteration(nest->loops, [&](const Iteration& at) { execute(*nest, at, separate); });
  const auto both = [&pair](Memory& memory) {
    return [&pair, &memory](const Iteration& at) {
      execute(pair.first, at, memory);
      execute(pair.second, at, memory);
    };
  };
  for_each_iteration(pair.first.loops, both(fused));
  for_each_tiled(pair.first.loops, tile, both(tiled));
  misses.separate = separate.misses();
  misses.fused = fused.misses();
  misses.tiled = tiled.misses();
  return misses;
}

}  // namespace tilescope
