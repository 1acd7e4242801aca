// The forms of forms.txt: every instruction that ptxas accepts, as written by tools/list_ptx_forms.py.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tilescope {

struct PtxForm {
  std::string target;    // "sm_80"
  std::string opcode;    // "add.s32"
  std::string operands;  // "%r1, %r2, %r3"
};

inline std::vector<PtxForm> ptx_forms() {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/tests/ptx/forms.txt");
  std::vector<PtxForm> forms;
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(" | "), second = line.rfind(" |");
    if (line.empty() || line[0] == '#' || first == std::string::npos) continue;
    std::istringstream opcodes(line.substr(second + 2));
    const std::string operands = second > first ? line.substr(first + 3, second - first - 3) : "";
    for (std::string opcode; opcodes >> opcode;) forms.push_back({line.substr(0, first), opcode, operands});
  }
  return forms;
}

/// A line of orders.txt: the forms of one instruction with its qualifiers in different orders.
struct PtxOrders {
  PtxForm form;  // in the order of the PTX ISA
  std::vector<PtxForm> others;
};

/// The orders of orders.txt, also written by tools/list_ptx_forms.py.
inline std::vector<PtxOrders> ptx_orders() {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/tests/ptx/orders.txt");
  std::vector<PtxOrders> orders;
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(" | "), last = line.rfind(" |");
    if (line.empty() || line[0] == '#' || first == last) continue;
    const size_t second = line.rfind(" |", last - 1);
    const std::string target = line.substr(0, first);
    const std::string operands = second > first ? line.substr(first + 3, second - first - 3) : "";
    PtxOrders row{{target, line.substr(second + 3, last - second - 3), operands}, {}};
    std::istringstream opcodes(line.substr(last + 2));
    for (std::string opcode; opcodes >> opcode;) row.others.push_back({target, opcode, operands});
    orders.push_back(row);
  }
  return orders;
}

/// A kernel with this one instruction; it declares registers of each kind and a variable in each space.
inline std::string kernel_of_form(const PtxForm& form) {
  return ".version 8.8\n.target sm_90\n.address_size 64\n.global .align 16 .b8 global_variable[256];\n"
         ".const .align 16 .b8 constant_variable[256];\n"
         ".visible .entry k(.param .align 16 .b8 parameter[64])\n{\n.reg .pred %p<9>;\n.reg .b16 %rs<9>;\n"
         ".reg .b16 %h<9>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n.reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n"
         ".reg .b128 %q<9>;\n.shared .align 16 .b8 shared_variable[256];\n.local .align 16 .b8 local_variable[256];\n" +
         form.opcode + (form.operands.empty() ? "" : " ") + form.operands + ";\nret;\n}\n";
}

}  // namespace tilescope
