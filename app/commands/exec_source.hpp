// The file of an `exec`: its text, and what it says about its kernels.
#pragma once

#include <optional>
#include <string>

#include "app/commands/commands.hpp"
#include "app/sandbox/reading/source_facts.hpp"

namespace tilescope {

class ExecSource {
 public:
  /// Reads the file; of Python, the process that executes it says what it has. `options` must outlive the result.
  static Result<ExecSource> read(Engine& engine, const ExecOptions& options);

  const std::string& text() const { return text_; }
  KernelLanguage language() const { return language_; }
  /// A CUDA file is read on the first call, with its headers.
  const SourceFacts& facts();
  /// The kernel that --kernel refers to, as far as the source tells; null if it does not.
  const SourceKernel* kernel();
  /// The same for a file that is not CUDA C++, which has no others. The Error lists those that it has.
  Result<const SourceKernel*> foreign_kernel();

 private:
  ExecSource(const ExecOptions& options, std::string text) : options_(&options), text_(std::move(text)) {}

  const ExecOptions* options_;
  std::string text_;
  KernelLanguage language_ = KernelLanguage::cuda;
  std::optional<SourceFacts> facts_;
  std::string skipped_;  // the first statement of a Python file that raised, as a sentence
};

/// The text of a file. The Error says why it cannot be read.
Result<std::string> read_source(const std::string& file);

/// The kernel that a name refers to, as far as the source tells; null if it does not.
const SourceKernel* kernel_meant(const SourceFacts& facts, const std::string& kernel);

}  // namespace tilescope
