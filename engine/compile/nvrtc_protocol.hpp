// What passes between the program and the processes in which NVRTC runs (nvrtc_process.hpp): one line for a
// compilation, one line back, and "stop N" for compilation N while it runs. Texts are bytes of any kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/compile/nvrtc_program.hpp"

namespace tilescope {

struct NvrtcQuestion {
  uint64_t number = 0;
  NvrtcInput input;
};

/// Without an end of line.
std::string line_of(const NvrtcQuestion& question);
std::string line_of(const NvrtcOutput& output);
std::string stop_line_of(uint64_t number);

/// Empty: the line is none of ours.
std::optional<NvrtcQuestion> question_in(std::string_view line);
std::optional<NvrtcOutput> output_in(std::string_view line);
std::optional<uint64_t> stopped_in(std::string_view line);

}  // namespace tilescope
