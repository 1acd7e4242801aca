// Which instructions the simulator takes, measured against the assembler.
#include "forms.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/sim/decode.hpp"
#include "engine/sim/parser.hpp"

namespace tilescope {
namespace {

/// The opcodes that docs/ptx.md lists as errors: "| `elect.sync` | … |"; a star at the end stands for anything.
std::vector<std::string> opcodes_listed_as_errors() {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/docs/ptx.md");
  std::vector<std::string> opcodes;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const size_t end = line.find('`', 3);
    opcodes.push_back(line.substr(3, end - 3));
  }
  return opcodes;
}

bool matches(const std::string& pattern, const std::string& text) {
  if (pattern.ends_with('*')) return text.starts_with(pattern.substr(0, pattern.size() - 1));
  return text == pattern;
}

/// What is wrong with a form, or nothing.
std::string error_of(const PtxForm& form) {
  const auto module = parse_ptx(kernel_of_form(form));
  if (!module) return module.error().message;
  const auto program = decode_kernel(*module, "k");
  return program ? std::string() : program.error().message;
}

TEST(Forms, EveryInstructionThatTheAssemblerTakesIsTakenOrListedAsAnError) {
  const auto forms = ptx_forms();
  const auto listed = opcodes_listed_as_errors();
  ASSERT_GT(forms.size(), 10000U);
  ASSERT_FALSE(listed.empty());
  for (const auto& form : forms) {
    const std::string error = error_of(form);
    if (error.empty()) continue;
    const std::string text = form.opcode + (form.operands.empty() ? "" : " ") + form.operands;
    EXPECT_TRUE(std::any_of(listed.begin(), listed.end(), [&](const auto& pattern) { return matches(pattern, text); }))
        << form.target << ' ' << text << ": " << error;
  }
}

/// Families of which forms.txt has nothing, because the simulator has none of them: one instruction each, with as many
/// operands as it likes.
TEST(Forms, WhatIsListedAsAnErrorIsOne) {
  const auto forms = ptx_forms();
  for (const auto& pattern : opcodes_listed_as_errors()) {
    size_t matching = 0;
    for (const auto& form : forms) {
      const std::string text = form.opcode + (form.operands.empty() ? "" : " ") + form.operands;
      if (!matches(pattern, text)) continue;
      ++matching;
      EXPECT_NE(error_of(form), "") << pattern << " in docs/ptx.md: " << text << " is taken, so the row has to go";
    }
    if (matching != 0) continue;
    PtxForm family;
    family.opcode = pattern.ends_with(".*") ? pattern.substr(0, pattern.size() - 2) + ".b32" : pattern;
    family.operands = "[%rd1], %r1";
    EXPECT_NE(error_of(family).find("does not know"), std::string::npos) << pattern << " in docs/ptx.md";
  }
}

}  // namespace
}  // namespace tilescope
