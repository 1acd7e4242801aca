// The certificate: one page, dark on white, about what the program has recorded and judged, as a PNG of A4 at 225 dpi.
#pragma once

#include <filesystem>
#include <string>

#include "app/draw/strings.hpp"
#include "app/window/progress_report.hpp"
#include "engine/result.hpp"

namespace tilescope {

class Shell;

struct CertificateOptions {
  std::string name = {};  // of the learner; empty: a line to write it on
  Language language = Language::en;
};

/// Draws the page with the window's own renderer. Error: file_not_written.
Result<void> save_certificate(Shell& shell, const ProgressReport& report, const CertificateOptions& options,
                              const std::filesystem::path& file);

}  // namespace tilescope
