#include "engine/compile/triton/triton_child.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/compile/nvrtc_library.hpp"
#include "engine/compile/toolkit_folders.hpp"
#include "engine/json_text.hpp"
#include "engine/program_path.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kLongestAnswer = size_t{1} << 28;  // a cubin in base64

std::vector<std::string> interpreters() {
  std::vector<std::string> all;
  if (const char* chosen = std::getenv("TILESCOPE_PYTHON"); chosen != nullptr && *chosen != '\0') return {chosen};
  std::error_code ignored;
  if (const fs::path made = triton_environment() / "bin" / "python"; fs::exists(made, ignored))
    all.push_back(made.string());
  all.emplace_back("python3");
  return all;
}

/// The command that starts the interpreter with a clean environment.
std::vector<std::string> command_of(const std::string& interpreter, const TritonChild::Options& options) {
  std::vector<std::string> words{"env", "-i"};
  if (!options.folder.empty()) words.insert(words.end(), {"-C", options.folder.string()});
  constexpr std::array kKept{"PATH", "HOME", "USER", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_PATH", "TRITON_PTXAS_PATH"};
  for (const char* name : kKept)
    if (const char* value = std::getenv(name)) words.push_back(fmt::format("{}={}", name, value));
  words.insert(words.end(), {"LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", interpreter, "-u", options.script.string()});
  return words;
}

/// "kernels/softmax.py(23): error: …", as NVRTC writes it, so that the source panel finds the line.
Error refusal(const json& error, const std::string& file) {
  const std::string message = error.at("message"), hint = error.at("hint"), kind = error.at("kind");
  const auto line = error.at("line").get<uint32_t>();
  std::string text = line > 0 ? fmt::format("{}({}): error: {}", file, line, message) : message;
  if (!hint.empty()) text += "; " + hint;
  if (kind == "import") return make_error(ErrorId::triton_missing, message);
  if (kind == "failed") return make_error(ErrorId::triton_failed, file, message);
  return make_error(ErrorId::compile_failed, file, text);
}

}  // namespace

struct TritonChild::Question {
  json content;
  std::stop_source stop;
  bool answered = false;
  Result<json> answer = json();
};

fs::path triton_environment() {
  const fs::path data = user_data_folder();
  return data.empty() ? fs::path() : data / "triton";
}

std::optional<std::string> triton_in_environment() {
  const char* chosen = std::getenv("TILESCOPE_PYTHON");
  if ((chosen != nullptr && *chosen != '\0') || is_hidden_library("triton")) return std::nullopt;
  constexpr std::string_view kBegin = "triton-", kEnd = ".dist-info";
  std::error_code ignored;
  for (const auto& python : fs::directory_iterator(triton_environment() / "lib", ignored))
    for (const auto& package : fs::directory_iterator(python.path() / "site-packages", ignored)) {
      const std::string name = package.path().filename().string();
      if (name.starts_with(kBegin) && name.ends_with(kEnd))
        return name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    }
  return std::nullopt;
}

TritonChild::TritonChild(Options options)
    : options_(std::move(options)), thread_([this](const std::stop_token& stop) { work(stop); }) {}

TritonChild::~TritonChild() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  for (const auto& question : waiting_) question->stop.request_stop();
}

Result<json> TritonChild::ask(json content, std::stop_token stop) {
  if (stop.stop_requested()) return fail(ErrorId::cancelled);
  auto question = std::make_shared<Question>();
  question->content = std::move(content);
  std::unique_lock lock(mutex_);
  waiting_.push_back(question);
  changed_.notify_all();
  if (changed_.wait(lock, stop, [&] { return question->answered; })) return std::move(question->answer);
  question->stop.request_stop();
  return fail(ErrorId::cancelled);
}

Result<TritonOrigin> TritonChild::origin(std::stop_token stop) {
  {
    const std::lock_guard lock(mutex_);
    if (origin_) return *origin_;
  }
  if (auto answer = ask({{"do", "versions"}}, std::move(stop)); !answer) return forward(answer);
  const std::lock_guard lock(mutex_);
  return origin_.value();
}

void TritonChild::warm_up() {
  const std::lock_guard lock(mutex_);
  if (origin_ || !waiting_.empty()) return;
  waiting_.push_back(std::make_shared<Question>(Question{.content = {{"do", "versions"}}}));
  changed_.notify_all();
}

void TritonChild::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
    const std::shared_ptr<Question> question = waiting_.front();
    lock.unlock();
    Result<json> given = question->stop.stop_requested() ? fail(ErrorId::cancelled) : answer(*question, stop);
    lock.lock();
    waiting_.erase(waiting_.begin());
    question->answer = std::move(given);
    question->answered = true;
    changed_.notify_all();
  }
}

Result<json> TritonChild::answer(const Question& question, const std::stop_token& stop) {
  if (auto started = start(stop); !started) return forward(started);
  const std::string file = question.content.value("file", "the file");
  auto line =
      child_->ask(json_text(question.content), options_.request_timeout, question.stop.get_token(), options_.grace);
  if (!line) {
    child_.reset();
    if (line.error().cancelled) return fail(ErrorId::cancelled);
    return fail(ErrorId::triton_failed, file, line.error().reason);
  }
  json answer = json_from(*line);
  if (answer.is_discarded()) {
    child_.reset();
    return fail(ErrorId::triton_failed, file, Phrase("its answer is not JSON"));
  }
  if (const auto error = answer.find("error"); error != answer.end())
    return tl::unexpected<Error>(refusal(*error, file));
  return answer;
}

/// Starts the first interpreter that has Triton, if none runs. The stop token is that of the thread.
Result<void> TritonChild::start(const std::stop_token& stop) {
  if (child_ && !child_->has_ended()) return {};
  child_.reset();
  if (is_hidden_library("triton")) return fail(ErrorId::triton_missing, "hidden by TILESCOPE_HIDE");
  std::string reasons;
  for (const std::string& interpreter : interpreters()) {
    const auto note = [&](const std::string& why) {
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", interpreter, why);
    };
    if (find_program(interpreter).empty()) {
      note("there is no such program");
      continue;
    }
    auto child = ChildProcess::start(command_of(interpreter, options_));
    if (!child) {
      note(child.error().reason.english());
      continue;
    }
    (*child)->set_longest_line(kLongestAnswer);
    auto line = (*child)->ask(json_text(json{{"do", "versions"}}), options_.start_timeout, stop);
    if (!line && line.error().cancelled) return fail(ErrorId::cancelled);
    if (!line) {
      note(line.error().reason.english());
      continue;
    }
    const json answer = json_from(*line);
    if (answer.is_discarded()) {
      note("its answer is not JSON");
    } else if (const auto error = answer.find("error"); error != answer.end()) {
      note(error->at("message").get<std::string>());
    } else {
      const std::lock_guard lock(mutex_);
      origin_ = TritonOrigin{answer.at("python"), answer.at("triton"), answer.at("executable")};
      child_ = std::move(*child);
      return {};
    }
  }
  return fail(ErrorId::triton_missing, reasons);
}

}  // namespace tilescope
