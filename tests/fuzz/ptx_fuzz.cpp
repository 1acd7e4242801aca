// Arbitrary bytes as PTX: the lexer, the parser and, for what parses, the decoder must neither crash nor hang.
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/sim/lower/decode.hpp"
#include "engine/sim/ptx/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto module = tilescope::parse_ptx(std::string(reinterpret_cast<const char*>(data), size));
  if (!module) return 0;
  for (const auto& function : (*module)->functions)
    if (function.is_entry) (void)tilescope::decode_kernel(*module, std::string(function.name));
  return 0;
}
