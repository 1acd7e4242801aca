#include "engine/layout/layout_check.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/text.hpp"

namespace tilescope {
namespace {

using Kind = ProgramTensor::Kind;
using Outcome = LayoutCheck::Outcome;

constexpr uint32_t kLanes = 32;
/// Fewer than of global memory: each lane has several addresses.
constexpr uint64_t kMostSharedRequests = 512;

/// What an instruction of the trace has of a tensor.
struct Part {
  size_t operation = 0;  // index into the tensors
  uint32_t run = 0;      // which run of registers, from 0
};

/// The registers that a thread loads or stores: those that hold an element for the first time.
std::vector<uint32_t> own_registers(const TensorLayout& layout) {
  std::vector<uint32_t> registers;
  const uint32_t repeated = layout.repeated_registers();
  for (uint32_t reg = 0; reg < layout.registers(); ++reg)
    if ((reg & repeated) == 0) registers.push_back(reg);
  return registers;
}

bool is_site_of(const Site& site, Kind kind) {
  const bool shared = kind == Kind::to_shared || kind == Kind::from_shared;
  if (site.space != (shared ? Space::shared : Space::global)) return false;
  switch (kind) {
    case Kind::load:
    case Kind::from_shared:
      return site.kind == AccessKind::load;
    case Kind::copy:
      return site.kind == AccessKind::async_copy;
    case Kind::store:
    case Kind::to_shared:
      return site.kind == AccessKind::store;
    case Kind::dot:
    case Kind::reduce:
      return false;
  }
  return false;
}

class Checker {
 public:
  Checker(std::span<const ProgramTensor> tensors, size_t index, const AccessTrace& trace, uint32_t launch,
          std::string_view file)
      : tensors_(tensors), tensor_(tensors[index]), trace_(trace), launch_(launch), file_(file_part(file)) {}

  LayoutCheck run() {
    find_sites();
    if (sites_.empty()) return check_;
    return tensor_.touches_global() ? check_global() : check_shared();
  }

  std::vector<TensorAccess> accesses_of(uint32_t block) {
    find_sites();
    std::vector<TensorAccess> found;
    if (sites_.empty() || !tensor_.touches_global() || !assign()) return found;
    std::set<std::pair<uint32_t, uint32_t>> seen;  // warp, run
    const auto registers = own_registers(tensor_.layout);
    for (uint32_t i = first_of_block(block); i < trace_.accesses.size() && trace_.accesses[i].block == block; ++i) {
      const Access& access = trace_.accesses[i];
      const auto part = parts_.find(access.site);
      if (part == parts_.end() || !seen.insert({access.warp, part->second.run}).second) continue;
      found.push_back({access.warp, registers[part->second.run * check_.run], i});
    }
    return found;
  }

 private:
  uint32_t first_of_block(uint32_t block) const {
    const auto found = std::ranges::find_if(trace_.accesses, [&](const Access& access) {
      return access.block == block && trace_.sites[access.site].launch == launch_;
    });
    return static_cast<uint32_t>(found - trace_.accesses.begin());
  }

  void find_sites() {
    for (size_t i = 0; i < trace_.sites.size(); ++i) {
      const Site& site = trace_.sites[i];
      if (site.launch == launch_ && site.line == tensor_.line && file_part(site.file) == file_ &&
          is_site_of(site, tensor_.kind))
        sites_.push_back(static_cast<uint16_t>(i));
    }
    std::ranges::sort(sites_, {}, [&](uint16_t site) { return trace_.sites[site].instruction; });
  }

