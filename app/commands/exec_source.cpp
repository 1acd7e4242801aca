#include "app/commands/exec_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/commands/exec_foreign.hpp"
#include "app/sandbox/reading/foreign_facts.hpp"
#include "engine/compile/device_source.hpp"
#include "engine/text_file.hpp"

namespace tilescope {

Result<std::string> read_source(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return fail(ErrorId::file_not_found, file, "it is a folder");
  auto text = read_text(file);
  if (!text) return fail(ErrorId::file_not_found, file, std::string(std::strerror(errno)));
  if (text->empty()) return fail(ErrorId::file_not_found, file, "it is empty");
  return std::move(*text);
}

Result<ExecSource> ExecSource::read(Engine& engine, const ExecOptions& options) {
  auto text = read_source(options.file);
  if (!text) return forward(text);
  ExecSource source(options, std::move(*text));
  source.language_ = language_of(options.file);
  if (source.language_ == KernelLanguage::ptx) source.facts_ = facts_of_ptx(source.text_);
  if (source.language_ != KernelLanguage::triton) return source;
  auto read = read_triton_file(engine.triton(), absolute_path(options.file), source.text_, {});
  if (!read) return forward(read);
  if (!read->skipped.empty())
    source.skipped_ = fmt::format("line {} raised {}", read->skipped.front().line, read->skipped.front().why);
  source.facts_ = facts_of_triton(*read, source.text_);
  return source;
}

const SourceFacts& ExecSource::facts() {
  if (!facts_) {
    const auto lines = static_cast<uint32_t>(std::ranges::count(text_, '\n') + 1);
    const DeviceSource source({.text = text_, .file = options_->file, .include_folders = options_->includes}, {});
    facts_ = read_source_facts(source.original_text(), lines);
  }
  return *facts_;
}

const SourceKernel* ExecSource::kernel() { return kernel_meant(facts(), options_->kernel); }

Result<const SourceKernel*> ExecSource::foreign_kernel() {
  if (const SourceKernel* found = kernel(); found != nullptr) return found;
  const bool is_triton = language_ == KernelLanguage::triton;
  std::string names;
  for (const SourceKernel& one : facts().kernels) names += (names.empty() ? "" : ", ") + one.name;
  if (names.empty() && !is_triton) return fail(ErrorId::no_entry, options_->file);
  if (names.empty())
    return fail(ErrorId::usage, fmt::format("{} has no kernel: it defines no function with @triton.jit{}",
                                            options_->file, skipped_.empty() ? "" : "; " + skipped_));
  if (options_->kernel.empty()) return fail(ErrorId::kernel_not_named, options_->file, names);
  return fail(ErrorId::usage, fmt::format("there is no kernel '{}' in {}; it has {}{}", options_->kernel,
                                          options_->file, names, skipped_.empty() ? "" : "; " + skipped_));
}

const SourceKernel* kernel_meant(const SourceFacts& facts, const std::string& kernel) {
  if (!kernel.empty()) {
    if (const SourceKernel* same = facts.find(kernel); same != nullptr && same->foreign) return same;
    return facts.find(read_typed_kernel(kernel.substr(0, kernel.find('('))).name);
  }
  return facts.kernels.size() == 1 ? &facts.kernels.front() : nullptr;
}

}  // namespace tilescope
