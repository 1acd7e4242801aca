#include "engine/compile/source_key.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "engine/sha256.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Increment whenever the stored data, or how it is produced, changes.
constexpr std::string_view kFormat = "tilescope-module-5";

/// The hashed fields, each preceded by its length, so that "ab" + "c" and "a" + "bc" differ.
class Fields {
 public:
  void add(std::string_view field) {
    text_ += fmt::format("{}:", field.size());
    text_ += field;
  }
  std::string hash() const { return sha256_of(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string source_folder_of(const CompileRequest& request) {
  std::error_code ignored;
  const fs::path own = fs::path(request.file).parent_path();
  if (own.empty()) return ".";
  return fs::is_directory(own, ignored) ? own.string() : std::string();
}

std::vector<std::string> include_folders_of(const CompileRequest& request) {
  std::vector<std::string> folders;
  if (std::string own = source_folder_of(request); !own.empty()) folders.push_back(std::move(own));
  folders.insert(folders.end(), request.include_folders.begin(), request.include_folders.end());
  return folders;
}

std::string cache_key_of(const CompileRequest& request, std::string_view compiler) {
  Fields fields;
  fields.add(kFormat);
  fields.add(compiler);
  fields.add(request.ptx_target);
  if (request.machine_code) {
    fields.add(request.cubin_target);
    fields.add(request.want_cubin ? "cubin" : "");
    fields.add(fmt::format("-O{}", request.assembler_level));
  } else {
    fields.add("PTX alone");
  }
  fields.add(fmt::format("{} defines", request.defines.size()));
  for (const Define& define : request.defines) {
    fields.add(define.name);
    fields.add(define.value);
  }
  fields.add(request.standard);
  fields.add(request.relocatable ? "relocatable" : "");
  fields.add(fmt::format("{} wanted", request.wanted_kernels.size()));
  for (const std::string& kernel : request.wanted_kernels) fields.add(kernel);
  fields.add(fmt::format("{} expressions", request.kernel_expressions.size()));
  for (const std::string& expression : request.kernel_expressions) fields.add(expression);
  const std::vector<std::string> folders = include_folders_of(request);
  fields.add(fmt::format("{} folders", folders.size()));
  for (const std::string& folder : folders) fields.add(folder);
  fields.add(request.file);
  fields.add(request.text);
  return fields.hash();
}

}  // namespace tilescope
