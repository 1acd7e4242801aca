// Names addresses in shared memory as in the source: "Bs[32][0]".
//
// The PTX has the name, the address and the size in bytes of each array; its shape is only in the source. It is read
// from the declaration in the function's body, with the constants that can be evaluated without a compiler: numbers,
// macros, constexpr integers, template arguments. If the result disagrees with the size in the PTX, no shape is
// assumed, and the address is given as name and offset: "Bs+8192".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope {

struct Program;

/// The shape of an array as declared. The first extent is 0 if it is omitted: extern __shared__ x[].
struct ArrayShape {
  uint64_t element_bytes = 0;
  std::vector<uint64_t> extents;
};

/// The shape that `source` gives the __shared__ variable `symbol` of the kernel `kernel` (both as in the PTX), whose
/// size is `bytes`; 0: extern. Nothing if the source does not give it in a form that can be evaluated.
std::optional<ArrayShape> shared_shape(std::string_view source, std::string_view symbol, std::string_view kernel,
                                       uint64_t bytes);

/// The names of a launch. Shapes are cached, since every block may have a race there. Thread-safe.
class SharedNames {
 public:
  /// `source` may be null.
  SharedNames(const Program& program, std::shared_ptr<const std::string> source, uint64_t shared_bytes)
      : program_(program), source_(std::move(source)), shared_bytes_(shared_bytes) {}

  /// "Bs[32][0]" for an offset into a block's shared memory; nothing if no variable is there.
  std::optional<std::string> element(uint64_t offset) const;
  /// The kernel's extern __shared__ arrays: "s", "a, b".
  std::string dynamic_arrays() const;

 private:
  struct Known {
    bool is_used = false;
    std::optional<ArrayShape> shape;
  };
  const Known& known(size_t variable) const;

  const Program& program_;
  std::shared_ptr<const std::string> source_;
  uint64_t shared_bytes_;
  mutable std::mutex mutex_;
  mutable std::map<size_t, Known> known_;  // by index into Program::shared_variables
};

}  // namespace tilescope
