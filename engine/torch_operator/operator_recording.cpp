#include "engine/torch_operator/operator_recording.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/child_process.hpp"
#include "engine/json_text.hpp"
#include "engine/kernel_language.hpp"
#include "engine/text_file.hpp"
#include "engine/torch_operator/operator_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::chrono::seconds kLongestMeasurement{400};

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <class T>
std::optional<T> number_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional(found->get<T>()) : std::nullopt;
}

std::vector<std::string> texts_at(const json& object, const char* key) {
  std::vector<std::string> texts;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return texts;
  for (const json& one : *found)
    if (one.is_string()) texts.push_back(one.get<std::string>());
  return texts;
}

OperatorVariant variant_from(const json& object) {
  OperatorVariant one{.variant = text_at(object, "variant"), .language = text_at(object, "language")};
  const json captured = object.value("captured", json::object());
  one.graph_breaks = number_at<int64_t>(captured, "graph_breaks");
  one.captured = texts_at(captured, "graphs");
  one.reasons = texts_at(captured, "reasons");
  one.lowered = texts_at(object, "lowered");
  one.kernels = number_at<int64_t>(object, "kernels");
  one.call_us = number_at<double>(object, "call_us");
  one.step_us = number_at<double>(object, "step_us");
  one.compiled_us = number_at<double>(object, "compiled_us");
  one.replay_us = number_at<double>(object, "replay_us");
  one.problems = texts_at(object, "problems");
  return one;
}

/// A folder that goes with the object.
class TrialFolder {
 public:
  TrialFolder() {
    std::string name = (fs::temp_directory_path() / "tilescope-operator-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TrialFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The rungs and ways that are measured: the request's own in every way, and the lab's first Triton rung as triton_op.
std::vector<std::pair<std::string, OperatorWay>> measured_ways(const Lab& lab, const std::string& rung) {
  std::vector<std::pair<std::string, OperatorWay>> ways{{rung, OperatorWay::library}, {rung, OperatorWay::custom_op}};
  const auto is_triton = [&](const Rung& one) {
    return !one.pick && language_of(source_file_of(lab, one)) == KernelLanguage::triton;
  };
  const Rung* own = find_rung(lab, rung);
  if (own != nullptr && is_triton(*own)) {
    ways.emplace_back(rung, OperatorWay::triton_op);
  } else if (const auto found = std::ranges::find_if(lab.rungs, is_triton); found != lab.rungs.end()) {
    ways.emplace_back(found->name, OperatorWay::triton_op);
  }
  return ways;
}

tl::unexpected<Error> no_result(const Phrase& why) {
  return tl::unexpected<Error>(
      make_error(ErrorId::reference_unavailable, {Phrase("the measurement"), why},
                 Phrase("Set TILESCOPE_PYTHON to a Python that has PyTorch with CUDA, and Triton.")));
}

}  // namespace

std::string OperatorVariant::name() const { return language == "pytorch" ? variant : variant + " (" + language + ")"; }

Result<OperatorRecording> operator_recording_from(std::string_view text, const std::string& file) {
  const auto refused = [&](const Phrase& why) {
    return tl::unexpected<Error>(make_error(ErrorId::recording_refused, {file, why},
                                            Phrase("Write it again with 'python3 measure.py --json FILE'.")));
  };
  const json object = json_from(text);
  if (!object.is_object()) return refused(Phrase("it is not one JSON object"));
  OperatorRecording recording{.lab = text_at(object, "lab"),
                              .operator_name = text_at(object, "operator"),
                              .command = text_at(object, "command"),
                              .date = text_at(object, "date"),
                              .gpu = text_at(object, "gpu"),
                              .torch = text_at(object, "torch"),
                              .cuda = text_at(object, "cuda"),
                              .triton = text_at(object, "triton")};
  recording.rounds = number_at<int64_t>(object, "rounds").value_or(0);
  recording.calls = number_at<int64_t>(object, "calls").value_or(0);
  const json sizes = object.value("sizes", json::object());
  for (const auto& [name, value] : sizes.items())
    if (value.is_number_integer()) recording.sizes[name] = value.get<int64_t>();
  const json variants = object.value("variants", json::array());
  if (variants.is_array())
    for (const json& one : variants)
      if (one.is_object()) recording.variants.push_back(variant_from(one));
  if (recording.lab.empty() || recording.gpu.empty() || recording.variants.empty())
    return refused(Phrase("it names no lab, no GPU or no variant"));
  return recording;
}

std::vector<OperatorRecording> read_operator_recordings(const fs::path& folder) {
  std::set<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") files.insert(entry.path());
  std::vector<OperatorRecording> recordings;
  for (const fs::path& file : files)
    if (const auto text = read_text(file))
      if (auto one = operator_recording_from(*text, file.filename().string())) recordings.push_back(std::move(*one));
  return recordings;
}

std::optional<double> largest_ratio(const OperatorRecording& one, const OperatorRecording& other) {
  std::optional<double> largest;
  for (const OperatorVariant& variant : one.variants) {
    const auto same = [&](const OperatorVariant& of) { return of.name() == variant.name(); };
    const auto found = std::ranges::find_if(other.variants, same);
    if (found == other.variants.end()) continue;
    for (const auto time : {&OperatorVariant::call_us, &OperatorVariant::step_us, &OperatorVariant::compiled_us}) {
      const double left = (variant.*time).value_or(0), right = ((*found).*time).value_or(0);
      if (left <= 0 || right <= 0) continue;
      largest = std::max(largest.value_or(1), std::max(left / right, right / left));
    }
  }
  return largest;
}

Result<OperatorRecording> measure_operator(const Engine& engine, const Request& request, std::stop_token stop) {
  const Lab* lab = lab_of(request);
  if (lab == nullptr) return fail(ErrorId::lab_not_found, request.lab, "");
  const TrialFolder folder;
  const char* chosen = std::getenv("TILESCOPE_PYTHON");
  std::vector<std::string> command{chosen != nullptr && *chosen != '\0' ? chosen : "python3"};
  for (const auto& [rung, way] : measured_ways(*lab, request.rung)) {
    Request one = request;
    one.rung = rung;
    one.broken.clear();
    if (rung != request.rung) one.edited_source.reset();
    const fs::path path = folder.path() / fmt::format("{}", name_of(way));
    auto made = operator_folder(engine, one, way, export_command(one, way, "FOLDER"));
    if (!made) return forward(made);
    if (const auto added = add_ptx(engine, *made, stop); !added) return forward(added);
    if (const auto written = write_operator_folder(*made, path); !written) return forward(written);
    command.push_back(command.size() == 1 ? (path / "measure.py").string() : path.string());
  }
  command.emplace_back("--line");
  auto child = ChildProcess::start(command);
  if (!child) return no_result(child.error().reason);
  const auto answer = (*child)->ask("", kLongestMeasurement, stop);
  if (!answer) return no_result(answer.error().reason);
  return operator_recording_from(*answer, "measure.py");
}

}  // namespace tilescope
