#include "engine/run/npy.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "engine/run/inputs.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

std::optional<DType> type_of(std::string_view descr) {
  constexpr auto kTypes = std::to_array<std::pair<std::string_view, DType>>({{"<f4", DType::f32},
                                                                             {"<f2", DType::f16},
                                                                             {"<f8", DType::f64},
                                                                             {"|b1", DType::boolean},
                                                                             {"|i1", DType::i8},
                                                                             {"|u1", DType::u8},
                                                                             {"<i2", DType::i16},
                                                                             {"<u2", DType::u16},
                                                                             {"<i4", DType::i32},
                                                                             {"<u4", DType::u32},
                                                                             {"<i8", DType::i64},
                                                                             {"<u8", DType::u64}});
  for (const auto& [name, type] : kTypes)
    if (name == descr) return type;
  return std::nullopt;
}

/// The text after 'KEY': in the header, a Python dictionary; leading blanks are dropped.
std::string_view entry(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "':");
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size() + 3);
  while (header.starts_with(' ')) header.remove_prefix(1);
  return header;
}

/// "(3, 4), …" → 3, 4.
std::optional<std::vector<int64_t>> shape_in(std::string_view text) {
  const size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) return std::nullopt;
  std::vector<int64_t> shape;
  for (const char* at = text.data() + 1; at < text.data() + close;) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int64_t extent = 0;
    const auto [end, problem] = std::from_chars(at, text.data() + close, extent);
    if (problem != std::errc() || extent < 0) return std::nullopt;
    shape.push_back(extent);
    at = end;
  }
  return shape;
}

}  // namespace

bool is_npy(const std::string& file) { return file.ends_with(".npy"); }

Result<NpyArray> read_npy(const std::string& file) {
  const auto read = read_text(file);
  if (!read) return fail(ErrorId::file_not_found, file, std::strerror(errno));
  const std::string& text = *read;
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (text.size() < 12 || !text.starts_with(kMagic)) return fail(ErrorId::file_refused, file, "it is no .npy file");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(text[i])); };
  const bool is_old = byte(6) == 1;
  const size_t begin = is_old ? 10 : 12;
  const size_t length = byte(8) | byte(9) << 8 | (is_old ? 0 : byte(10) << 16 | byte(11) << 24);
  if (length > text.size() - begin) return fail(ErrorId::file_refused, file, "it breaks off in its header");
  const std::string_view header = std::string_view(text).substr(begin, length);
  const std::string_view descr = entry(header, "descr");
  const std::string_view name = descr.size() > 4 ? descr.substr(1, descr.find('\'', 1) - 1) : std::string_view();
  const auto type = type_of(name);
  if (!type)
    return fail(ErrorId::file_refused, file, phrase("its element type '{}' is not one that it can hold here", name));
  const auto shape = shape_in(entry(header, "shape"));
  if (!shape) return fail(ErrorId::file_refused, file, "its header names no shape");
  if (entry(header, "fortran_order").starts_with("True") && shape->size() > 1)
    return fail(ErrorId::file_refused, file, "it is in Fortran order, column by column");
  NpyArray array{.shape = *shape};
  const size_t bytes = text.size() - begin - length;
  size_t count = 1;
  for (const int64_t extent : *shape) {
    if (extent != 0 && count > bytes / static_cast<size_t>(extent))
      return fail(ErrorId::file_refused, file, "it holds fewer elements than its shape");
    count *= static_cast<size_t>(extent);
  }
  if (count * size_of(*type) > bytes)
    return fail(ErrorId::file_refused, file, "it holds fewer elements than its shape");
  array.values = HostBuffer(*type, count);
  if (count > 0) std::memcpy(array.values.bytes.data(), text.data() + begin + length, array.values.bytes.size());
  return array;
}

HostBuffer converted(HostBuffer values, DType type) {
  if (values.type == type) return values;
  const bool same_bits =
      size_of(values.type) == 8 && size_of(type) == 8 && values.type != DType::f64 && type != DType::f64;
  if (same_bits) {
    values.type = type;
    return values;
  }
  HostBuffer result(type, values.count());
  for (size_t i = 0; i < values.count(); ++i) store_value(result, i, value_at(values, i));
  return result;
}

}  // namespace tilescope
