#include "engine/gpu/output_capture.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <regex>

namespace tilescope {
namespace {

/// The same limit as the simulator's: the size of a GPU's buffer (cudaLimitPrintfFifoSize).
constexpr size_t kMostOutput = size_t{1} << 20;
constexpr size_t kMostMessages = size_t{1} << 16;

}  // namespace

void OutputCapture::redirect(Stream& stream, const char* name) {
  std::fflush(nullptr);
  stream.file = memfd_create(name, MFD_CLOEXEC);
  if (stream.file < 0) return;
  stream.saved = fcntl(stream.descriptor, F_DUPFD_CLOEXEC, 3);
  dup2(stream.file, stream.descriptor);
}

void OutputCapture::put_back(Stream& stream) {
  if (stream.file < 0) return;
  std::fflush(nullptr);
  if (stream.saved >= 0) {
    dup2(stream.saved, stream.descriptor);
    close(stream.saved);
  } else {
    close(stream.descriptor);  // it was closed before
  }
  close(stream.file);
}

OutputCapture::OutputCapture() {
  redirect(output_, "kernel output");
  redirect(messages_, "driver messages");
}

OutputCapture::~OutputCapture() {
  put_back(messages_);
  put_back(output_);
}

std::string OutputCapture::contents(const Stream& stream, size_t most, size_t& all) {
  all = 0;
  if (stream.file < 0) return {};
  std::fflush(nullptr);
  struct stat status {};
  if (fstat(stream.file, &status) != 0) return {};
  all = static_cast<size_t>(status.st_size);
  std::string text(std::min(all, most), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = pread(stream.file, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  text.resize(done);
  return text;
}

std::string OutputCapture::output() const {
  size_t all = 0;
  std::string text = contents(output_, kMostOutput, all);
  if (all <= text.size()) return text;
  if (const size_t end = text.rfind('\n'); end != std::string::npos) text.resize(end + 1);
  return text + fmt::format("[{} bytes more were printed; of a launch {} are kept]\n", all - text.size(), kMostOutput);
}

std::string OutputCapture::messages() const {
  size_t all = 0;
  return contents(messages_, kMostMessages, all);
}

Phrase assertion_in(std::string_view messages) {
  static const std::regex form(
      R"(^(.*):([0-9]+): (.*): block: \[([0-9,]+)\], thread: \[([0-9,]+)\] Assertion `(.*)` failed\.)");
  for (size_t begin = 0; begin < messages.size();) {
    const size_t end = std::min(messages.find('\n', begin), messages.size());
    const std::string line(messages.substr(begin, end - begin));
    begin = end + 1;
    std::smatch part;
    if (!std::regex_search(line, part, form)) continue;
    return phrase("assertion: '{}' does not hold in '{}', {}:{}, block ({}) thread ({})", part[6].str(), part[3].str(),
                  part[1].str(), part[2].str(), part[4].str(), part[5].str());
  }
  return {};
}

Error error_of_launch(Error error, std::string_view messages) {
  const Phrase assertion = assertion_in(messages);
  return assertion.empty() ? error : make_error(ErrorId::assertion_failed, assertion);
}

}  // namespace tilescope
