// Which instructions the simulator accepts, compared with the assembler.
#include "forms.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/sim/lower/decode.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/ptx/parser.hpp"

namespace tilescope {
namespace {

/// The opcodes that docs/ptx.md lists as errors: "| `elect.sync` | … |"; a trailing star matches anything.
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

/// The error for a form, or nothing.
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

/// Families that are absent from forms.txt because the simulator has none of their instructions: one instruction each,
/// with any number of operands.
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
    const std::string error = error_of(family);
    EXPECT_TRUE(error.find("does not know") != std::string::npos || error.find("does not run") != std::string::npos)
        << pattern << " in docs/ptx.md: " << error;
  }
}

TEST(Forms, WhatIsLeftOutIsNamed) {
  const auto error = [](const char* opcode) { return error_of({"sm_80", opcode, "%r1, %r2"}); };
  EXPECT_EQ(error("tex.cube.v4.f32.f32"),
            "the simulator does not run cube maps (texCubemap): 'tex.cube.v4.f32.f32' (PTX line 18)");
  EXPECT_EQ(error("suld.b.2d.b32.trap"),
            "the simulator does not run surfaces (cudaSurfaceObject_t): 'suld.b.2d.b32.trap' (PTX line 18)");
  EXPECT_NE(error("mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16").find("sparse matrix products"),
            std::string::npos);
}

/// Everything in the kernel's operations that affects the simulator.
std::string operations_of(const PtxForm& form) {
  const auto module = parse_ptx(kernel_of_form(form));
  if (!module) return module.error().message;
  const auto program = decode_kernel(*module, "k");
  if (!program) return program.error().message;
  std::string text;
  for (const Operation& o : (*program)->operations)
    text += fmt::format("{} {} {} {} {} {} {} {} {}\n", reinterpret_cast<const void*>(o.run), o.dst, o.a, o.b, o.c,
                        o.guard, o.extra, o.site, o.immediate);
  for (const MemorySite& s : (*program)->sites)
    text += fmt::format("{} {} {} {} {} {} {} {}\n", s.operation, static_cast<int>(s.space), static_cast<int>(s.kind),
                        s.bytes_per_lane, s.is_matrix, s.is_strong, s.acquires, s.releases);
  return text;
}

TEST(Orders, OfQualifiersGiveTheSameOperation) {
  const auto orders = ptx_orders();
  size_t others = 0;
  for (const PtxOrders& row : orders) {
    ASSERT_EQ(error_of(row.form), "") << row.form.opcode;
    const std::string expected = operations_of(row.form);
    for (const PtxForm& other : row.others) EXPECT_EQ(operations_of(other), expected) << other.opcode;
    others += row.others.size();
  }
  EXPECT_GT(others, 1000U);
}
TEST(Orders, NoTwoInstructionsDifferInOrderOnly) { EXPECT_EQ(ambiguous_isa_opcodes(), std::vector<std::string>()); }

}  // namespace
}  // namespace tilescope
