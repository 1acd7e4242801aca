#include "engine/specs.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <map>

namespace tilescope {

extern const std::string_view kGpusToml;  // assets/gpus.toml, as CMake found it (engine/gpus_toml.cpp.in)

namespace {

/// Reads one table; the first value that is absent or of the wrong type is named in `missing`.
class TableReader {
 public:
  explicit TableReader(const toml::table& table) : table_(table) {}

  template <class T>
  void read(const char* key, T& into) {
    if (const auto found = table_[key].value<T>())
      into = *found;
    else if (missing_.empty())
      missing_ = key;
  }
  template <class T>
  void read(const char* key, std::optional<T>& into) {
    if (!table_.contains(key)) return;
    T value{};
    read(key, value);
    into = value;
  }
  /// A list that may be left out.
  void read_list(const char* key, std::vector<uint32_t>& into) {
    if (const toml::array* array = table_[key].as_array())
      for (const auto& element : *array)
        if (const auto value = element.value<uint32_t>()) into.push_back(*value);
  }
  /// A list of KiB, as bytes.
  void read_kibibytes(const char* key, std::vector<uint32_t>& into) {
    read_list(key, into);
    for (uint32_t& value : into) value *= 1024;
    if (into.empty() && missing_.empty()) missing_ = key;
  }
  const std::string& missing() const { return missing_; }

 private:
  const toml::table& table_;
  std::string missing_;
};

void read_architecture(TableReader& reader, ArchitectureSpec& spec) {
  reader.read("l1_and_shared_bytes", spec.l1_and_shared_bytes);
  reader.read("shared_bytes_per_multiprocessor", spec.shared_bytes_per_multiprocessor);
  reader.read("shared_bytes_per_block", spec.shared_bytes_per_block);
  reader.read("reserved_shared_bytes_per_block", spec.reserved_shared_bytes_per_block);
  reader.read("shared_granularity", spec.shared_granularity);
  reader.read_kibibytes("shared_carve_outs", spec.shared_carve_outs);
  reader.read("registers_per_multiprocessor", spec.registers_per_multiprocessor);
  reader.read("registers_per_block", spec.registers_per_block);
  reader.read("registers_per_thread", spec.registers_per_thread);
  reader.read("register_granularity", spec.register_granularity);
  reader.read("sub_partitions", spec.sub_partitions);
  reader.read("max_threads_per_multiprocessor", spec.max_threads_per_multiprocessor);
  reader.read("max_warps_per_multiprocessor", spec.max_warps_per_multiprocessor);
  reader.read("max_blocks_per_multiprocessor", spec.max_blocks_per_multiprocessor);
  reader.read("max_threads_per_block", spec.max_threads_per_block);
  reader.read("barriers_per_multiprocessor", spec.barriers_per_multiprocessor);
}

void read_gpu(TableReader& reader, GpuSpec& spec) {
  reader.read("name", spec.name);
  reader.read("driver_name", spec.driver_name);
  reader.read("architecture", spec.architecture);
  reader.read("multiprocessors", spec.multiprocessors);
  reader.read("l2_bytes", spec.l2_bytes);
  reader.read("l2_partitions", spec.l2_partitions);
  reader.read_list("gpcs", spec.gpcs);
  reader.read("memory_bytes", spec.memory_bytes);
  reader.read("memory_bytes_per_second", spec.memory_bytes_per_second);
  reader.read("boost_clock_hz", spec.boost_clock_hz);
  reader.read("tensor_clock_hz", spec.tensor_clock_hz);
  reader.read("launch_seconds", spec.launch_seconds);
  reader.read("graph_launch_seconds", spec.graph_launch_seconds);
}

void read_peak(TableReader& reader, PeakRates& peak) {
  reader.read("fp64", peak.fp64);
  reader.read("fp64_tensor", peak.fp64_tensor);
  reader.read("fp32", peak.fp32);
  reader.read("tf32", peak.tf32);
  reader.read("fp16", peak.fp16);
  reader.read("bf16", peak.bf16);
  reader.read("fp8", peak.fp8);
  reader.read("int8", peak.int8);
}

class SpecsReader {
 public:
  SpecsReader(const std::filesystem::path& file, const toml::table& document) : file_(file), document_(document) {}