  /// Gives each instruction of the line its operation and its run of registers. False: they cannot be told apart.
  bool assign() {
    std::vector<size_t> operations;
    bool alike = true;
    for (size_t i = 0; i < tensors_.size(); ++i)
      if (tensors_[i].kind == tensor_.kind && tensors_[i].line == tensor_.line) {
        operations.push_back(i);
        alike = alike && is_same_tensor(tensors_[i], tensor_);
      }
    size_t next = 0;
    for (size_t at = 0; next < sites_.size(); ++at) {
      // Where the compiler has repeated the code of operations that are alike, they begin anew.
      if (at == operations.size() && !alike) return false;
      const size_t operation = operations[at % operations.size()];
      const uint32_t runs = runs_of(tensors_[operation], trace_.sites[sites_[next]]);
      if (runs == 0 || next + runs > sites_.size()) return false;
      for (uint32_t run = 0; run < runs; ++run, ++next)
        if (is_same_tensor(tensors_[operation], tensor_)) parts_[sites_[next]] = {at, run};
    }
    if (parts_.empty()) return false;
    const Site& site = trace_.sites[parts_.begin()->first];
    check_.run = site.bytes_per_lane / tensor_.element_bytes;
    return std::ranges::all_of(
        parts_, [&](const auto& part) { return trace_.sites[part.first].bytes_per_lane == site.bytes_per_lane; });
  }
  /// Instructions that an operation needs; 0: it cannot be made of such ones.
  static uint32_t runs_of(const ProgramTensor& tensor, const Site& site) {
    const uint32_t elements = site.bytes_per_lane / tensor.element_bytes;
    const auto registers = static_cast<uint32_t>(own_registers(tensor.layout).size());
    return elements == 0 || registers % elements != 0 ? 0 : registers / elements;
  }

  // ------------------------------------------------------------------ global memory

  struct Point {
    Coordinates element;
    uint64_t address = 0;
    uint32_t access = 0, lane = 0;
  };
  /// One execution of an operation by a block.
  struct Execution {
    uint32_t block = 0;
    size_t operation = 0;
    uint32_t time = 0;
    auto operator<=>(const Execution&) const = default;
  };

  LayoutCheck check_global() {
    if (!assign()) {
      check_.outcome = Outcome::not_assigned;
      return check_;
    }
    collect();
    if (executions_.empty()) return check_;
    const auto most =
        std::ranges::max_element(executions_, {}, [](const auto& execution) { return execution.second.size(); });
    check_.outcome = Outcome::matches;
    const bool even = find_strides(most->second);
    if (!even || !runs_are_even() || !addresses_follow()) settle_uneven();
    return check_;
  }

  void collect() {
    std::map<std::pair<uint16_t, uint16_t>, uint32_t> times;  // by site and warp
    uint32_t block = ~0U;
    const auto registers = own_registers(tensor_.layout);
    for (uint32_t i = 0; i < trace_.accesses.size() && check_.requests < kMostCheckedRequests; ++i) {
      const Access& access = trace_.accesses[i];
      const auto part = parts_.find(access.site);
      if (part == parts_.end()) continue;
      if (std::exchange(block, access.block) != access.block) times.clear();
      const uint32_t time = times[{access.site, access.warp}]++;
      auto& points = executions_[{access.block, part->second.operation, time}];
      ++check_.requests;
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        if ((access.mask >> lane & 1) != 0) {
          ++check_.lanes;
          points.push_back({tensor_.layout.element(registers[part->second.run * check_.run], lane, access.warp),
                            trace_.address(access, static_cast<int>(lane)), i, lane});
        }
    }
  }

  /// From pairs of elements that differ in one dimension alone.
  bool find_strides(const std::vector<Point>& points) {
    constexpr size_t kMostOrigins = 64;
    check_.stride_bytes.assign(tensor_.shape.size(), 0);
    for (size_t dim = 0; dim < tensor_.shape.size(); ++dim) {
      bool varies = false, found = false;
      for (size_t first = 0; first < std::min(points.size(), kMostOrigins) && !found; ++first)
        for (const Point& point : points) {
          const int64_t steps = point.element[dim] - points[first].element[dim];
          if (steps == 0) continue;
          varies = true;
          if (!differs_only_in(point.element, points[first].element, dim)) continue;
          const auto bytes = static_cast<int64_t>(point.address - points[first].address);
          if (bytes % steps != 0) return false;
          check_.stride_bytes[dim] = bytes / steps;
          found = true;
          break;
        }
      if (varies && !found) return false;
      if (!varies) take_stride_of_run(dim);
    }
    return true;
  }
  /// A dimension that lies within the run of a lane: its elements are neighbours.
  void take_stride_of_run(size_t dim) {
    const Coordinates from = tensor_.layout.element(0, 0, 0);
    if (check_.run < 2) return;
    const Coordinates to = tensor_.layout.element(own_registers(tensor_.layout)[1], 0, 0);
    if (to[dim] != from[dim]) check_.stride_bytes[dim] = tensor_.element_bytes;
  }
  static bool differs_only_in(const Coordinates& one, const Coordinates& other, size_t dim) {
    for (size_t i = 0; i < one.size(); ++i)
      if (i != dim && one[i] != other[i]) return false;
    return true;
  }
  int64_t offset_of(const Coordinates& element) const {
    int64_t offset = 0;
    for (size_t dim = 0; dim < element.size(); ++dim) offset += element[dim] * check_.stride_bytes[dim];
    return offset;
  }

