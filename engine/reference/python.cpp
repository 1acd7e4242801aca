#include "engine/reference/python.hpp"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/json_text.hpp"
#include "engine/reference/reference.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

constexpr const char* kChild = "the Python reference";

std::string interpreter_of(const PythonOptions& options) {
  if (!options.interpreter.empty()) return options.interpreter;
  const char* variable = std::getenv("TILESCOPE_PYTHON");
  return variable && *variable ? variable : "python3";
}

/// The display name of an implementation, "PyTorch" for "torch".
std::string display_name(const std::string& implementation) {
  if (implementation == "torch") return "PyTorch";
  if (implementation == "torch_compile") return "torch.compile";
  if (implementation == "triton") return "Triton";
  return implementation == "cudnn" ? "cuDNN" : implementation;
}

/// A text member, or empty if it is absent or has a different type.
std::string text_of(const json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The start of a line that is not JSON, in displayable form.
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
  // -B: no __pycache__ beside the script, whose folder may not be writable.
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

std::string PythonReference::missing(const std::string& implementation) const {
  if (implementation == "torch") return versions_.torch_reason;
  // torch.compile writes Triton kernels.
  if (implementation == "torch_compile")
    return versions_.torch_reason.empty() ? versions_.triton_reason : versions_.torch_reason;
  if (implementation == "triton") return versions_.triton_reason;
  return implementation == "cudnn" ? versions_.cudnn_reason : "it is not a Python reference";
}

Result<json> PythonReference::ask(const std::string& who, json request, std::chrono::milliseconds timeout,
                                  std::stop_token stop) {
  if (!child_) return fail(ErrorId::reference_unavailable, who, "its process has ended");
  request["id"] = ++last_id_;
  auto line = child_->ask(json_text(request), timeout, stop);
  if (!line && line.error().cancelled) return fail(ErrorId::cancelled);
  if (!line) return fail(ErrorId::reference_unavailable, who, line.error().reason);
  json answer = json_from(*line);
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

Result<double> PythonReference::prepare(const Work& work, std::stop_token stop) {
  json request{{"command", "prepare"},
               {"implementation", work.implementation},
               {"operation", work.operation},
               {"n", work.n},
               {"sizes", work.sizes},
               {"params", work.params},
               {"seed", work.seed},
               {"sets", work.sets},
               {"executions", work.executions},
               {"flush_bytes", work.flush_bytes}};
  auto answer = ask(display_name(work.implementation), std::move(request), options_.request_timeout, stop);
  if (!answer) return forward(answer);
  const json host = answer->value("host_us", json());
  return host.is_number() && host.get<double>() > 0 ? host.get<double>() : 0.0;
}

Result<std::vector<double>> PythonReference::time(const std::string& implementation, const std::string& operation,
                                                  int samples, std::stop_token stop) {
  json request{{"command", "time"}, {"implementation", implementation}, {"operation", operation}, {"samples", samples}};
  auto answer = ask(display_name(implementation), std::move(request), options_.request_timeout, stop);
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
    return fail(ErrorId::reference_unavailable, display_name(implementation),
                phrase("it was asked for {} timings and gave {}", samples, milliseconds.size()));
  }
  return milliseconds;
}

Result<void> PythonReference::release(std::stop_token stop) {
  auto answer = ask(kChild, {{"command", "release"}}, options_.request_timeout, stop);
  if (!answer) return forward(answer);
  return {};
}

namespace {

/// The implementations of one Python child.
class PythonLibraries final : public Reference {
 public:
  explicit PythonLibraries(const ReferenceFolders& folders)
      : options_{.script = folders.assets / "python" / "reference_child.py"} {}

  std::string missing(const std::string& implementation, const std::stop_token& stop) override {
    if (!python_ && reason_.empty()) {
      auto opened = PythonReference::open(options_, stop);
      if (opened)
        python_ = std::move(*opened);
      else
        reason_ = opened.error().message;
    }
    return python_ ? python_->missing(implementation) : reason_;
  }

  Result<PreparedReference> prepare(const ReferenceTask& task, const std::stop_token& stop) override {
    const PythonReference::Work work{.implementation = task.implementation,
                                     .operation = task.operation,
                                     .n = task.n,
                                     .sizes = task.config.sizes,
                                     .params = task.config.params,
                                     .sets = task.method.cold() ? 1 : task.method.sets,
                                     .executions = task.method.executions,
                                     .flush_bytes = task.timer.flush_bytes()};
    const auto host_us = python_->prepare(work, stop);
    if (!host_us) return forward(host_us);
    return PreparedReference{.take = [python = python_.get(), name = task.implementation, operation = task.operation,
                                      stop](int count) { return python->time(name, operation, count, stop); },
                             .host_us = *host_us};
  }

  /// A child that has died reports it at its next turn.
  void release(const std::stop_token& stop) override {
    if (python_) (void)python_->release(stop);
  }

  void note_versions(SpeedReport& report) const override {
    if (!python_) return;
    report.torch_version = python_->versions().torch;
    report.triton_version = python_->versions().triton;
  }

 private:
  PythonOptions options_;
  std::unique_ptr<PythonReference> python_;
  std::string reason_;  // why there is none
};

const bool registered_python = register_reference({
    .names = {"torch", "torch_compile", "triton", "cudnn"},
    .make = [](const ReferenceFolders& folders) { return std::make_unique<PythonLibraries>(folders); },
});

}  // namespace
}  // namespace tilescope
