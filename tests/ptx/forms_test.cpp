// Which instructions the simulator takes, measured against the assembler.
#include <gtest/gtest.h>

#include <map>

#include "engine/sim/decode.hpp"
#include "engine/sim/parser.hpp"
#include "forms.hpp"

namespace tilescope {
namespace {

TEST(Forms, EveryInstructionThatTheAssemblerTakesIsTaken) {
  const auto forms = ptx_forms();
  ASSERT_GT(forms.size(), 10000U);
  size_t taken = 0;
  for (const auto& form : forms) {
    const auto module = parse_ptx(kernel_of_form(form));
    if (!module) {
      ADD_FAILURE() << form.target << ' ' << form.opcode << ' ' << form.operands << ": " << module.error().message;
      continue;
    }
    const auto program = decode_kernel(*module, "k");
    if (program)
      ++taken;
    else
      ADD_FAILURE() << form.target << ' ' << form.opcode << ' ' << form.operands << ": " << program.error().message;
  }
  EXPECT_EQ(taken, forms.size());
}

}  // namespace
}  // namespace tilescope