  Result<std::vector<GpuSpec>> read() {
    if (auto good = read_architectures(); !good) return forward(good);
    const toml::table* gpus = document_["gpu"].as_table();
    if (gpus == nullptr || gpus->empty()) return refuse(Phrase("it lists no GPU"));
    // A toml table is ordered by name, but GPUs are shown in file order.
    std::map<toml::source_index, GpuSpec> by_line;
    for (const auto& [key, node] : *gpus) {
      const std::string id(key.str());
      const toml::table* table = node.as_table();
      if (table == nullptr) return refuse(phrase("'{}' is not a table", id));
      auto spec = read_one(id, *table);
      if (!spec) return forward(spec);
      by_line.emplace(node.source().begin.line, std::move(*spec));
    }
    std::vector<GpuSpec> specs;
    specs.reserve(by_line.size());
    for (auto& [line, spec] : by_line) specs.push_back(std::move(spec));
    return specs;
  }

 private:
  tl::unexpected<Error> refuse(const Phrase& why) const { return fail(ErrorId::asset_malformed, file_.string(), why); }
  tl::unexpected<Error> refuse_missing(const std::string& owner, const std::string& value) const {
    return refuse(phrase("'{}' has no valid '{}'", owner, value));
  }

  Result<void> read_architectures() {
    const toml::table* tables = document_["architecture"].as_table();
    if (tables == nullptr) return refuse(Phrase("it lists no GPU architecture"));
    for (const auto& [key, node] : *tables) {
      const std::string name(key.str());
      const toml::table* table = node.as_table();
      if (table == nullptr) return refuse(phrase("'{}' is not a table", name));
      TableReader reader(*table);
      read_architecture(reader, architectures_[name]);
      if (!reader.missing().empty()) return refuse_missing(name, reader.missing());
    }
    return {};
  }

  Result<GpuSpec> read_one(const std::string& id, const toml::table& table) const {
    TableReader reader(table);
    GpuSpec spec;
    spec.id = id;
    read_gpu(reader, spec);
    if (!reader.missing().empty()) return refuse_missing(id, reader.missing());
    const auto architecture = architectures_.find(spec.architecture);
    if (architecture == architectures_.end())
      return refuse(phrase("'{}' is of architecture '{}', which is not described", id, spec.architecture));
    static_cast<ArchitectureSpec&>(spec) = architecture->second;
    if (const toml::table* rates = table["peak"].as_table()) {
      TableReader peak(*rates);
      read_peak(peak, spec.peak);
      if (!peak.missing().empty()) return refuse_missing(id, "peak." + peak.missing());
    }
    return spec;
  }

  const std::filesystem::path& file_;
  const toml::table& document_;
  std::map<std::string, ArchitectureSpec> architectures_;
};

}  // namespace

std::optional<double> PeakRates::of(PeakRate rate) const {
  switch (rate) {
    case PeakRate::fp64:
      return fp64;
    case PeakRate::fp64_tensor:
      return fp64_tensor;
    case PeakRate::fp32:
      return fp32;
    case PeakRate::tf32:
      return tf32;
    case PeakRate::fp16:
      return fp16;
    case PeakRate::bf16:
      return bf16;
    case PeakRate::fp8:
      return fp8;
    case PeakRate::int8:
      return int8;
  }
  return {};
}

Result<std::vector<GpuSpec>> read_gpu_specs(const std::filesystem::path& file) {
  try {
    const toml::table document = toml::parse_file(file.string());
    return SpecsReader(file, document).read();
  } catch (const toml::parse_error& problem) {
    return fail(ErrorId::asset_malformed, file.string(), std::string(problem.description()));
  }
}

const GpuSpec& usual_gpu() {
  static const GpuSpec gpu = [] {
    const toml::table document = toml::parse(kGpusToml);
    const auto gpus = SpecsReader("assets/gpus.toml", document).read();
    return *find_gpu(*gpus, kUsualGpu);
  }();
  return gpu;
}

const GpuSpec* find_gpu(const std::vector<GpuSpec>& gpus, const std::string& id) {
  const auto found = std::ranges::find(gpus, id, &GpuSpec::id);
  return found != gpus.end() ? &*found : nullptr;
}

const GpuSpec* find_gpu_of_driver(const std::vector<GpuSpec>& gpus, const std::string& driver_name) {
  const auto found = std::ranges::find(gpus, driver_name, &GpuSpec::driver_name);
  return found != gpus.end() ? &*found : nullptr;
}

std::string gpu_ids(const std::vector<GpuSpec>& gpus) {
  std::string ids;
  for (const GpuSpec& gpu : gpus) ids += (ids.empty() ? "" : ", ") + gpu.id;
  return ids;
}

}  // namespace tilescope
