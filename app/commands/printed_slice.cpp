// --print NAME[a:b,c:d]
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/commands/buffer_checks.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "engine/run/expect.hpp"
#include "engine/run/inputs.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

constexpr int64_t kMostPrinted = 4096, kPerLine = 8;

/// "a:b", "a:", ":b" or "a" for a dimension of `extent` elements.
Result<void> read_range(const std::string& spec, const std::string& text, int64_t extent, const NameLookup& names,
                        PrintedSlice& slice) {
  const auto bound = [&](const std::string& one, int64_t usual, int64_t low, int64_t high) -> Result<int64_t> {
    if (one.empty()) return usual;
    return parse_whole_expression("--print " + spec, one, low, high, names);
  };
  const size_t colon = text.find(':');
  const auto first = bound(text.substr(0, colon), 0, 0, colon == std::string::npos ? extent - 1 : extent);
  if (!first) return tl::unexpected<Error>(first.error());
  if (colon == std::string::npos && text.empty())
    return fail(ErrorId::usage, fmt::format("--print {}: a slice is a:b", spec));
  const auto last =
      colon == std::string::npos ? Result<int64_t>(*first + 1) : bound(text.substr(colon + 1), extent, *first, extent);
  if (!last) return tl::unexpected<Error>(last.error());
  slice.first.push_back(*first);
  slice.last.push_back(*last);
  return {};
}

Result<PrintedSlice> read_slice(const std::string& spec, const Plan& plan, const NameLookup& names) {
  const size_t open = spec.find('[');
  const std::string name = spec.substr(0, open);
  PrintedSlice slice{.text = spec};
  std::string all;
  const BufferSpec* buffer = nullptr;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    all += (all.empty() ? "" : ", ") + plan.buffers[i].name;
    if (plan.buffers[i].name != name) continue;
    slice.buffer = i;
    buffer = &plan.buffers[i];
  }
  if (buffer == nullptr)
    return fail(ErrorId::usage, fmt::format("--print: there is no buffer '{}'; there {}", name,
                                            all.empty() ? "is none" : "are " + all));
  slice.shape = buffer->shape;
  std::vector<std::string> ranges;
  if (open != std::string::npos) {
    if (!spec.ends_with(']')) return fail(ErrorId::usage, fmt::format("--print {}: the slice has no ']'", spec));
    ranges = split_at_commas(std::string_view(spec).substr(open + 1, spec.size() - open - 2));
  }
  if (ranges.size() > buffer->shape.size())
    return fail(ErrorId::usage,
                fmt::format("--print {}: {} has {} dimension{}; give a buffer's extents as in buf:f32:64x32:normal",
                            spec, name, buffer->shape.size(), buffer->shape.size() == 1 ? "" : "s"));
  for (size_t i = 0; i < buffer->shape.size(); ++i)
    if (auto read = read_range(spec, i < ranges.size() ? ranges[i] : ":", buffer->shape[i], names, slice); !read)
      return tl::unexpected<Error>(read.error());
  if (slice.count() > kMostPrinted)
    return fail(ErrorId::usage, fmt::format("--print {}: these are {} elements; give a slice of at most {}, as in "
                                            "{}[0:8]; --dump writes all of them",
                                            spec, slice.count(), kMostPrinted, name));
  return slice;
}

bool is_never_written(const BufferSpec& spec, const HostBuffer& buffer, size_t i) {
  return spec.fill == Fill::poison && size_of(spec.type) > 1 && count_poison(buffer, i, i + 1) == 1;
}

std::string value_text(const BufferSpec& spec, const HostBuffer& buffer, size_t i) {
  if (is_never_written(spec, buffer, i)) return "poison";
  switch (buffer.type) {
    case DType::f32:
      return fmt::format("{}", buffer.as<float>()[i]);
    case DType::f64:
      return fmt::format("{}", buffer.as<double>()[i]);
    case DType::i64:
      return fmt::format("{}", buffer.as<int64_t>()[i]);
    case DType::u64:
      return fmt::format("{}", buffer.as<uint64_t>()[i]);
    default:
      return fmt::format("{:.6g}", value_at(buffer, i));
  }
}

json value_json(const BufferSpec& spec, const HostBuffer& buffer, size_t i) {
  if (is_never_written(spec, buffer, i)) return nullptr;
  if (buffer.type == DType::i64) return buffer.as<int64_t>()[i];
  if (buffer.type == DType::u64) return buffer.as<uint64_t>()[i];
  const double value = value_at(buffer, i);
  if (!std::isfinite(value)) return nullptr;
  return is_floating(buffer.type) ? json(value) : json(static_cast<int64_t>(value));
}

/// Calls visit(index of its first element) for each row of the last dimension.
template <class Visit>
void for_each_row(const PrintedSlice& slice, Visit&& visit) {
  if (slice.count() == 0) return;
  std::vector<int64_t> at = slice.first;
  while (true) {
    int64_t index = 0;
    for (size_t i = 0; i < at.size(); ++i) index = index * slice.shape[i] + at[i];
    visit(index);
    size_t axis = at.size() - 1;
    while (axis > 0 && ++at[axis - 1] == slice.last[axis - 1]) {
      at[axis - 1] = slice.first[axis - 1];
      --axis;
    }
    if (axis == 0) return;
  }
}

json nested(const PrintedSlice& slice, size_t axis, int64_t index, const BufferSpec& spec, const HostBuffer& buffer) {
  json values = json::array();
  for (int64_t i = slice.first[axis]; i < slice.last[axis]; ++i) {
    const int64_t at = index * slice.shape[axis] + i;
    if (axis + 1 < slice.shape.size())
      values.push_back(nested(slice, axis + 1, at, spec, buffer));
    else
      values.push_back(value_json(spec, buffer, static_cast<size_t>(at)));
  }
  return values;
}

}  // namespace

int64_t PrintedSlice::count() const {
  int64_t total = 1;
  for (size_t i = 0; i < first.size(); ++i) total *= last[i] - first[i];
  return total;
}

Result<std::vector<PrintedSlice>> read_slices(const std::vector<std::string>& specs, const Plan& plan,
                                              const NameLookup& names) {
  std::vector<PrintedSlice> slices;
  for (const std::string& spec : specs) {
    auto slice = read_slice(spec, plan, names);
    if (!slice) return tl::unexpected<Error>(slice.error());
    slices.push_back(std::move(*slice));
  }
  return slices;
}

std::string slice_text(const PrintedSlice& slice, const RunResult& result) {
  const BufferSpec& spec = result.plan.buffers[slice.buffer];
  const HostBuffer& buffer = *result.buffers[slice.buffer];
  std::string text = slice.text + ":\n";
  const int64_t length = slice.last.back() - slice.first.back();
  for_each_row(slice, [&](int64_t begin) {
    for (int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<uint64_t>(begin + i);
      if (i % kPerLine == 0) text += fmt::format("{}  [{}]", i > 0 ? "\n" : "", index_text(slice.shape, at));
      text += " " + value_text(spec, buffer, at);
    }
    text += "\n";
  });
  return text;
}

json slice_json(const PrintedSlice& slice, const RunResult& result) {
  const BufferSpec& spec = result.plan.buffers[slice.buffer];
  return {{"slice", slice.text},
          {"buffer", spec.name},
          {"first", slice.first},
          {"values", nested(slice, 0, 0, spec, *result.buffers[slice.buffer])}};
}

}  // namespace tilescope
