// The protocol between the program and its NVRTC processes (nvrtc_process.hpp): one line per compilation, one line
// back, and "stop N" to cancel compilation N while it runs. Texts may hold any bytes.
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

/// Without the newline.
std::string line_of(const NvrtcQuestion& question);
std::string line_of(const NvrtcOutput& output);
std::string stop_line_of(uint64_t number);

/// Empty: the line is not of this protocol.
std::optional<NvrtcQuestion> question_in(std::string_view line);
std::optional<NvrtcOutput> output_in(std::string_view line);
std::optional<uint64_t> stopped_in(std::string_view line);

}  // namespace tilescope
