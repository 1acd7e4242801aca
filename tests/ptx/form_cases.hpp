// Every form of forms.txt whose result is the same on every GPU, and some instruction sequences, as kernels that apply
// it to many inputs.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance_cases.hpp"
#include "forms.hpp"

namespace tilescope {

struct FormCase {
  std::string name;      // the form, or what the sequence shows
  std::string text;      // its instructions, on registers %r1 … as in forms.txt
  std::string results;   // registers that hold results, blank-separated
  std::string inputs;    // contents of the four input arrays: a letter each, see conformance_inputs()
  std::string location;  // for memory forms: "global", "shared" or "local", where the inputs are stored first;
                         // or "inputs": the four input arrays themselves
};

inline bool begins_with_any(const std::string& text, const std::vector<std::string>& stems) {
  return std::any_of(stems.begin(), stems.end(), [&](const auto& stem) { return text.starts_with(stem); });
}

/// The registers named in a text, as "%rd3".
inline std::vector<std::string> registers_of(const std::string& text) {
  std::vector<std::string> found;
  for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
    if (end >= text.size() || text[end] < '0' || text[end] > '9') continue;
    found.push_back(text.substr(at, end + 1 - at));
  }
  return found;
}
inline std::string stem_of(const std::string& reg) { return reg.substr(1, reg.size() - 2); }

/// Whether the result is the same everywhere. Excluded: approximations, time, the machine's own addresses and states,
/// and instructions that wait. The cases of conformance_cases.hpp cover matrix instructions and asynchronous copies.
inline bool is_comparable(const PtxForm& form) {
  static const std::vector<std::string> kOthers = {
      "createpolicy", "fence",      "membar",   "prefetch", "discard",    "applypriority", "nanosleep",  "bar.",
      "barrier",      "shfl",       "vote",     "match",    "redux",      "elect",         "activemask", "istypep",
      "mapa",         "getctarank", "griddep",  "pmevent",  "setmaxnreg", "trap",          "brkpt",      "exit",
      "ret",          "cvta",       "isspacep", "addc",     "subc",       "madc",          "rsqrt",      "sin",
      "cos",          "lg2",        "ex2",      "tanh",     "ldmatrix",   "stmatrix",      "movmatrix",  "mma",
      "wmma",         "mbarrier",   "cp.async"};
  if (begins_with_any(form.opcode, kOthers)) return false;
  for (const char* part : {".cc.", ".approx", ".full", ".oob", "cache_hint"})
    if (form.opcode.find(part) != std::string::npos) return false;
  // Special registers, variables' addresses.
  for (size_t at = form.operands.find('%'); at != std::string::npos; at = form.operands.find('%', at + 1))
    if (registers_of(form.operands.substr(at, 4)).empty()) return false;
  // Vector atomics other than reductions are not simulated (docs/ptx.md).
  if (form.opcode.starts_with("atom") && form.operands.starts_with("{")) return false;
  for (const char* name : {"shared_variable", "constant_variable", "global_variable", "local_variable", "parameter"})
    if (form.opcode.starts_with("mov") && form.operands.find(name) != std::string::npos) return false;
  return form.operands.find('%') != std::string::npos && form.operands.find("%tid") == std::string::npos &&
         form.operands.find("WARP") == std::string::npos;
}

/// The kind of inputs for a register: pairs of halves if the opcode works on them, bfloat16 numbers, and so on.
inline char kind_of_inputs(const std::string& stem, const std::string& opcode) {
  if (stem == "f" || stem == "p") return stem[0];
  if (stem == "fd") return 'd';
  if (stem == "rs") return '2';
  if (stem == "h") return 'h';
  if (stem == "r") return opcode.find("f16x2") != std::string::npos ? 'x' : '4';
  return '8';
}

