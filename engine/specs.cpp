#include "engine/specs.hpp"

#include <toml++/toml.h>

#include <algorithm>

namespace tilescope {
namespace {

/// Reads one table; the first value that is absent or of another type is named in `missing`.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string& missing) : table_(table), missing_(missing) {}

  template <class T>
  T value(const char* key) {
    if (const auto found = table_[key].value<T>()) return *found;
    if (missing_.empty()) missing_ = key;
    return T{};
  }

 private:
  const toml::table& table_;
  std::string& missing_;
};

GpuSpec read_spec(const std::string& id, const toml::table& table, std::string& missing) {
  TableReader reader(table, missing);
  GpuSpec spec;
  spec.id = id;
  spec.name = reader.value<std::string>("name");
  spec.architecture = reader.value<std::string>("architecture");
  spec.multiprocessors = reader.value<uint32_t>("multiprocessors");
  spec.l2_bytes = reader.value<uint64_t>("l2_bytes");
  spec.memory_bytes_per_second = reader.value<double>("memory_bytes_per_second");
  spec.max_threads_per_multiprocessor = reader.value<uint32_t>("max_threads_per_multiprocessor");
  spec.max_blocks_per_multiprocessor = reader.value<uint32_t>("max_blocks_per_multiprocessor");
  return spec;
}

}  // namespace

Result<std::vector<GpuSpec>> read_gpu_specs(const std::filesystem::path& file) {
  std::vector<GpuSpec> specs;
  try {
    const toml::table document = toml::parse_file(file.string());
    for (const auto& [key, node] : document) {
      const toml::table* table = node.as_table();
      if (table == nullptr)
        return fail(ErrorId::asset_malformed, file.string(), fmt::format("'{}' is no table", key.str()));
      std::string missing;
      specs.push_back(read_spec(std::string(key.str()), *table, missing));
      if (!missing.empty())
        return fail(ErrorId::asset_malformed, file.string(), fmt::format("'{}' has no valid '{}'", key.str(), missing));
    }
  } catch (const toml::parse_error& problem) {
    return fail(ErrorId::asset_malformed, file.string(), std::string(problem.description()));
  }
  if (specs.empty()) return fail(ErrorId::asset_malformed, file.string(), "it lists no GPU");
  return specs;
}

}  // namespace tilescope
