#include "engine/bench/counters.hpp"

#include <algorithm>
#include <system_error>

#include "engine/json_reader.hpp"
#include "engine/json_text.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
using Kind = OrderTraffic::Kind;

constexpr std::uintmax_t kLargestFile = 4U << 20;

CounterRow read_row(JsonReader reader, std::string& order) {
  CounterRow row;
  reader.read("sizes", row.sizes);
  reader.read("params", row.params);
  reader.read("order", order);
  reader.read("group", row.group);
  reader.read("blocks_per_multiprocessor", row.blocks_per_multiprocessor);
  reader.read("device_bytes_read", row.device_bytes_read);
  reader.read("l2_bytes", row.l2_bytes);
  reader.read("l2_hit_rate", row.l2_hit_rate);
  reader.read("nanoseconds", row.nanoseconds);
  return row;
}

/// The fault of a row; empty if it has none.
std::string fault_of(CounterRow& row, const std::string& order) {
  if (order == "row-major" || (order == "grouped" && row.group == 1)) {
    row.order = Kind::row_major;
    row.group = 0;
  } else if (order == "grouped") {
    row.order = Kind::grouped;
    if (row.group < 2) return fmt::format("a group of {} rows", row.group);
  } else if (order == "hilbert") {
    row.order = Kind::hilbert;
    row.group = 0;
  } else {
    return fmt::format("the order '{}' is none of row-major, grouped, hilbert", order);
  }
  if (row.sizes.empty()) return "a row names no sizes";
  if (row.l2_hit_rate > 1) return fmt::format("a hit rate of {}", row.l2_hit_rate);
  if (row.device_bytes_read <= 0) return "a row without device_bytes_read";
  return {};
}

CounterSet read_set(JsonReader reader, std::string& wrong) {
  CounterSet set;
  reader.read("gpu", set.gpu);
  reader.read("date", set.date);
  reader.read("tool", set.tool);
  reader.read("command", set.command);
  reader.read("name", set.name);
  reader.read("kernel", set.kernel);
  reader.read("own_kernel", set.own_kernel);
  reader.each("rows", [&](JsonReader row) {
    std::string order;
    set.rows.push_back(read_row(std::move(row), order));
    if (wrong.empty()) wrong = fault_of(set.rows.back(), order);
  });
  return set;
}

bool holds(const std::map<std::string, int64_t>& wanted, const std::map<std::string, int64_t>& values) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) {
    const auto found = values.find(one.first);
    return found != values.end() && found->second == one.second;
  });
}

Result<RecordedCounters> read_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) return fail(ErrorId::file_not_found, file.string(), error.message());
  if (size > kLargestFile) return fail(ErrorId::counters_refused, file.string(), "it is too large");
  const json document = json_from(read_text(file).value_or(""));
  if (document.is_discarded())
    return fail(ErrorId::counters_refused, file.string(), "it is not JSON, or its end is missing");
  return counters_from_json(document, file.string());
}

}  // namespace

bool same_gpu(const std::string& a, const std::string& b) {
  const auto model = [](const std::string& name) {
    constexpr std::string_view kVendor = "NVIDIA ";
    return name.starts_with(kVendor) ? name.substr(kVendor.size()) : name;
  };
  return model(a) == model(b);
}

RecordedCounters::Found RecordedCounters::find(const CounterKey& key) const {
  const bool one_row = key.order == Kind::grouped && key.group == 1;
  const Kind order = one_row ? Kind::row_major : key.order;
  const int64_t group = order == Kind::grouped ? key.group : 0;
  Found best;
  for (const CounterSet& set : sets) {
    if (!same_gpu(set.gpu, key.gpu)) continue;
    const bool better = best.set == nullptr || set.own_kernel > best.set->own_kernel ||
                        (set.own_kernel == best.set->own_kernel && set.date > best.set->date);
    if (!better) continue;
    for (const CounterRow& row : set.rows)
      if (row.order == order && row.group == group && row.blocks_per_multiprocessor == key.blocks_per_multiprocessor &&
          holds(row.sizes, key.config.sizes) && holds(row.params, key.config.params))
        best = {&set, &row};
  }
  return best;
}

Result<RecordedCounters> counters_from_json(const json& document, const std::string& source) {
  if (!document.is_object()) return fail(ErrorId::counters_refused, source, "it is not a JSON object");
  const json format = document.value("format", json());
  if (format != json(RecordedCounters::kFormat))
    return fail(ErrorId::counters_refused, source,
                phrase("it has format version {}, and this program reads version {}", json_text(format),
                       RecordedCounters::kFormat));
  std::string fault, wrong;
  RecordedCounters counters;
  JsonReader reader(document, "", fault);
  reader.read("lab", counters.lab);
  reader.each("sets", [&](JsonReader set) { counters.sets.push_back(read_set(std::move(set), wrong)); });
  if (fault.empty()) fault = wrong;
  if (!fault.empty()) return fail(ErrorId::counters_refused, source, fault);
  return counters;
}

const RecordedCounters* CounterFiles::find_lab(const std::string& lab) const {
  const auto found = std::find_if(labs.begin(), labs.end(), [&](const auto& one) { return one.lab == lab; });
  return found != labs.end() ? &*found : nullptr;
}

CounterFiles read_counters(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") paths.push_back(entry->path());
  std::sort(paths.begin(), paths.end());
  CounterFiles files;
  for (const auto& path : paths) {
    auto counters = read_file(path);
    if (!counters) {
      files.refused.push_back(counters.error());
      continue;
    }
    const auto known =
        std::find_if(files.labs.begin(), files.labs.end(), [&](const auto& one) { return one.lab == counters->lab; });
    if (known == files.labs.end())
      files.labs.push_back(std::move(*counters));
    else
      known->sets.insert(known->sets.end(), counters->sets.begin(), counters->sets.end());
  }
  return files;
}

}  // namespace tilescope
