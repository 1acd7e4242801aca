// Reads the members of JSON objects strictly: a value that is missing, of the wrong type or impossible is reported with
// its path.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace tilescope {

/// Reads the members of one object and keeps the first fault, as "series[2].points[0].median_ms is missing".
class JsonReader {
  using json = nlohmann::json;

 public:
  JsonReader(const json& object, std::string path, std::string& fault)
      : object_(object), path_(std::move(path)), fault_(fault) {
    if (!object_.is_object()) complain("is not an object");
  }

  bool has(const char* member) const { return object_.is_object() && object_.contains(member); }
  void read(const char* member, std::string& value) {
    if (const json* found = find(member, &json::is_string, "a text")) value = found->get<std::string>();
  }
  void read(const char* member, bool& value) {
    if (const json* found = find(member, &json::is_boolean, "true or false")) value = found->get<bool>();
  }
  void read(const char* member, double& value) {
    const json* found = find(member, &json::is_number, "a number");
    if (!found) return;
    value = found->get<double>();
    if (!std::isfinite(value) || value < 0) complain(member, "is not a possible measurement");
  }
  template <class Integer>
  requires std::is_integral_v<Integer>
  void read(const char* member, Integer& value) {
    const json* found = find(member, &json::is_number_integer, "a whole number");
    if (!found) return;
    const bool huge = found->is_number_unsigned() && found->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
    if (huge || !std::in_range<Integer>(found->get<int64_t>())) {
      complain(member, "is out of range");
    } else {
      value = static_cast<Integer>(found->get<int64_t>());
    }
  }
  void read(const char* member, std::map<std::string, int64_t>& values) {
    const json* found = find(member, &json::is_object, "an object");
    if (!found) return;
    JsonReader inner(*found, path_of(member), fault_);
    for (const auto& [name, value] : found->items()) inner.read(name.c_str(), values[name]);
  }
  /// The elements of a list, each as a JsonReader.
  template <class Function>
  void each(const char* member, const Function& function) {
    const json* found = find(member, &json::is_array, "a list");
    if (!found) return;
    for (size_t i = 0; i < found->size() && fault_.empty(); ++i) {
      function(JsonReader((*found)[i], fmt::format("{}[{}]", path_of(member), i), fault_));
    }
  }
  JsonReader object(const char* member) {
    static const json empty = json::object();
    const json* found = find(member, &json::is_object, "an object");
    return JsonReader(found ? *found : empty, path_of(member), fault_);
  }

 private:
  std::string path_of(const char* member) const { return path_.empty() ? member : path_ + "." + member; }
  void complain(const std::string& what) {
    if (fault_.empty()) fault_ = (path_.empty() ? "the file" : path_) + " " + what;
  }
  void complain(const char* member, const std::string& what) {
    if (fault_.empty()) fault_ = path_of(member) + " " + what;
  }
  const json* find(const char* member, bool (json::*is_type)() const noexcept, const char* type) {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(member);
    if (found == object_.end()) {
      complain(member, "is missing");
      return nullptr;
    }
    if (!((*found).*is_type)()) {
      complain(member, std::string("is not ") + type);
      return nullptr;
    }
    return &*found;
  }

  const json& object_;
  std::string path_;
  std::string& fault_;
};

}  // namespace tilescope
