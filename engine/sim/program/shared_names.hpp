// Addresses in shared memory as the source would write them: "Bs[32][0]".
//
// The PTX has the name, the place and the bytes of each array; its shape stands only in the source. It is read from the
// declaration in the body of the function, with the constants that can be evaluated without a compiler: numbers,
// macros, constexpr integers, template arguments. Where that does not give the bytes that the PTX has, no shape is
// assumed, and the address is name and offset: "Bs+8192".
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

/// The shape of an array as declared. The first extent is 0 where it is not given: extern __shared__ x[].
struct ArrayShape {
  uint64_t element_bytes = 0;
  std::vector<uint64_t> extents;
};

/// The shape that `source` gives the __shared__ variable `symbol` of the kernel `kernel` (both as in the PTX), which
/// takes `bytes`; 0: extern. Nothing if the source does not say it in a way that can be evaluated.
std::optional<ArrayShape> shared_shape(std::string_view source, std::string_view symbol, std::string_view kernel,
                                       uint64_t bytes);

/// The names of a launch. What is found out about an array is kept, since every block may have a race there; any thread
/// may ask.
class SharedNames {
 public:
  /// `source` may be null.
  SharedNames(const Program& program, std::shared_ptr<const std::string> source, uint64_t shared_bytes)
      : program_(program), source_(std::move(source)), shared_bytes_(shared_bytes) {}

  /// "Bs[32][0]" of an offset into the shared memory of a block; nothing if no variable is there.
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