inline FormCase case_of(const PtxForm& form) {
  FormCase test;
  test.name = form.opcode + " " + form.operands;
  test.text = form.opcode + " " + form.operands + ";\n";
  test.inputs = "8888";
  // The number of bits to skip is the offset's magnitude (PTX ISA 9.0, section 9.7.1.17); −2^31 has none.
  if (form.opcode == "fns.b32") test.text = "max.s32 %r4, %r4, -2147483647;\n" + test.text;
  const auto all = registers_of(form.operands);
  for (const auto& reg : all) {
    const int number = reg.back() - '0';
    if (number >= 2 && number <= 5)
      test.inputs[static_cast<size_t>(number - 2)] = kind_of_inputs(stem_of(reg), form.opcode);
  }
  const bool stores = form.opcode.starts_with("st") || form.opcode.starts_with("red.");
  std::string first = form.operands.substr(0, form.operands.find(", "));
  if (form.operands.starts_with("{")) first = form.operands.substr(0, form.operands.find('}'));
  if (!stores)
    for (const auto& reg : registers_of(first)) test.results += reg + " ";
  const bool memory = begins_with_any(form.opcode, {"ld", "st", "atom", "red."});
  const auto replace = [&](const std::string& from, const std::string& to, const char* location) {
    const size_t at = test.text.find(from);
    if (at == std::string::npos) return;
    test.text.replace(at, from.size(), to);
    test.location = location;
  };
  if (memory) {
    replace("[%rd9]", "[%own]", "global");
    replace("[shared_variable]", "[%slot]", "shared");
    if (test.text.find("[local_variable]") != std::string::npos) test.location = "local";
    // The kernel must not write what these read (PTX ISA 9.0, sections 9.7.9.9 and 9.7.9.10).
    const bool reads_only = form.opcode.find(".nc") != std::string::npos || form.opcode.starts_with("ldu");
    if (reads_only && test.location == "global") test.location = "inputs";
  }
  return test;
}

/// Sequences: with the carry flag, between lanes, and with several lanes at one address.
inline std::vector<FormCase> sequence_cases() {
  std::vector<FormCase> cases;
  const auto add = [&](const std::string& text, const std::string& results, const std::string& inputs) {
    std::string name = text.substr(0, text.rfind(';'));
    std::replace(name.begin(), name.end(), '\n', ' ');
    cases.push_back({"sequence " + name, text, results, inputs, ""});
  };
  for (const std::string type : {"u32", "s32", "u64", "s64"}) {
    const std::string r = type.ends_with("32") ? "%r" : "%rd";
    const auto three = [&](const std::string& d, const std::string& a, const std::string& b) {
      return " " + r + d + ", " + r + a + ", " + r + b + ";\n";
    };
    const auto four = [&](const std::string& d, const std::string& a, const std::string& b, const std::string& c) {
      return " " + r + d + ", " + r + a + ", " + r + b + ", " + r + c + ";\n";
    };
    const std::string inputs = r == "%r" ? "4444" : "8888";
    for (const std::string op : {"add", "sub"})
      add(op + ".cc." + type + three("1", "2", "3") + op + "c.cc." + type + three("6", "4", "5") + op + "c." + type +
              three("7", "2", "5"),
          r + "1 " + r + "6 " + r + "7", inputs);
    add("mad.lo.cc." + type + four("1", "2", "3", "4") + "madc.hi.cc." + type + four("6", "2", "3", "5") + "addc." +
            type + three("7", "4", "5"),
        r + "1 " + r + "6 " + r + "7", inputs);
    add("mad.hi.cc." + type + four("1", "2", "3", "4") + "madc.lo.cc." + type + four("6", "4", "3", "5") + "madc.hi." +
            type + four("7", "2", "5", "4"),
        r + "1 " + r + "6 " + r + "7", inputs);
  }
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    add("and.b32 %r4, %r4, 0x1f1f;\nshfl.sync." + mode + ".b32 %r1|%p1, %r2, %r3, %r4, -1;\n", "%r1 %p1", "4444");
    for (const std::string clamp : {"0", "31", "0x1800", "0x181f", "0x1c1f", "0x101f"})
      add("and.b32 %r3, %r3, 31;\nshfl.sync." + mode + ".b32 %r1|%p1, %r2, %r3, " + clamp + ", -1;\n", "%r1 %p1",
          "4444");
  }
  for (const std::string mode : {"all", "any", "uni"}) {
    add("vote.sync." + mode + ".pred %p1, %p2, -1;\n", "%p1", "p888");
    add("or.pred %p2, %p2, %p3;\nor.pred %p2, %p2, %p4;\nvote.sync." + mode + ".pred %p1, !%p2, -1;\n", "%p1", "ppp8");
  }
  add("vote.sync.ballot.b32 %r1, %p2, -1;\n", "%r1", "p888");
  add("vote.sync.ballot.b32 %r1, !%p2, -1;\n", "%r1", "p888");
  add("and.b32 %r2, %r2, 7;\nmatch.any.sync.b32 %r1, %r2, -1;\n", "%r1", "4888");
  add("and.b64 %rd2, %rd2, 7;\nmatch.any.sync.b64 %r1, %rd2, -1;\n", "%r1", "8888");
  add("and.b32 %r2, %r2, 0;\nmatch.all.sync.b32 %r1|%p1, %r2, -1;\n", "%r1 %p1", "4888");
  add("match.all.sync.b64 %r1|%p1, %rd2, -1;\n", "%r1 %p1", "8888");
  for (const std::string op : {"add", "min", "max"})
    for (const std::string type : {"u32", "s32"})
      add("redux.sync." + op + "." + type + " %r1, %r2, -1;\n", "%r1", "4888");
  for (const std::string op : {"and", "or", "xor"}) add("redux.sync." + op + ".b32 %r1, %r2, -1;\n", "%r1", "4888");
  add("bar.red.popc.u32 %r1, 0, %p2;\nbar.red.and.pred %p1, 0, %p3;\nbar.red.or.pred %p6, 0, %p4;\n", "%r1 %p1 %p6",
      "ppp8");
  add("bar.red.popc.u32 %r1, 1, 128, !%p2;\n", "%r1", "p888");
  // All lanes of a block at one address: the final value and, if it does not depend on the order, what the lanes read.
  const auto contend = [&](const std::string& op, const std::string& type, const std::string& reg,
                           const std::string& value, bool saw) {
    const std::string wide = type.ends_with("64") ? "%rd" : reg;
    for (const std::string space : {"shared", "global"}) {
      const std::string place = space == "shared" ? "[common]" : "[%block]";
      std::string text = "st." + space + ".u64 " + place + ", 5;\nbar.sync 0;\natom." + space + "." + op + "." + type +
                         " " + wide + "1, " + place + ", " + value + ";\nbar.sync 0;\nld." + space + ".u64 %rd6, " +
                         place + ";\n";
      if (saw) text += "redux.sync.add.u32 %r7, %r1, -1;\n";
      std::string results = "%rd6";
      add(text, results, "4444");
      cases.back().inputs = type.ends_with("64") ? "8888" : "4444";
    }
  };
  for (const std::string type : {"u32", "s32"})
    for (const std::string op : {"add", "min", "max"}) contend(op, type, "%r", "%r2", false);
  for (const std::string op : {"and", "or", "xor"}) contend(op, "b32", "%r", "%r2", false);
  for (const std::string op : {"min", "max"})
    for (const std::string type : {"u64", "s64"}) contend(op, type, "%rd", "%rd2", false);
  for (const std::string op : {"and", "or", "xor"}) contend(op, "b64", "%rd", "%rd2", false);
  contend("add", "u64", "%rd", "%rd2", false);
  contend("inc", "u32", "%r", "37", false);
  contend("dec", "u32", "%r", "37", false);
  return cases;
}

