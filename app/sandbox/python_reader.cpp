#include "app/sandbox/python_reader.hpp"

#include <fstream>
#include <utility>

#include "engine/sha256.hpp"

namespace tilescope {

PythonReader::PythonReader(Ask ask, std::filesystem::path trust_file, std::function<void()> wake)
    : ask_(std::move(ask)), trust_file_(std::move(trust_file)), wake_(std::move(wake)) {
  std::ifstream file(trust_file_);
  for (std::string line; std::getline(file, line);) trusted_.insert(line);
}

bool PythonReader::is_trusted(const std::string& text) const { return trusted_.contains(sha256_of(text)); }

void PythonReader::trust(const std::string& text) {
  const std::string sum = sha256_of(text);
  if (!trusted_.insert(sum).second || trust_file_.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(trust_file_.parent_path(), ignored);
  // If it cannot be written, the question is asked again at the next start.
  std::ofstream(trust_file_, std::ios::app) << sum << "\n";
}

void PythonReader::start(const std::string& file, const std::string& text) {
  thread_ = {};  // asks it to stop, and waits: the process gives a stopped caller up at once
  answer_.reset();
  thread_ = std::jthread([this, file, text](const std::stop_token& stop) {
    Answer answer{text, ask_(file, text, stop)};
    if (stop.stop_requested()) return;
    {
      const std::lock_guard lock(mutex_);
      answer_ = std::move(answer);
    }
    if (wake_) wake_();
  });
}

std::optional<PythonReader::Answer> PythonReader::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

}  // namespace tilescope
