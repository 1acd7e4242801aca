#include "engine/reference/python.hpp"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

namespace tilescope {
namespace {

using nlohmann::json;

constexpr const char* kChild = "the Python reference";

std::string interpreter_of(const PythonOptions& options) {
  if (!options.interpreter.empty()) return options.interpreter;
  const char* variable = std::getenv("TILESCOPE_PYTHON");
  return variable && *variable ? variable : "python3";
}

const char* protocol_name(ReferenceKind kind) {
  if (kind == ReferenceKind::torch_compile) return "torch_compile";
  if (kind == ReferenceKind::cudnn) return "cudnn";
  return kind == ReferenceKind::triton ? "triton" : "torch";
}
const char* display_name(ReferenceKind kind) {
  if (kind == ReferenceKind::torch_compile) return "torch.compile";
  if (kind == ReferenceKind::cudnn) return "cuDNN";
  return kind == ReferenceKind::triton ? "Triton" : "PyTorch";
}

/// A text member, or nothing if it is absent or of another type.
std::string text_of(const json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The start of a line that is not JSON, as it can be shown.
std::string excerpt(const std::string& line) {
  std::string text;
  for (char letter : line.substr(0, 60)) text += letter >= ' ' && letter < 127 ? letter : '?';
  return text;
}

}  // namespace

Result<std::unique_ptr<PythonReference>> PythonReference::open(const PythonOptions& options, std::stop_token stop) {
  std::error_code error;
  if (!std::filesystem::exists(options.script, error)) {
    return fail(ErrorId::reference_unavailable, kChild, phrase("{} is missing", options.script.string()));
  }
  // -B: no __pycache__ beside the script, which may lie in a folder that is not ours to write.
  auto child = ChildProcess::start({interpreter_of(options), "-B", options.script.string()});
  if (!child) return fail(ErrorId::reference_unavailable, kChild, child.error().reason);
  std::unique_ptr<PythonReference> reference(new PythonReference(std::move(*child), options));
  auto hello = reference->ask(kChild, {{"command", "hello"}}, options.start_timeout, stop);
  if (!hello) return forward(hello);
  PythonVersions& versions = reference->versions_;
  versions.python = text_of(*hello, "python");
  versions.torch = text_of(*hello, "torch");
  versions.triton = text_of(*hello, "triton");
  versions.gpu = text_of(*hello, "gpu");
  versions.torch_reason = text_of(*hello, "torch_reason");
  versions.triton_reason = text_of(*hello, "triton_reason");
  versions.cudnn_reason = text_of(*hello, "cudnn_reason");
  return reference;
}

std::string PythonReference::missing(ReferenceKind kind) const {
  if (kind == ReferenceKind::torch) return versions_.torch_reason;
  // torch.compile writes Triton kernels.
  if (kind == ReferenceKind::torch_compile)
    return versions_.torch_reason.empty() ? versions_.triton_reason : versions_.torch_reason;
  if (kind == ReferenceKind::cudnn) return versions_.cudnn_reason;
  if (kind == ReferenceKind::triton) return versions_.triton_reason;
  return "it is not a Python reference";
}

Result<json> PythonReference::ask(const std::string& who, json request, std::chrono::milliseconds timeout,
                                  std::stop_token stop) {
  if (!child_) return fail(ErrorId::reference_unavailable, who, "its process has ended");
  request["id"] = ++last_id_;
  auto line = child_->ask(request.dump(), timeout, stop);
  if (!line && line.error().cancelled) return fail(ErrorId::cancelled);
  if (!line) return fail(ErrorId::reference_unavailable, who, line.error().reason);
  json answer = json::parse(*line, nullptr, false);
  if (!answer.is_object()) {
    child_.reset();
    return fail(ErrorId::reference_unavailable, who, phrase("it answered '{}', which is not JSON", excerpt(*line)));
  }
  if (answer.value("id", json()) != json(last_id_) || !answer.value("ok", json()).is_boolean()) {
    return fail(ErrorId::reference_unavailable, who, "its answer does not belong to the request");
  }
  if (!answer["ok"].get<bool>()) {
    const std::string reason = text_of(answer, "reason");
    return fail(ErrorId::reference_unavailable, who, reason.empty() ? Phrase("it gave no reason") : Phrase(reason));
  }
  return answer;
}

Result<void> PythonReference::prepare(const Work& work, std::stop_token stop) {
  json request{{"command", "prepare"},
               {"implementation", protocol_name(work.kind)},
               {"operation", work.operation},
               {"n", work.n},
               {"sizes", work.sizes},
               {"params", work.params},
               {"seed", work.seed},
               {"sets", work.sets},
               {"executions", work.executions},
               {"flush_bytes", work.flush_bytes}};
  auto answer = ask(display_name(work.kind), std::move(request), options_.request_timeout, stop);
  if (!answer) return forward(answer);
  return {};
}

Result<std::vector<double>> PythonReference::time(ReferenceKind kind, const std::string& operation, int samples,
                                                  std::stop_token stop) {
  json request{
      {"command", "time"}, {"implementation", protocol_name(kind)}, {"operation", operation}, {"samples", samples}};
  auto answer = ask(display_name(kind), std::move(request), options_.request_timeout, stop);
  if (!answer) return forward(answer);
  const json values = answer->value("milliseconds", json());
  std::vector<double> milliseconds;
  if (values.is_array()) {
    for (const json& value : values) {
      if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0) {
        milliseconds.push_back(value.get<double>());
      }
    }
  }
  if (milliseconds.size() != static_cast<size_t>(samples)) {
    return fail(ErrorId::reference_unavailable, display_name(kind),
                phrase("it was asked for {} timings and gave {}", samples, milliseconds.size()));
  }
  return milliseconds;
}

Result<void> PythonReference::release(std::stop_token stop) {
  auto answer = ask(kChild, {{"command", "release"}}, options_.request_timeout, stop);
  if (!answer) return forward(answer);
  return {};
}

}  // namespace tilescope
