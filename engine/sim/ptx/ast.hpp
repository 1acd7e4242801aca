// A PTX module as parsed: names are resolved to registers, everything else stays as written.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilescope {

/// A fundamental type of PTX (PTX ISA, section 5.2). `text` has no dot: "f32".
struct PtxType {
  std::string_view text;
  uint32_t bytes = 0;  // 0: a predicate
  bool is_float = false;
  bool is_signed = false;
};
/// Nothing if there is no such type.
const PtxType* find_ptx_type(std::string_view text);

struct PtxRegister {
  uint32_t bytes = 0;  // 0: a predicate
};

struct PtxOperand {
  enum class Kind : uint8_t {
    reg,      // %r1, possibly negated (!%p1)
    integer,  // 12, -1
    real,     // 0f3F800000, 1.5: `bits` are those of a double unless single is set
    name,     // a variable, label, function or special register, with an offset
    address,  // [base+offset]; base is a register, a name, or nothing
    vector,   // {a, b, c, d}
    pair,     // p|q
    sink,     // _
  };
  Kind kind = Kind::sink;
  bool negated = false;
  bool single = false;        // for a real: the bits are those of a float
  bool has_register = false;  // for an address: `reg` is its base
  uint32_t reg = 0;           // index into PtxFunction::registers
  uint64_t bits = 0;          // for a literal
  int64_t offset = 0;         // for an address or a name
  std::string_view name;
  std::string_view selector = {};         // for a register: the part that a video instruction selects, "b1" or "h10"
  std::vector<PtxOperand> elements = {};  // for a vector or pair
};

/// One .loc: the source of the code that follows. Inlined code also names the location where it was inlined.
struct PtxLocation {
  uint32_t file = 0, line = 0, column = 0;
  bool inlined = false;
  uint32_t at_file = 0, at_line = 0, at_column = 0;
};

constexpr uint32_t kNoIndex = 0xffffffff;

struct PtxInstruction {
  std::string_view opcode;  // complete: "ld.global.v4.f32"
  std::string_view text;    // as written, guard included, without the semicolon
  std::vector<PtxOperand> operands;
  uint32_t guard = kNoIndex;  // register of the guard predicate
  bool guard_negated = false;
  uint32_t location = kNoIndex;  // index into PtxFunction::locations
  uint32_t ptx_line = 0;
};

/// A variable of any state space, or a parameter.
struct PtxVariable {
  std::string_view name;
  uint64_t bytes = 0;  // 0: unknown size (extern __shared__ x[])
  uint32_t alignment = 1;
  bool is_extern = false;
  bool is_argument = false;           // passes a value to or from a function: counts as written even if nothing was
                                      // stored
  std::vector<uint8_t> initial = {};  // shorter than `bytes` if the rest is zero
  struct Relocation {                 // the address of another variable, stored in this one
    uint64_t offset;                  // bytes into `initial`
    uint32_t bytes;
    std::string_view name;
    int64_t addend;
    bool generic;
    uint32_t first_byte = 0;  // byte of the address, if a mask selects one: 0xff00(x) is byte 1
  };
  std::vector<Relocation> relocations = {};
};

/// A function whose body is among the instructions of another function (lower/inline_calls.hpp). Its frame in local
/// memory holds its results, its parameters and its variables, in this order.
struct PtxSubroutine {
  std::string_view name;
  uint32_t function = kNoIndex;  // index into PtxModule::functions
  uint32_t first = 0;            // its first instruction
  uint32_t frame = 0;            // the register with the offset of its frame in local memory
  uint64_t frame_bytes = 0;
  std::vector<uint64_t> results, parameters;  // bytes of each
};

/// .callprototype: sizes in bytes of a function's parameters and results.
struct PtxPrototype {
  std::vector<uint64_t> results, parameters;
};

/// A remaining call: of a subroutine, or through a pointer.
struct PtxCall {
  struct Argument {
    std::string_view variable;  // the caller's
    uint64_t offset = 0;        // in the caller's frame; not yet known for a kernel's variable
    uint64_t bytes = 0;
  };
  uint32_t caller = kNoIndex, subroutine = kNoIndex;  // indices; none: the kernel, a pointer
  bool saves = false;                                 // the call may be recursive
  std::vector<Argument> results = {}, parameters = {};
};

struct PtxFunction {
  std::string_view name;
  bool is_entry = false;
  std::vector<PtxVariable> parameters, results;
  std::vector<PtxRegister> registers;
  std::vector<PtxVariable> local, shared;  // declared inside it
  std::vector<PtxVariable> call_params;    // .param variables of its call sequences
  std::vector<PtxInstruction> instructions;
  std::vector<PtxLocation> locations;
  std::unordered_map<std::string_view, uint32_t> labels;  // label to the index of the following instruction
  std::unordered_map<std::string_view, std::vector<std::string_view>> branch_targets;  // tables of brx.idx
  std::unordered_map<std::string_view, PtxPrototype> prototypes;                       // for calls through pointers
  std::vector<PtxSubroutine> subroutines;                                              // their bodies come first
  std::unordered_map<uint32_t, PtxCall> calls;                                         // by instruction
  uint32_t entry = 0;                                                                  // its first instruction
  uint32_t max_threads[3] = {0, 0, 0};                                                 // .maxntid; 0 if not given
  uint32_t required_threads[3] = {0, 0, 0};                                            // .reqntid
  uint32_t min_blocks = 0;                                                             // .minnctapersm
};

struct PtxModule {
  std::string text;                    // owns the text of all views
  std::deque<std::string> made_names;  // names that are not part of `text`
  std::string_view version, target;
  std::unordered_map<uint32_t, std::string_view> files;
  std::vector<PtxVariable> global, constant, shared;
  std::vector<PtxFunction> functions;
};

}  // namespace tilescope
