// Instructions whose results are the same on every GPU, their inputs, and the PTX that runs them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace tilescope {

/// Shapes as in engine/sim/program/isa.hpp: results before '=', operands after it. h: f16, b: bf16, f: f32, d: f64; 2 4
/// 8: integers of this many bytes; p: a predicate.
struct ConformanceCase {
  std::string opcode, shape;
};

inline std::vector<ConformanceCase> conformance_cases() {
  std::vector<ConformanceCase> cases;
  const auto add = [&](const std::string& opcode, const std::string& shape) { cases.push_back({opcode, shape}); };
  const std::vector<std::string> signs = {"s", "u"};
  const auto width = [](const std::string& bits) { return bits == "16" ? "2" : bits == "32" ? "4" : "8"; };
  for (const std::string bits : {"16", "32", "64"}) {
    const std::string w = width(bits);
    for (const auto& sign : signs) {
      const std::string type = sign + bits;
      for (const char* op : {"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"})
        add(op + ("." + type), w + "=" + w + w);
      for (const char* op : {"mad.lo", "mad.hi"})
        if (bits != "16" || std::string(op) == "mad.lo") add(op + ("." + type), w + "=" + w + w + w);
      add("shr." + type, w + "=" + w + "4");
      for (const char* compare : {"eq", "ne", "lt", "le", "gt", "ge"})
        add(std::string("setp.") + compare + "." + type, "p=" + w + w);
      if (bits != "64") {
        const std::string wide = bits == "16" ? "4" : "8";
        add("mul.wide." + type, wide + "=" + w + w);
        add("mad.wide." + type, wide + "=" + w + w + wide);
      }
      if (bits != "16") {
        add("bfe." + type, w + "=" + w + "44");
        add("bfind." + type, "4=" + w);
        add("bfind.shiftamt." + type, "4=" + w);
      }
    }
    add("neg.s" + bits, w + "=" + w);
    add("abs.s" + bits, w + "=" + w);
    add("shl.b" + bits, w + "=" + w + "4");
    for (const char* op : {"and", "or", "xor"}) add(op + (".b" + bits), w + "=" + w + w);
    add("not.b" + bits, w + "=" + w);
    add("cnot.b" + bits, w + "=" + w);
    if (bits == "16") continue;
    add("popc.b" + bits, "4=" + w);
    add("clz.b" + bits, "4=" + w);
    add("brev.b" + bits, w + "=" + w);
    add("bfi.b" + bits, w + "=" + w + w + "44");
  }
  for (const char* op :
       {"add.sat.s32", "sub.sat.s32", "mul24.lo.s32", "mul24.lo.u32", "bmsk.clamp.b32", "bmsk.wrap.b32"})
    add(op, "4=44");
  for (const char* op :
       {"shf.l.wrap.b32", "shf.l.clamp.b32", "shf.r.wrap.b32", "shf.r.clamp.b32", "prmt.b32", "sad.s32", "sad.u32",
        "dp4a.s32.s32", "dp4a.s32.u32", "dp4a.u32.s32", "dp4a.u32.u32", "slct.b32.s32"})
    add(op, "4=444");

  for (const std::string type : {"f32", "f64"}) {
    const std::string w = type == "f32" ? "f" : "d";
    for (const std::string rounding : {"rn", "rz", "rm", "rp"}) {
      for (const char* op : {"add", "sub", "mul", "div"}) add(op + ("." + rounding) + "." + type, w + "=" + w + w);
      add("fma." + rounding + "." + type, w + "=" + w + w + w);
      add("rcp." + rounding + "." + type, w + "=" + w);
      add("sqrt." + rounding + "." + type, w + "=" + w);
    }
    for (const char* op : {"min", "max", "copysign"}) add(op + ("." + type), w + "=" + w + w);
    add("abs." + type, w + "=" + w);
    add("neg." + type, w + "=" + w);
    for (const char* compare :
         {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"})
      add(std::string("setp.") + compare + "." + type, "p=" + w + w);
    for (const char* what : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
      add(std::string("testp.") + what + "." + type, "p=" + w);
  }
  for (const std::string flags : {".ftz", ".sat", ".ftz.sat"}) {
    for (const std::string rounding : {"rn", "rz", "rm", "rp"}) {
      for (const char* op : {"add", "sub", "mul"}) add(op + ("." + rounding) + flags + ".f32", "f=ff");
      add("fma." + rounding + flags + ".f32", "f=fff");
    }
  }
  for (const char* op : {"min.ftz", "max.ftz", "min.NaN", "max.NaN", "div.rn.ftz", "setp.lt.ftz", "setp.geu.ftz"})
    add(op + std::string(".f32"), (op[0] == 's' ? "p=ff" : "f=ff"));
  for (const char* op : {"abs.ftz", "neg.ftz", "sqrt.rn.ftz", "rcp.rz.ftz"}) add(op + std::string(".f32"), "f=f");

  for (const std::string type : {"f16", "bf16"}) {
    const std::string w = type == "f16" ? "h" : "b";
    if (type == "f16") {
      for (const std::string flags : {"", ".ftz", ".sat", ".ftz.sat"}) {
        for (const char* op : {"add", "sub", "mul"}) {
          add(op + flags + ".f16", "h=hh");
          add(op + flags + ".f16x2", "4=44");
        }
        add("fma.rn" + flags + ".f16", "h=hhh");
        add("fma.rn" + flags + ".f16x2", "4=444");
      }
      for (const char* compare : {"eq", "ne", "lt", "geu", "nan"}) add(std::string("setp.") + compare + ".f16", "p=hh");
    }
    if (type == "bf16") add("fma.rn.bf16", "b=bbb");
    add("fma.rn.relu." + type, w + "=" + w + w + w);
    for (const char* op : {"min", "max", "min.NaN", "max.NaN"}) {
      add(op + ("." + type), w + "=" + w + w);
      add(op + ("." + type) + "x2", "4=44");
    }
    add("abs." + type, w + "=" + w);
    add("neg." + type, w + "=" + w);
    add("cvt.f32." + type, "f=" + w);
    for (const char* flags : {"rn", "rz", "rn.relu"}) {
      add(std::string("cvt.") + flags + "." + type + ".f32", w + "=f");
      add(std::string("cvt.") + flags + "." + type + "x2.f32", "4=ff");
    }
  }
  for (const std::string from : {"f16", "f32", "f64"}) {
    const std::string w = from == "f16" ? "h" : from == "f32" ? "f" : "d";
    for (const std::string rounding : {"rni", "rzi", "rmi", "rpi"}) {
      for (const auto& sign : signs)
        for (const std::string bits : {"16", "32", "64"})
          add("cvt." + rounding + "." + sign + bits + "." + from, std::string(width(bits)) + "=" + w);
      add("cvt." + rounding + "." + from + "." + from, w + "=" + w);
    }
    for (const std::string rounding : {"rn", "rz", "rm", "rp"})
      for (const auto& sign : signs)
        for (const std::string bits : {"16", "32", "64"})
          add("cvt." + rounding + "." + from + "." + sign + bits, w + "=" + width(bits));
  }
  for (const std::string rounding : {"rn", "rz", "rm", "rp"}) {
    add("cvt." + rounding + ".f32.f64", "f=d");
    add("cvt." + rounding + ".ftz.f32.f64", "f=d");
    if (rounding == "rn" || rounding == "rz") add("cvt." + rounding + ".f16.f64", "h=d");
  }
  add("cvt.f64.f32", "d=f");
  add("cvt.f64.f16", "d=h");
  add("cvt.sat.f32.f32", "f=f");
  add("cvt.ftz.f64.f32", "d=f");
  add("cvt.rzi.ftz.s32.f32", "4=f");
  for (const auto& to : signs)
    for (const auto& from : signs)
      for (const std::string to_bits : {"16", "32", "64"})
        for (const std::string from_bits : {"16", "32", "64"}) {
          const std::string shape = std::string(width(to_bits)) + "=" + width(from_bits);
          add("cvt." + to + to_bits + "." + from + from_bits, shape);
          add("cvt.sat." + to + to_bits + "." + from + from_bits, shape);
        }
  for (const auto& to : signs)
    for (const auto& from : signs) {
      add("cvt." + to + "32." + from + "8", "4=4");
      add("cvt." + to + "8." + from + "32", "4=4");
      add("cvt.sat." + to + "8." + from + "32", "4=4");
      add("cvt." + to + "16." + from + "8", "2=2");
    }
  return cases;
}

constexpr size_t kConformanceLanes = 2048;

/// The inputs of one operand: every pair of 32 special values, then random bits.
inline std::vector<uint64_t> conformance_inputs(char type, size_t operand) {
  std::vector<uint64_t> special;
  switch (type) {
    case 'f':
      for (uint32_t bits :
           {0x00000000U, 0x80000000U, 0x3f800000U, 0xbf800000U, 0x7f800000U, 0xff800000U, 0x7fc00000U, 0xffc12345U,
            0x7f800001U, 0x00000001U, 0x80000001U, 0x007fffffU, 0x00800000U, 0x80800000U, 0x7f7fffffU, 0xff7fffffU,
            0x3f000000U, 0x3fc00000U, 0xc0200000U, 0x4b800000U, 0x4b7fffffU, 0x4f000000U, 0xcf000000U, 0x5f000000U,
            0x477fe000U, 0x477ff000U, 0x33800000U, 0x38800001U, 0x3eaaaaabU, 0x40490fdbU, 0x437f8000U, 0xc3000000U})
        special.push_back(bits);
      break;
    case 'd':
      for (double value : {0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           0.5,
                           1.5,
                           -2.5,
                           3.0,
                           1e-310,
                           -1e-310,
                           2.2250738585072014e-308,
                           1.7976931348623157e308,
                           65504.0,
                           65520.0,
                           65519.99,
                           2147483647.5,
                           -2147483648.5,
                           4294967295.5,
                           9.2233720368547758e18,
                           -9.3e18,
                           1.8446744073709552e19,
                           0.1,
                           1.0000000596046448,
                           3.4028235677973366e38,
                           1.4e-45,
                           7e-46,
                           1.1754943e-38,
                           6.1e-5})
        special.push_back(std::bit_cast<uint64_t>(value));
      for (uint64_t bits : {0x7ff0000000000000U, 0xfff0000000000000U, 0x7ff8000000000001U, 0xfff0000000000001U})
        special.push_back(bits);
      break;
    case 'x':
      for (uint64_t low : conformance_inputs('h', 0)) special.push_back(low);
      for (size_t i = 0; i < 32; ++i) special[i] |= special[(i * 5 + 3) % 32] << 16 & 0xffff0000;
      special.resize(32);
      break;
    case 'h':
    case 'b':
    case '2':
      for (uint32_t bits : {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe12, 0x0001, 0x8001,
                            0x03ff, 0x0400, 0x7bff, 0xfbff, 0x3800, 0x3e00, 0xc100, 0x3f80, 0xbf80, 0x7f80, 0xff80,
                            0x7fc0, 0x7f7f, 0x0080, 0x007f, 0x5bff, 0x7fff, 0xffff, 0x4248, 0x0010, 0x000f})
        special.push_back(bits);
      break;
    default:
      for (uint64_t bits : std::vector<uint64_t>{0,
                                                 1,
                                                 2,
                                                 3,
                                                 7,
                                                 31,
                                                 32,
                                                 33,
                                                 63,
                                                 64,
                                                 65,
                                                 127,
                                                 128,
                                                 255,
                                                 256,
                                                 32767,
                                                 32768,
                                                 65535,
                                                 0x7fffffff,
                                                 0x80000000,
                                                 0xffffffff,
                                                 0xfffffffe,
                                                 0xaaaaaaaa,
                                                 0x3c00bc00,
                                                 0x7e017c00,
                                                 0x7fffffffffffffff,
                                                 0x8000000000000000,
                                                 0xffffffffffffffff,
                                                 0xffffffff00000000,
                                                 0x123456789abcdef0,
                                                 0x0101010101010101,
                                                 24})
        special.push_back(bits);
  }
  std::vector<uint64_t> inputs(kConformanceLanes);
  uint64_t state = 0x9e3779b97f4a7c15 * (operand + 1) + static_cast<uint64_t>(type);
  for (size_t i = 0; i < inputs.size(); ++i) {
    state += 0x9e3779b97f4a7c15;  // splitmix64
    uint64_t random = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    random = (random ^ random >> 27) * 0x94d049bb133111eb;
    random ^= random >> 31;
    const auto step = static_cast<uint32_t>(random & 15);
    // Products that are the smallest normal number or a little less: (2 − some ulps) · (1 + some ulps).
    if (type == 'u') inputs[i] = (0x1fffffffU - step) | (random >> 4 & 1) << 31;
    if (type == 't') inputs[i] = (0x20000000U + step) | (random >> 4 & 1) << 31;
    if (type == 'v') inputs[i] = (0x1fffU - step) | (random >> 4 & 1) << 15;
    if (type == 'w') inputs[i] = (0x2000U + step) | (random >> 4 & 1) << 15;
    if (type == 'u' || type == 't' || type == 'v' || type == 'w') continue;
    const size_t pick = operand == 0 ? i % 32 : operand == 1 ? i / 32 % 32 : (i * 7 + 3) % 32;
    inputs[i] = i < 1024 ? special[pick] : random;
    if (type == 'p') inputs[i] = random & 1;
  }
  return inputs;
}

/// A kernel named c<number> that applies one case to the arrays a, b, c, d of 64-bit elements.
inline std::string conformance_kernel(const ConformanceCase& test, size_t number) {
  const size_t equals = test.shape.find('=');
  const char result = test.shape[0];
  const std::string operands = test.shape.substr(equals + 1);
  const auto reg = [](char type, size_t index) {
    const char* stem = type == '2' || type == 'h' || type == 'b' ? "%rs"
                       : type == '4'                             ? "%r"
                       : type == 'f'                             ? "%f"
                       : type == 'd'                             ? "%fd"
                       : type == 'p'                             ? "%p"
                                                                 : "%rd";
    return stem + std::to_string(index + (type == '8' ? 10 : 1));
  };
  std::string text =
      ".visible .entry c" + std::to_string(number) +
      "(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 out)\n{\n"
      ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<9>;\n.reg .f64 "
      "%fd<9>;\n"
      "mov.u32 %r10, %ctaid.x;\nmov.u32 %r11, %ntid.x;\nmov.u32 %r12, %tid.x;\nmad.lo.s32 %r13, %r10, %r11, %r12;\n"
      "mul.wide.u32 %rd1, %r13, 8;\n";
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string to = reg(operands[i], i), value = "%rd" + std::to_string(10 + i);
    text += "ld.param.u64 %rd2, [" + std::string(1, "abcd"[i]) + "];\nadd.s64 %rd2, %rd2, %rd1;\nld.global.u64 " +
            value + ", [%rd2];\n";
    if (operands[i] == '2' || operands[i] == 'h' || operands[i] == 'b')
      text += "cvt.u16.u64 " + to + ", " + value + ";\n";
    if (operands[i] == '4') text += "cvt.u32.u64 " + to + ", " + value + ";\n";
    if (operands[i] == 'f') text += "cvt.u32.u64 %r14, " + value + ";\nmov.b32 " + to + ", %r14;\n";
    if (operands[i] == 'd') text += "mov.b64 " + to + ", " + value + ";\n";
  }
  text += test.opcode + " " + reg(result, 7);
  for (size_t i = 0; i < operands.size(); ++i) text += ", " + reg(operands[i], i);
  text += ";\n";
  if (result == 'p') text += "selp.b64 %rd9, 1, 0, %p8;\n";
  if (result == '2' || result == 'h' || result == 'b') text += "cvt.u64.u16 %rd9, %rs8;\n";
  if (result == '4') text += "cvt.u64.u32 %rd9, %r8;\n";
  if (result == 'f') text += "mov.b32 %r15, %f8;\ncvt.u64.u32 %rd9, %r15;\n";
  if (result == 'd') text += "mov.b64 %rd9, %fd8;\n";
  if (result == '8') text += "mov.b64 %rd9, %rd17;\n";
  return text + "ld.param.u64 %rd3, [out];\nadd.s64 %rd3, %rd3, %rd1;\nst.global.u64 [%rd3], %rd9;\nret;\n}\n";
}

}  // namespace tilescope
