#include "engine/tune/maps/tune_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "engine/json_file.hpp"
#include "engine/json_reader.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

constexpr std::uintmax_t kLargestFile = 16u << 20;

json to_json(const TuneFacts& facts) {
  return {{"threads", facts.threads},
          {"registers", facts.registers},
          {"shared_bytes", facts.shared_bytes},
          {"spill_bytes", facts.spill_bytes},
          {"ctas_per_sm", facts.ctas_per_multiprocessor},
          {"occupancy", six_digits(facts.occupancy)},
          {"waves", six_digits(facts.waves)},
          {"requested_bytes", facts.requested_bytes}};
}

json list_of(const std::vector<double>& samples) {
  json list = json::array();
  for (const double sample : samples) list.push_back(six_digits(sample));
  return list;
}

json to_json(const TuneEntry& entry) {
  json object{{"values", entry.values}, {"state", name_of(entry.state)}};
  if (entry.limiter != Limiter::none) object["limiter"] = name_of(entry.limiter);
  if (!entry.why.empty()) object["why"] = entry.why.english();
  if (entry.facts) object["facts"] = to_json(*entry.facts);
  if (entry.compile_ms > 0) object["compile_ms"] = six_digits(entry.compile_ms);
  if (entry.state != TuneState::timed) return object;
  object["ms"] = {six_digits(entry.median_ms), six_digits(entry.low_ms), six_digits(entry.high_ms)};
  object["samples"] = list_of(entry.samples);
  if (entry.final_ms > 0)
    object["final_ms"] = {six_digits(entry.final_ms), six_digits(entry.final_low_ms), six_digits(entry.final_high_ms)};
  return object;
}

/// Finite numbers above zero; anything else makes the list empty.
std::vector<double> numbers_in(const json& object, const char* member) {
  std::vector<double> numbers;
  const auto found = object.find(member);
  if (found == object.end() || !found->is_array()) return numbers;
  for (const json& one : *found) {
    if (!one.is_number() || !(one.get<double>() > 0) || !std::isfinite(one.get<double>())) return {};
    numbers.push_back(one.get<double>());
  }
  return numbers;
}

TuneFacts read_facts(JsonReader reader) {
  TuneFacts facts;
  reader.read("threads", facts.threads);
  reader.read("registers", facts.registers);
  reader.read("shared_bytes", facts.shared_bytes);
  reader.read("spill_bytes", facts.spill_bytes);
  reader.read("ctas_per_sm", facts.ctas_per_multiprocessor);
  reader.read("occupancy", facts.occupancy);
  reader.read("waves", facts.waves);
  reader.read("requested_bytes", facts.requested_bytes);
  return facts;
}

/// Times of a timed entry; false if they are missing or contradict each other.
bool read_times(const json& object, TuneEntry& entry) {
  const std::vector<double> times = numbers_in(object, "ms"), finals = numbers_in(object, "final_ms");
  entry.samples = numbers_in(object, "samples");
  if (times.size() != 3 || entry.samples.empty() || times[1] > times[0] || times[0] > times[2]) return false;
  entry.median_ms = times[0], entry.low_ms = times[1], entry.high_ms = times[2];
  if (finals.empty()) return !object.contains("final_ms");
  if (finals.size() != 3 || finals[1] > finals[0] || finals[0] > finals[2]) return false;
  entry.final_ms = finals[0], entry.final_low_ms = finals[1], entry.final_high_ms = finals[2];
  return true;
}

TuneEntry read_entry(const json& object, const std::string& path, std::string& fault) {
  TuneEntry entry;
  JsonReader reader(object, path, fault);
  if (!fault.empty()) return entry;
  if (const auto values = object.find("values"); values != object.end() && values->is_array())
    for (const json& value : *values)
      entry.values.push_back(value.is_number_integer() ? value.get<int64_t>() : INT64_MIN);
  std::string state, limiter = "none", why;
  reader.read("state", state);
  if (reader.has("limiter")) reader.read("limiter", limiter);
  if (reader.has("why")) reader.read("why", why);
  if (reader.has("facts")) entry.facts = read_facts(reader.object("facts"));
  if (reader.has("compile_ms")) reader.read("compile_ms", entry.compile_ms);
  entry.why = Phrase(why);
  const auto known_state = tune_state_named(state);
  const auto known_limiter = limiter_named(limiter);
  if (fault.empty() && (!known_state || !known_limiter)) fault = path + " has an unknown state or limiter";
  if (!fault.empty()) return entry;
  entry.state = *known_state;
  entry.limiter = *known_limiter;
  if (entry.state == TuneState::timed && !read_times(object, entry))
    fault = path + " has times that are missing or contradict each other";
  return entry;
}

void read_axes(JsonReader& reader, const json& document, TuneMap& map, std::string& fault) {
  size_t index = 0;
  reader.each("axes", [&](JsonReader axis) {
    const json& values = document["axes"][index++].value("values", json());
    TuneAxis read;
    axis.read("name", read.name);
    for (const json& value : values.is_array() ? values : json::array())
      if (value.is_number_integer()) read.values.push_back(value.get<int64_t>());
    if (fault.empty() && (read.values.empty() || !std::ranges::is_sorted(read.values)))
      fault = "the values of axis '" + read.name + "' do not ascend";
    map.axes.push_back(std::move(read));
  });
}