  /// The elements of a run lie behind each other.
  bool runs_are_even() const {
    const auto registers = own_registers(tensor_.layout);
    for (size_t first = 0; first < registers.size(); first += check_.run)
      for (uint32_t i = 0; i < check_.run; ++i) {
        const int64_t distance = offset_of(tensor_.layout.element(registers[first + i], 0, 0)) -
                                 offset_of(tensor_.layout.element(registers[first], 0, 0));
        if (distance != int64_t{i} * tensor_.element_bytes) return false;
      }
    return true;
  }

  bool addresses_follow() {
    for (const auto& [execution, points] : executions_) {
      const uint64_t base = points.front().address - static_cast<uint64_t>(offset_of(points.front().element));
      for (const Point& point : points) {
        const uint64_t expected = base + static_cast<uint64_t>(offset_of(point.element));
        if (expected == point.address) continue;
        check_.difference = {point.access, point.lane, expected, point.address};
        return false;
      }
    }
    return true;
  }

  /// Whether at least each element has one address, whichever lane accesses it.
  void settle_uneven() {
    check_.outcome = Outcome::uneven;
    for (const auto& [execution, points] : executions_) {
      std::map<Coordinates, uint64_t> known;
      for (const Point& point : points) {
        const auto [entry, is_new] = known.emplace(point.element, point.address);
        if (is_new || entry->second == point.address) continue;
        check_.outcome = Outcome::differs;
        check_.difference = {point.access, point.lane, entry->second, point.address};
        return;
      }
    }
  }

  // ------------------------------------------------------------------ shared memory

  /// The addresses of the elements that a lane reads or writes with one instruction.
  struct Touched {
    Execution execution;
    uint16_t site = 0;
    uint32_t access = 0, warp = 0, lane = 0;
    std::vector<uint64_t> addresses = {};
  };

  LayoutCheck check_shared() {
    std::vector<size_t> operations;
    for (size_t i = 0; i < tensors_.size(); ++i)
      if (tensors_[i].kind == tensor_.kind && tensors_[i].line == tensor_.line) operations.push_back(i);
    const bool alike =
        std::ranges::all_of(operations, [&](size_t one) { return is_same_tensor(tensors_[one], tensor_); });
    if (!alike || sites_.size() % operations.size() != 0) {
      check_.outcome = Outcome::not_assigned;
      return check_;
    }
    collect_shared(sites_.size() / operations.size());
    if (touched_.empty()) return check_;
    check_.outcome = Outcome::matches;
    // Some lane has the tensor's first element.
    std::map<Execution, uint64_t> bases;
    for (const Touched& touched : touched_) {
      const uint64_t lowest = std::ranges::min(touched.addresses);
      uint64_t& base = bases.emplace(touched.execution, lowest).first->second;
      base = std::min(base, lowest);
    }
    std::map<uint16_t, std::vector<uint32_t>> registers;  // by instruction: the same ones in every lane
    for (const Touched& touched : touched_)
      if (!follows(touched, bases.at(touched.execution), registers)) break;
    return check_;
  }

  bool follows(const Touched& touched, uint64_t base, std::map<uint16_t, std::vector<uint32_t>>& registers) {
    const auto [entry, is_first] = registers.try_emplace(touched.site);
    const std::set<uint64_t> found(touched.addresses.begin(), touched.addresses.end());
    if (is_first)
      for (uint32_t reg = 0; reg < tensor_.layout.registers(); ++reg)
        if (found.contains(base + offset_in_shared(reg, touched))) entry->second.push_back(reg);
    std::set<uint64_t> predicted;
    for (const uint32_t reg : entry->second) predicted.insert(base + offset_in_shared(reg, touched));
    if (predicted == found) return true;
    check_.outcome = Outcome::differs;
    check_.difference = {touched.access, touched.lane, predicted.empty() ? base : *predicted.begin(), *found.begin()};
    return false;
  }
  uint64_t offset_in_shared(uint32_t reg, const Touched& touched) const {
    const Coordinates element = tensor_.layout.element(reg, touched.lane, touched.warp);
    return static_cast<uint64_t>(tensor_.shared->offset(element)) * tensor_.element_bytes;
  }

