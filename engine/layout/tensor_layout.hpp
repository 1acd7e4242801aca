// Where the elements of a Triton tensor are: which register of which thread holds which element, or which offset in
// shared memory. The layouts are those of TTGIR, for a program of one CTA:
//
//     #ttg.blocked, #ttg.nvidia_mma (version 2), #ttg.dot_op, #ttg.slice, #ttg.linear      registers
//     #ttg.swizzled_shared                                                                 shared memory
//
// All sizes are powers of two, so a layout in registers is linear over the bits of (register, lane, warp): each bit
// adds the coordinates of its basis. "Linear Layouts" (arXiv:2505.23819) describes the arithmetic; the rules for each
// layout are those of Triton 3.6's lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp, and tests/layout compares
// them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// A layout as TTGIR writes it: "#ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>".
struct LayoutAttribute {
  std::string kind = {};                                                // "dot_op"
  std::map<std::string, int64_t> numbers = {};                          // opIdx, kWidth
  std::map<std::string, std::vector<int64_t>> lists = {};               // order, sizePerThread
  std::map<std::string, std::vector<std::vector<int64_t>>> bases = {};  // of #ttg.linear
  std::shared_ptr<const LayoutAttribute> parent = {};
  std::string text = {};  // without aliases
};

/// The aliases at the top of a TTGIR text: "#blocked" → "#ttg.blocked<{…}>".
class LayoutAliases {
 public:
  LayoutAliases() = default;
  explicit LayoutAliases(std::string_view ttgir);
  /// The attribute that a text such as "#blocked" or "#ttg.slice<{dim = 0, parent = #blocked}>" means; nothing if it
  /// is not a layout.
  std::optional<LayoutAttribute> read(std::string_view text) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

using Coordinates = std::vector<int64_t>;  // one for each dimension of the tensor

class TensorLayout {
 public:
  /// Nothing for a layout that is none of the above, or a shape that is not made of powers of two.
  static std::optional<TensorLayout> make(const LayoutAttribute& attribute, const std::vector<int64_t>& shape);

  const std::vector<int64_t>& shape() const { return shape_; }
  uint32_t registers() const { return uint32_t{1} << registers_.size(); }  // elements in each thread
  uint32_t warps() const { return uint32_t{1} << warps_.size(); }
  Coordinates element(uint32_t reg, uint32_t lane, uint32_t warp) const;
  /// Bits of the register number whose elements the thread holds in other registers too.
  uint32_t repeated_registers() const;

  using Bases = std::vector<Coordinates>;
  const Bases& register_bases() const { return registers_; }
  const Bases& lane_bases() const { return lanes_; }
  const Bases& warp_bases() const { return warps_; }

 private:
  friend class LayoutBuilder;
  std::vector<int64_t> shape_;
  Bases registers_, lanes_, warps_;
};

/// A tensor in shared memory whose rows are swizzled: vectors of `vec` elements of a row change places, as the row's
/// phase says, so that a column is spread over the banks.
struct SharedLayout {
  int64_t vec = 1, per_phase = 1, max_phase = 1;
  std::vector<int64_t> order = {};  // the dimensions, fastest first
  std::vector<int64_t> shape = {};

  static std::optional<SharedLayout> make(const LayoutAttribute& attribute, const std::vector<int64_t>& shape);
  /// In elements from the start of the tensor.
  int64_t offset(const Coordinates& element) const;
};

}  // namespace tilescope
