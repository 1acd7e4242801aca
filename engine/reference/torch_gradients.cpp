#include "engine/reference/torch_gradients.hpp"

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/child_process.hpp"
#include "engine/json_text.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kTorch = "PyTorch";
constexpr std::chrono::seconds kPatience{240};  // importing PyTorch, and both precisions

tl::unexpected<Error> gradients_unavailable(const Phrase& why) {
  return fail(ErrorId::reference_unavailable, kTorch, why);
}

/// A folder that goes away with this.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> count{0};
    std::error_code ignored;
    path_ = fs::temp_directory_path(ignored) / fmt::format("tilescope-gradients-{}-{}", getpid(), count++);
    fs::create_directories(path_, ignored);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool write_floats(const fs::path& file, const TapeContents& contents) {
  std::vector<float> values(contents.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = contents[i];
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  return stream.good();
}

bool read_doubles(const fs::path& file, std::vector<double>& values) {
  std::ifstream stream(file, std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(double));
  stream.read(reinterpret_cast<char*>(values.data()), bytes);
  return stream.gcount() == bytes;
}

/// What the child is asked, with the inputs written to the folder; nothing if they cannot be written.
std::optional<json> make_request(const TapeProgram& program, const TapeProblem& problem, const fs::path& folder) {
  json request{{"id", 1},
               {"folder", folder.string()},
               {"rows", problem.rows},
               {"columns", problem.columns},
               {"result", program.values[program.result()].name},
               {"upstream", "upstream.f32"},
               {"inputs", json::array()},
               {"nodes", json::array()}};
  if (!write_floats(folder / "upstream.f32", problem.upstream)) return std::nullopt;
  for (size_t value = 0; value < program.values.size(); ++value) {
    const TapeValue& one = program.values[value];
    if (one.node) continue;
    const std::string file = fmt::format("input-{}.f32", value);
    if (!write_floats(folder / file, problem.inputs[value])) return std::nullopt;
    request["inputs"].push_back(
        {{"name", one.name}, {"shape", one.shape == TapeShape::matrix ? "matrix" : "vector"}, {"file", file}});
  }
  for (const TapeNode& node : program.nodes) {
    json one{{"output", program.values[node.output].name}, {"operator", name_of(node.op)}, {"inputs", json::array()}};
    for (const size_t input : node.inputs) one["inputs"].push_back(program.values[input].name);
    request["nodes"].push_back(std::move(one));
  }
  return request;
}

Result<TorchGradients> read_answer(const json& answer, const TapeProgram& program, const TapeProblem& problem,
                                   const fs::path& folder) {
  TorchGradients gradients;
  gradients.version = answer.value("torch", "");
  gradients.device = answer.value("device", "");
  gradients.values.resize(program.values.size());
  gradients.float_errors.assign(program.values.size(), std::nan(""));
  const json errors = answer.value("float32_errors", json::object());
  for (size_t value = 0; value < program.values.size(); ++value) {
    const TapeValue& one = program.values[value];
    if (one.node && value != program.result()) continue;
    gradients.values[value].resize(one.shape == TapeShape::matrix ? problem.rows * problem.columns : problem.columns);
    if (!read_doubles(folder / (one.name + ".f64"), gradients.values[value]))
      return gradients_unavailable(phrase("it wrote too few numbers for '{}'", one.name));
    if (errors.contains(one.name) && errors[one.name].is_number())
      gradients.float_errors[value] = errors[one.name].get<double>();
  }
  return gradients;
}

}  // namespace

Result<TorchGradients> torch_gradients(const fs::path& assets, const TapeProgram& program, const TapeProblem& problem,
                                       const std::stop_token& stop, const std::string& interpreter) {
  const fs::path script = assets / "python" / "autograd_child.py";
  std::error_code ignored;
  if (!fs::exists(script, ignored)) return gradients_unavailable(phrase("{} is missing", script.string()));
  const TemporaryFolder folder;
  const auto request = make_request(program, problem, folder.path());
  if (!request) return gradients_unavailable(phrase("{} cannot be written", folder.path().string()));
  const char* variable = std::getenv("TILESCOPE_PYTHON");
  const std::string python = !interpreter.empty() ? interpreter : variable && *variable ? variable : "python3";
  auto child = ChildProcess::start({python, "-B", script.string()});
  if (!child) return gradients_unavailable(child.error().reason);
  const auto line = (*child)->ask(json_text(*request), kPatience, stop);
  if (!line && line.error().cancelled) return fail(ErrorId::cancelled);
  if (!line) return gradients_unavailable(line.error().reason);
  const json answer = json_from(*line);
  if (!answer.is_object() || !answer.value("ok", json()).is_boolean())
    return gradients_unavailable(phrase("its answer does not belong to the request"));
  if (!answer["ok"].get<bool>()) {
    const json reason = answer.value("reason", json());
    return gradients_unavailable(reason.is_string() ? Phrase(reason.get<std::string>()) : Phrase("it gave no reason"));
  }
  return read_answer(answer, program, problem, folder.path());
}

}  // namespace tilescope