inline std::vector<FormCase> form_cases() {
  std::vector<FormCase> cases;
  for (const auto& form : ptx_forms()) {
    if (!is_comparable(form)) continue;
    cases.push_back(case_of(form));
    const bool product = begins_with_any(form.opcode, {"mul", "fma", "mad", "div"});
    if (!product || form.opcode.find(".ftz") == std::string::npos) continue;
    FormCase near = cases.back();  // results around the smallest normal number
    const bool half = form.opcode.find("f16") != std::string::npos;
    near.name += " near underflow";
    near.inputs[0] = half ? 'v' : 'u';
    near.inputs[1] = half ? 'w' : 't';
    if (form.opcode.find("x2") == std::string::npos) cases.push_back(near);
  }
  for (auto& test : sequence_cases()) cases.push_back(std::move(test));
  return cases;
}

/// The kernel c<number>: each thread holds its inputs in registers, and combines its results into one number.
inline std::string kernel_of_case(const FormCase& test, size_t number) {
  std::string text =
      ".visible .entry c" + std::to_string(number) +
      "(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 out, .param .align 16 .b8 "
      "parameter[64])\n{\n.reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<10>;\n.reg .b64 "
      "%rd<10>;\n.reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n.reg .b128 %q<9>;\n.reg .b64 %in<9>, %own, %block;\n"
      ".reg .b32 %n<9>, %slot;\n.reg .pred %bit;\n.reg .b16 %small;\n"
      ".shared .align 16 .b8 shared_variable[4096];\n.shared .align 16 .b8 common[16];\n"
      ".local .align 16 .b8 local_variable[256];\n"
      "mov.u32 %n0, %ctaid.x;\nmov.u32 %n1, %ntid.x;\nmov.u32 %n2, %tid.x;\nmad.lo.s32 %n3, %n0, %n1, %n2;\n"
      "mul.wide.u32 %in1, %n3, 8;\nmov.u64 %own, scratch;\nmul.wide.u32 %in2, %n3, 32;\nadd.s64 %own, %own, %in2;\n"
      "mov.u64 %block, common_global;\nmul.wide.u32 %in2, %n0, 16;\nadd.s64 %block, %block, %in2;\n"
      "mov.u32 %slot, shared_variable;\nshl.b32 %n4, %n2, 5;\nadd.s32 %slot, %slot, %n4;\n";
  for (size_t i = 0; i < 4; ++i)
    text += "ld.param.u64 %in2, [" + std::string(1, "abcd"[i]) + "];\nadd.s64 %in2, %in2, %in1;\nld.global.u64 %in" +
            std::to_string(3 + i) + ", [%in2];\n";
  std::set<std::string> used;
  for (const auto& reg : registers_of(test.text + test.results))
    if (reg.find("%in") != 0 && stem_of(reg) != "n") used.insert(reg);
  for (const auto& reg : used) {
    const std::string from = "%in" + std::to_string(3 + (reg.back() - '0' + 2) % 4), stem = stem_of(reg);
    if (stem == "rs" || stem == "h") text += "cvt.u16.u64 " + reg + ", " + from + ";\n";
    if (stem == "r") text += "cvt.u32.u64 " + reg + ", " + from + ";\n";
    if (stem == "rd" || stem == "fd") text += "mov.b64 " + reg + ", " + from + ";\n";
    if (stem == "f") text += "cvt.u32.u64 %n5, " + from + ";\nmov.b32 " + reg + ", %n5;\n";
    if (stem == "q") text += "mov.b128 " + reg + ", {" + from + ", %in3};\n";
    if (stem == "p")
      text += "and.b64 %in2, " + from + ", 1;\nsetp.ne.u64 %bit, %in2, 0;\nmov.pred " + reg + ", %bit;\n";
  }
  // ptxas (12.9 to 13.4, for sm_90) takes the upper half of a pair that an atomic adds in shared memory from the
  // neighbouring word if the pair was cut from a 64-bit register: such pairs are loaded as words.
  const bool atomic = begins_with_any(test.text, {"atom.shared", "red.shared"});
  if (atomic && test.text.find("f16x2") != std::string::npos)
    for (const auto& reg : used)
      if (stem_of(reg) == "r")
        text += "ld.param.u64 %in2, [" + std::string(1, "abcd"[(reg.back() - '0' + 2) % 4]) +
                "];\nadd.s64 %in2, %in2, %in1;\nld.volatile.global.u32 " + reg + ", [%in2];\n";
  const bool stores = !test.location.empty() && test.location != "inputs";
  const std::string space = test.location == "inputs" ? "global" : test.location;
  const std::string place = space == "global" ? "%own" : space == "shared" ? "%slot" : "local_variable";
  if (test.location == "inputs")
    text +=
        "and.b32 %n5, %n3, 0x7fc;\nmul.wide.u32 %in2, %n5, 8;\nld.param.u64 %own, [a];\nadd.s64 %own, %own, %in2;\n";
  if (stores)
    text += "st." + space + ".v2.u64 [" + place + "], {%in3, %in4};\nst." + space + ".v2.u64 [" + place +
            "+16], {%in5, %in6};\n";
  text += test.text + "mov.u64 %in8, 0;\n";
  const auto fold = [&](const std::string& value) { text += "mad.lo.u64 %in8, %in8, 0x100000001b3, " + value + ";\n"; };
  for (const auto& reg : registers_of(test.results)) {
    const std::string stem = stem_of(reg);
    if (stem == "rs" || stem == "h") text += "cvt.u64.u16 %in7, " + reg + ";\n";
    if (stem == "r") text += "cvt.u64.u32 %in7, " + reg + ";\n";
    if (stem == "f") text += "mov.b32 %n5, " + reg + ";\ncvt.u64.u32 %in7, %n5;\n";
    if (stem == "rd" || stem == "fd") text += "mov.b64 %in7, " + reg + ";\n";
    if (stem == "p") text += "selp.b64 %in7, 1, 0, " + reg + ";\n";
    if (stem == "q") text += "mov.b128 {%in7, %in2}, " + reg + ";\n";
    fold("%in7");
    if (stem == "q") fold("%in2");
  }
  for (size_t i = 0; i < 4 && !space.empty(); ++i) {
    text += "ld." + space + ".u64 %in7, [" + place + "+" + std::to_string(8 * i) + "];\n";
    fold("%in7");
  }
  return text + "ld.param.u64 %in2, [out];\nadd.s64 %in2, %in2, %in1;\nst.global.u64 [%in2], %in8;\nret;\n}\n";
}

}  // namespace tilescope
