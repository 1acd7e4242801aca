#include "app/views/tape/tape_model.hpp"

#include <fmt/format.h>

#include <charconv>

#include "engine/autograd/tape_text.hpp"
#include "engine/run/inputs.hpp"

namespace tilescope {
namespace {

constexpr size_t kRows = 2, kColumns = 24;

/// "line 3" → 2.
std::optional<uint32_t> line_in(const Error& error) {
  if (error.what.places().empty()) return std::nullopt;
  const std::string where = error.what.places().front().english();
  const size_t begin = where.find_first_of("0123456789");
  if (begin == std::string::npos) return std::nullopt;
  uint32_t line = 0;
  const auto read = std::from_chars(where.data() + begin, where.data() + where.size(), line);
  if (read.ec != std::errc() || line == 0) return std::nullopt;
  return line - 1;
}

}  // namespace

void TapeShown::take(const std::string& text) {
  auto program = program_from_text(text);
  if (!program) {
    error = program.error();
    line = line_in(*error);
    return;
  }
  error.reset();
  line.reset();
  tape = make_tape(std::move(*program));
  const TapeInputs inputs = make_inputs(tape.program, kRows, kColumns, normal_at);
  checked = check_gradients(tape, inputs.problem);
  ++version;
}

std::string title_of(const TapeProgram& program, const TapeNode& node) {
  std::string operands = program.values[node.inputs.front()].name;
  if (node.inputs.size() == 2) operands += ", " + program.values[node.inputs.back()].name;
  if (node.inputs.size() > 2) operands += ", …";
  return fmt::format("{} = {}({})", program.values[node.output].name, name_of(node.op), operands);
}

}  // namespace tilescope