  void collect_shared(size_t sites_each) {
    std::map<std::pair<uint16_t, uint16_t>, uint32_t> times;
    uint32_t block = ~0U;
    for (uint32_t i = 0; i < trace_.accesses.size(); ++i) {
      const Access& access = trace_.accesses[i];
      const auto site = std::ranges::find(sites_, access.site);
      if (site == sites_.end()) continue;
      if (std::exchange(block, access.block) != access.block) {
        times.clear();
        if (check_.requests >= kMostSharedRequests) break;  // whole blocks: every execution is complete
      }
      const uint32_t time = times[{access.site, access.warp}]++;
      const auto operation = static_cast<size_t>(site - sites_.begin()) / sites_each;
      ++check_.requests;
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        Touched touched{{access.block, operation, time}, access.site, i, access.warp, lane};
        trace_.sites[access.site].is_matrix ? add_of_matrices(access, lane, touched)
                                            : add_of_lane(access, lane, touched);
        if (touched.addresses.empty()) continue;
        ++check_.lanes;
        touched_.push_back(std::move(touched));
      }
    }
  }
  void add_bytes(uint64_t address, uint32_t bytes, Touched& touched) const {
    for (uint32_t byte = 0; byte < bytes; byte += tensor_.element_bytes) touched.addresses.push_back(address + byte);
  }
  void add_of_lane(const Access& access, uint32_t lane, Touched& touched) const {
    if ((access.mask >> lane & 1) != 0)
      add_bytes(trace_.address(access, static_cast<int>(lane)), trace_.sites[access.site].bytes_per_lane, touched);
  }
  /// ldmatrix and stmatrix: lane 8 m + r has the address of row r of matrix m, and lane 4 r + c the 4 bytes in column c
  /// of that row, or, transposed, the 2 bytes of rows 2 c and 2 c + 1 in column r (PTX ISA 9.0, ldmatrix).
  void add_of_matrices(const Access& access, uint32_t lane, Touched& touched) const {
    constexpr uint32_t kRows = 8, kRegisterBytes = 4, kHalf = 2;
    const std::string& ptx = trace_.sites[access.site].ptx;
    const uint32_t matrices = ptx.find(".x4") < ptx.size() ? 4 : ptx.find(".x2") < ptx.size() ? 2 : 1;
    const bool transposed = ptx.find(".trans") < ptx.size();
    const uint32_t row = lane / 4, column = lane % 4;
    for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
      const auto address_of_row = [&](uint32_t r) {
        return trace_.address(access, static_cast<int>(kRows * matrix + r));
      };
      if (!transposed) {
        add_bytes(address_of_row(row) + uint64_t{kRegisterBytes} * column, kRegisterBytes, touched);
        continue;
      }
      add_bytes(address_of_row(2 * column) + uint64_t{kHalf} * row, kHalf, touched);
      add_bytes(address_of_row(2 * column + 1) + uint64_t{kHalf} * row, kHalf, touched);
    }
  }

  std::span<const ProgramTensor> tensors_;
  const ProgramTensor& tensor_;
  const AccessTrace& trace_;
  uint32_t launch_;
  std::string_view file_;
  std::vector<uint16_t> sites_;  // those of the line, in the order of the code
  std::map<uint16_t, Part> parts_;
  std::map<Execution, std::vector<Point>> executions_;
  std::vector<Touched> touched_;
  LayoutCheck check_;
};

}  // namespace

LayoutCheck check_layout(std::span<const ProgramTensor> tensors, size_t index, const AccessTrace& trace,
                         uint32_t launch, std::string_view file) {
  if (tensors[index].shared == std::nullopt && !tensors[index].touches_global()) return {};
  return Checker(tensors, index, trace, launch, file).run();
}

std::vector<TensorAccess> tensor_accesses(std::span<const ProgramTensor> tensors, size_t index,
                                          const AccessTrace& trace, uint32_t launch, std::string_view file,
                                          uint32_t block) {
  return Checker(tensors, index, trace, launch, file).accesses_of(block);
}

}  // namespace tilescope
