// The functions that CUDA's run time provides to kernels: printf, assert, malloc and free (CUDA C++ Programming Guide,
// "C++ Language Extensions"). Lanes execute in ascending order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/state/device_heap.hpp"
#include "engine/sim/state/device_printf.hpp"

namespace tilescope {
namespace {

/// The string at an address in a lane's memory.
std::optional<std::string> read_string(const Warp& warp, size_t lane, uint64_t address, uint64_t most) {
  const std::span<const uint8_t> bytes = warp.machine->accesses().bytes_at(warp, lane, address);
  const size_t limit = static_cast<size_t>(std::min<uint64_t>(most, bytes.size()));
  const void* end = limit == 0 ? nullptr : std::memchr(bytes.data(), 0, limit);
  if (end == nullptr && limit < most) return std::nullopt;
  const size_t length = end == nullptr ? limit : static_cast<size_t>(static_cast<const uint8_t*>(end) - bytes.data());
  return std::string(reinterpret_cast<const char*>(bytes.data()), length);
}

std::string string_or(const Warp& warp, size_t lane, uint64_t address, const char* otherwise) {
  return read_string(warp, lane, address, kMostOutput).value_or(otherwise);
}

/// vprintf(format, arguments): the number of arguments, or -1 without a format.
const Operation* Vprintf(Warp& warp, const Operation* operation, uint32_t mask) {
  std::array<uint64_t, 32> formats, buffers;
  std::memcpy(formats.data(), warp.source<uint64_t>(operation->a), sizeof(formats));
  std::memcpy(buffers.data(), warp.source<uint64_t>(operation->b), sizeof(buffers));
  auto* result = warp.destination<int32_t>(operation->dst);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    result[lane] = -1;
    if (formats[lane] == 0) continue;
    const auto format = read_string(warp, lane, formats[lane], kMostOutput);
    if (!format) {
      warp.machine->findings().report_string(warp, operation, lane, formats[lane]);
      continue;
    }
    const auto argument = [&](uint64_t offset, uint32_t bytes) {
      uint64_t value = 0;
      const auto there = warp.machine->accesses().bytes_at(warp, lane, buffers[lane] + offset);
      if (there.size() >= bytes) std::memcpy(&value, there.data(), bytes);
      return value;
    };
    const auto string = [&](uint64_t address, uint64_t most) { return read_string(warp, lane, address, most); };
    const PrintfResult printed = format_printf(*format, argument, string);
    if (printed.bad_string) warp.machine->findings().report_string(warp, operation, lane, *printed.bad_string);
    warp.machine->print(printed.text);
    result[lane] = printed.arguments;
  }
  return operation + 1;
}

/// __assertfail(expression, file, line, function).
const Operation* AssertFail(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto lane = static_cast<size_t>(std::countr_zero(mask));
  const auto fourth = static_cast<uint16_t>(operation->immediate & 0xffff);
  const std::string expression = string_or(warp, lane, warp.source<uint64_t>(operation->a)[lane], "the condition");
  const std::string function = string_or(warp, lane, warp.source<uint64_t>(fourth)[lane], "the kernel");
  const FindingPlace place{string_or(warp, lane, warp.source<uint64_t>(operation->b)[lane], ""),
                           warp.source<uint32_t>(operation->c)[lane]};
  warp.machine->findings().stop(warp, operation, mask, "assertion",
                                phrase("'{}' does not hold in '{}'", expression, function), &place);
  return warp.leave(operation + 1);
}

const Operation* Malloc(Warp& warp, const Operation* operation, uint32_t mask) {
  std::array<uint64_t, 32> bytes;
  std::memcpy(bytes.data(), warp.source<uint64_t>(operation->a), sizeof(bytes));
  auto* result = warp.destination<uint64_t>(operation->dst);
  DeviceHeap& heap = *warp.machine->setup().heap;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    result[lane] = heap.allocate(bytes[lane]);
  }
  return operation + 1;
}

const Operation* Free(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* addresses = warp.source<uint64_t>(operation->a);
  DeviceHeap& heap = *warp.machine->setup().heap;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint64_t address = addresses[lane];
    switch (heap.release(address)) {
      case DeviceHeap::Release::done:
        break;
      case DeviceHeap::Release::twice:
        warp.machine->findings().report_free(warp, operation, lane, "double-free", address);
        break;
      case DeviceHeap::Release::unknown:
        warp.machine->findings().report_free(warp, operation, lane, "invalid-free", address);
        break;
    }
  }
  // No instruction may keep using freed memory.
  warp.machine->accesses().forget_places();
  return operation + 1;
}

}  // namespace

std::span<const IsaRow> library_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_LIBRARY
#include "engine/sim/program/isa.def"
#undef ISA_LIBRARY
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
