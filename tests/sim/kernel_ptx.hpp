// How the PTX of tests/sim/kernels is made: NVRTC compiles each .cu with the options of KernelPtxMaker into the .ptx
// beside it. make_kernel_ptx.cpp writes the files, and kernel_ptx_test.cpp compares them with NVRTC's present output.
// They are in the repository so that the simulator is also tested without NVRTC, and on the same PTX everywhere.
// Hand-written PTX is text in the tests, not in that folder.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/compile/nvrtc_process.hpp"
#include "engine/compile/ptx_text.hpp"

namespace tilescope {

inline const std::filesystem::path kKernelFolder = std::filesystem::path(TILESCOPE_SOURCE) / "tests/sim/kernels";

/// Empty if there is no such file.
inline std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The names, without extension and sorted, of the files of kKernelFolder with this extension.
inline std::vector<std::string> kernel_files(const std::string& extension) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kKernelFolder))
    if (entry.path().extension() == extension) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

/// "Cuda compilation tools, release 13.0, V13.0.88", from the header of the PTX.
inline std::string release_of_ptx(const std::string& ptx) {
  const size_t begin = ptx.find("Cuda compilation tools");
  return begin == std::string::npos ? "" : ptx.substr(begin, ptx.find('\n', begin) - begin);
}

class KernelPtxMaker {
 public:
  explicit KernelPtxMaker(std::shared_ptr<const NvrtcLibrary> library)
      : library_(std::move(library)), processes_(library_, NvrtcProcesses::worker_beside_this_program()) {}

  /// The PTX of the source NAME.cu with this text. It does not depend on the working directory or on the toolkit's
  /// location.
  Result<std::string> make(const std::string& name, const std::string& text) {
    NvrtcInput input{.text = text, .file = "kernels/" + name + ".cu", .headers = {}, .name_expressions = {}};
    input.options = {"--gpu-architecture=compute_80", "-lineinfo", "-default-device"};
    for (const std::string& folder : library_->toolkit_include_folders) input.options.push_back("-I" + folder);
    for (const std::string& header : kernel_files(".hpp"))
      input.headers[header + ".hpp"] = text_of_file(kKernelFolder / (header + ".hpp"));

    NvrtcOutput output = processes_.run(input, {});
    if (output.result != NVRTC_SUCCESS) return fail(ErrorId::compile_failed, input.file, phrase("{}", output.log));
    if (!output.failure.empty()) return fail(ErrorId::compiler_ended, input.file, output.failure);

    std::string ptx = with_given_file_name(std::move(output.ptx), input.file, input.file);
    ptx = with_given_file_name(std::move(ptx), "__nv_nvrtc_builtin_header.h", "__nv_nvrtc_builtin_header.h");
    for (const auto& [header, header_text] : input.headers)
      ptx = with_given_file_name(std::move(ptx), header, "kernels/" + header);
    if (!library_->toolkit_include_folders.empty())
      ptx = with_usual_toolkit(std::move(ptx), library_->toolkit_include_folders.front());
    return ptx;
  }

  /// release_of_ptx of all PTX that this makes.
  Result<std::string> release() { return make("empty", "").map(release_of_ptx); }

 private:
  static std::string with_usual_toolkit(std::string ptx, const std::string& include_folder) {
    const std::string found = "\"" + include_folder + "/", usual = "\"/usr/local/cuda/include/";
    for (size_t at = ptx.find(found); at != std::string::npos; at = ptx.find(found, at + usual.size()))
      ptx.replace(at, found.size(), usual);
    return ptx;
  }

  std::shared_ptr<const NvrtcLibrary> library_;
  NvrtcProcesses processes_;
};

}  // namespace tilescope