/// The entries must be the product of the axes, in order.
std::string inconsistency(const TuneMap& map) {
  size_t product = 1;
  for (const TuneAxis& axis : map.axes) {
    product *= axis.values.size();
    if (product > map.entries.size()) break;
  }
  if (product != map.entries.size())
    return fmt::format("it has {} configurations, and its axes another number of them", map.entries.size());
  for (size_t i = 0; i < map.entries.size(); ++i) {
    if (map.entries[i].values.size() != map.axes.size())
      return fmt::format("configuration {} does not have a value on each axis", i);
    if (map.index_of(map.params_of(i)) != i) return fmt::format("configuration {} is not the one of its place", i);
  }
  return {};
}

}  // namespace

json to_json(const TuneMap& map) {
  json axes = json::array(), entries = json::array();
  for (const TuneAxis& axis : map.axes) axes.push_back({{"name", axis.name}, {"values", axis.values}});
  for (const TuneEntry& entry : map.entries) entries.push_back(to_json(entry));
  json document{{"format", TuneMap::kFormat},
                {"kind", "tuning"},
                {"lab", map.lab},
                {"rung", map.rung},
                {"gpu", map.gpu},
                {"driver_version", map.driver_version},
                {"tilescope_version", map.tilescope_version},
                {"date", map.date},
                {"command", map.command},
                {"nvrtc_version", map.nvrtc_version},
                {"triton_version", map.triton_version},
                {"source_hash", map.source_hash},
                {"key", map.key},
                {"sizes", map.sizes},
                {"params", map.params},
                {"seconds", six_digits(map.seconds)},
                {"sm_clock_mhz", map.sm_clock_mhz},
                {"axes", std::move(axes)},
                {"configurations", std::move(entries)}};
  document["sha256"] = json_fingerprint(document);
  return document;
}

Result<TuneMap> tune_map_from_json(const json& document, const std::string& source) {
  const auto refuse = [&](const Phrase& why) {
    return tl::unexpected<Error>(
        make_error(ErrorId::recording_refused, {source, why}, Phrase("Delete it: 'tilescope tune' writes it again.")));
  };
  if (!document.is_object() || document.value("kind", json()) != json("tuning"))
    return refuse(Phrase("it is not a map of a tuning"));
  if (document.value("format", json()) != json(TuneMap::kFormat))
    return refuse(phrase("its format is not version {}", TuneMap::kFormat));
  if (document.value("sha256", json()) != json(json_fingerprint(document)))
    return refuse(Phrase("it was altered: its sha256 does not match its contents"));
  std::string fault;
  TuneMap map;
  JsonReader reader(document, "", fault);
  for (const auto& [member, text] :
       std::initializer_list<std::pair<const char*, std::string*>>{{"lab", &map.lab},
                                                                   {"rung", &map.rung},
                                                                   {"gpu", &map.gpu},
                                                                   {"driver_version", &map.driver_version},
                                                                   {"tilescope_version", &map.tilescope_version},
                                                                   {"date", &map.date},
                                                                   {"command", &map.command},
                                                                   {"nvrtc_version", &map.nvrtc_version},
                                                                   {"triton_version", &map.triton_version},
                                                                   {"source_hash", &map.source_hash},
                                                                   {"key", &map.key}})
    reader.read(member, *text);
  reader.read("sizes", map.sizes);
  reader.read("params", map.params);
  reader.read("seconds", map.seconds);
  reader.read("sm_clock_mhz", map.sm_clock_mhz);
  read_axes(reader, document, map, fault);
  size_t index = 0;
  reader.each("configurations", [&](const JsonReader&) {
    map.entries.push_back(
        read_entry(document["configurations"][index], fmt::format("configurations[{}]", index), fault));
    ++index;
  });
  if (fault.empty()) fault = inconsistency(map);
  if (!fault.empty()) return refuse(Phrase(fault));
  return map;
}

Result<void> write_tune_map(const TuneMap& map, const std::filesystem::path& file) {
  std::error_code ignored;  // writing says what is wrong
  std::filesystem::create_directories(file.parent_path(), ignored);
  return write_json(to_json(map), file);
}

Result<TuneMap> read_tune_map(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) return fail(ErrorId::file_not_found, file.string(), error.message());
  const auto text = size <= kLargestFile ? read_text(file) : std::nullopt;
  const json document = text ? parse_json(*text) : json(json::value_t::discarded);
  if (document.is_discarded())
    return tl::unexpected<Error>(make_error(ErrorId::recording_refused,
                                            {file.string(), Phrase("it is not JSON, or its end is missing")},
                                            Phrase("Delete it: 'tilescope tune' writes it again.")));
  return tune_map_from_json(document, file.string());
}

TuneMaps read_tune_maps(const std::filesystem::path& folder, Badge badge) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  std::ranges::sort(files);
  TuneMaps read;
  for (const auto& file : files) {
    auto map = read_tune_map(file);
    if (!map) {
      read.refused.push_back(map.error());
      continue;
    }
    map->badge = badge;
    read.maps.push_back(std::move(*map));
  }
  std::ranges::stable_sort(read.maps, std::ranges::greater(), &TuneMap::date);
  return read;
}

void merge_entries(TuneMap& map, const TuneMap& older) {
  if (map.key != older.key || map.entries.size() != older.entries.size()) return;
  for (size_t i = 0; i < map.entries.size(); ++i)
    if (map.entries[i].state == TuneState::untried) map.entries[i] = older.entries[i];
}

}  // namespace tilescope
