// What measure.py of an exported folder found: the graphs that torch.compile captures, graph breaks, kernels, and what
// a call costs.
//
//     auto recordings = read_operator_recordings(root / "assets/recordings/operators");   // those that ship
//     auto now = measure_operator(engine, request, stop);                                 // on this machine
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request.hpp"
#include "engine/result.hpp"
#include "engine/torch_operator/size_rule.hpp"

namespace tilescope {

class Engine;

/// One way of calling the operator.
struct OperatorVariant {
  std::string variant = {};                  // "eager", "launch", "library", "custom_op", "triton_op"
  std::string language = {};                 // "pytorch", "cuda", "triton"
  std::optional<int64_t> graph_breaks = {};  // in the step
  std::vector<std::string> captured = {};    // Dynamo's graphs as Python
  std::vector<std::string> reasons = {};     // for which it stopped
  std::vector<std::string> lowered = {};     // AOTAutograd's graphs
  std::optional<int64_t> kernels = {};       // in the compiled step
  std::optional<double> call_us = {}, step_us = {}, compiled_us = {}, replay_us = {};
  std::vector<std::string> problems = {};  // what could not be measured, with the reason
  std::string name() const;                // "launch (cuda)"
};

struct OperatorRecording {
  std::string lab = {}, operator_name = {}, command = {}, date = {};
  std::string gpu = {}, torch = {}, cuda = {}, triton = {};
  SizeValues sizes = {};
  int64_t rounds = 0, calls = 0;  // times on the host are the median of `rounds` rounds of `calls` calls
  std::vector<OperatorVariant> variants = {};
};

/// `file` is named in the error.
Result<OperatorRecording> operator_recording_from(std::string_view json, const std::string& file);
/// Those of a folder that can be read, sorted by file.
std::vector<OperatorRecording> read_operator_recordings(const std::filesystem::path& folder);

/// How far times on the host are apart in two recordings of the same, as the largest ratio of one to the other: 1.5.
/// Nothing if they have no time in common.
std::optional<double> largest_ratio(const OperatorRecording& one, const OperatorRecording& other);

/// Exports the request's lab in every way and measures it with TILESCOPE_PYTHON or python3. Takes a minute or two; the
/// error says what is missing.
Result<OperatorRecording> measure_operator(const Engine& engine, const Request& request, std::stop_token stop);

}  // namespace tilescope
