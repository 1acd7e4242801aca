#include "engine/gpu/launch_protocol.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/phrase_json.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

std::string hex_of(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

unsigned digit_of(char letter) { return static_cast<unsigned>(letter <= '9' ? letter - '0' : letter - 'a' + 10) & 15; }

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes(hex.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(digit_of(hex[2 * i]) << 4 | digit_of(hex[2 * i + 1]));
  }
  return bytes;
}

json extent_to_json(const Dim3& extent) { return {extent.x, extent.y, extent.z}; }
Dim3 extent_from_json(const json& extent) { return {extent.at(0), extent.at(1), extent.at(2)}; }

json pointer_to_json(const BufferArgument& pointer) {
  json document = {{"buffer", pointer.buffer}, {"offset", pointer.offset_bytes}};
  if (pointer.texture) document["texture"] = *pointer.texture;
  return document;
}

BufferArgument pointer_from_json(const json& document) {
  BufferArgument pointer{document.at("buffer"), document.at("offset")};
  if (document.contains("texture")) pointer.texture = document.at("texture").get<size_t>();
  return pointer;
}

json argument_to_json(const Argument& argument) {
  if (const auto* value = std::get_if<ScalarArgument>(&argument)) {
    json pointers = json::array();
    for (const auto& member : value->pointers)
      pointers.push_back({{"at", member.offset}, {"target", pointer_to_json(member.target)}});
    return {{"value", hex_of(value->bytes)}, {"pointers", pointers}};
  }
  return pointer_to_json(std::get<BufferArgument>(argument));
}

Argument argument_from_json(const json& argument) {
  if (argument.contains("value")) {
    ScalarArgument value{bytes_of(argument.at("value")), {}, {}};
    for (const json& member : argument.at("pointers"))
      value.pointers.push_back({member.at("at"), pointer_from_json(member.at("target"))});
    return value;
  }
  return pointer_from_json(argument);
}

json texture_to_json(const TextureSpec& texture) {
  return {{"buffer", texture.buffer},
          {"shape", static_cast<int>(texture.shape)},
          {"type", name_of(texture.type)},
          {"channels", texture.channels},
          {"extent", extent_to_json(texture.extent)},
          {"linear_filter", texture.linear_filter},
          {"normalized", texture.normalized},
          {"normalized_float", texture.normalized_float},
          {"address", static_cast<int>(texture.address)}};
}

TextureSpec texture_from_json(const json& document) {
  return {.buffer = document.at("buffer"),
          .shape = static_cast<TextureSpec::Shape>(document.at("shape").get<int>()),
          .type = dtype_from(document.at("type").get<std::string>()).value_or(DType::f32),
          .channels = document.at("channels"),
          .extent = extent_from_json(document.at("extent")),
          .linear_filter = document.at("linear_filter"),
          .normalized = document.at("normalized"),
          .normalized_float = document.at("normalized_float"),
          .address = static_cast<TextureSpec::Address>(document.at("address").get<int>())};
}

Error error_from_json(const json& document) {
  return {.id = static_cast<ErrorId>(document.at("error").get<int>()),
          .message = document.at("message"),
          .hint = document.at("hint"),
          .what = phrase_from_json(document.at("what")),
          .advice = phrase_from_json(document.at("advice"))};
}

json preset_to_json(const Preset& preset) {
  return {{"variable", preset.variable}, {"buffer", preset.buffer}, {"value", argument_to_json(preset.value)}};
}

Preset preset_from_json(const json& document) {
  return {.variable = document.at("variable"),
          .buffer = document.at("buffer"),
          .value = std::get<ScalarArgument>(argument_from_json(document.at("value")))};
}

json launch_to_json(const Launch& planned) {
  const Launch launch = as_on_gpu(planned);
  json arguments = json::array(), presets = json::array(), textures = json::array();
  for (const TextureSpec& texture : launch.textures) textures.push_back(texture_to_json(texture));
  for (const Preset& preset : launch.presets) presets.push_back(preset_to_json(preset));
  for (const Argument& argument : launch.arguments) arguments.push_back(argument_to_json(argument));
  return {{"kernel", launch.kernel},
          {"grid", extent_to_json(launch.grid)},
          {"block", extent_to_json(launch.block)},
          {"shared_bytes", launch.shared_bytes},
          {"arguments", std::move(arguments)},
          {"presets", std::move(presets)},
          {"textures", std::move(textures)}};
}

Launch launch_from_json(const json& document) {
  Launch launch;
  launch.kernel = document.at("kernel");
  launch.grid = extent_from_json(document.at("grid"));
  launch.block = extent_from_json(document.at("block"));
  launch.shared_bytes = document.at("shared_bytes");
  for (const auto& argument : document.at("arguments")) launch.arguments.push_back(argument_from_json(argument));
  for (const auto& texture : document.at("textures")) launch.textures.push_back(texture_from_json(texture));
  for (const auto& preset : document.at("presets")) launch.presets.push_back(preset_from_json(preset));
  return launch;
}

}  // namespace

json to_json(const LaunchRequest& request) {
  json launches = json::array(), handles = json::array();
  for (const Launch& launch : request.launches) launches.push_back(launch_to_json(launch));
  for (const CUipcMemHandle& handle : request.handles) {
    handles.push_back(hex_of(std::as_bytes(std::span(handle.reserved))));
  }
  return {{"kind", request.kind == LaunchRequest::Kind::time ? "time" : "run"},
          {"cubin", hex_of(request.module.cubin)},
          {"ptx", request.module.ptx},
          {"launches", std::move(launches)},
          {"handles", std::move(handles)},
          {"bytes", request.bytes},
          {"spare_contents", request.spare_contents}};
}

bool from_json(const json& document, LaunchRequest& request) {
  try {
    request.kind = document.at("kind") == "time" ? LaunchRequest::Kind::time : LaunchRequest::Kind::run;
    request.module.cubin = bytes_of(document.at("cubin"));
    request.module.ptx = document.at("ptx");
    for (const json& launch : document.at("launches")) request.launches.push_back(launch_from_json(launch));
    for (const json& hex : document.at("handles")) {
      const std::vector<std::byte> bytes = bytes_of(hex);
      CUipcMemHandle handle{};
      if (bytes.size() != sizeof handle) return false;
      std::memcpy(&handle, bytes.data(), sizeof handle);
      request.handles.push_back(handle);
    }
    request.bytes = document.at("bytes").get<std::vector<size_t>>();
    request.spare_contents = document.at("spare_contents");
  } catch (const json::exception&) {
    return false;
  }
  return request.bytes.size() == request.handles.size();
}

json answer_of(const LaunchAnswer& answer) {
  return {{"milliseconds", answer.timing.milliseconds},
          {"executions", answer.timing.method.executions},
          {"sets", answer.timing.method.sets},
          {"output", hex_of(std::as_bytes(std::span(answer.output)))}};  // any bytes
}

json answer_of(const Error& error) {
  return {{"error", static_cast<int>(error.id)},
          {"message", error.message},
          {"hint", error.hint},
          {"what", phrase_to_json(error.what)},
          {"advice", phrase_to_json(error.advice)}};
}

Result<LaunchAnswer> answer_from_json(const json& document) {
  try {
    if (document.contains("error")) return tl::unexpected(error_from_json(document));
    LaunchAnswer answer;
    answer.timing.milliseconds = document.at("milliseconds").get<std::vector<double>>();
    answer.timing.method = {.executions = document.at("executions"), .sets = document.at("sets")};
    const std::vector<std::byte> output = bytes_of(document.at("output"));
    answer.output.assign(reinterpret_cast<const char*>(output.data()), output.size());
    if (!answer.timing.milliseconds.empty()) return answer;
  } catch (const json::exception&) {
    // Falls through: not an answer.
  }
  return fail(ErrorId::cuda_failed, "the launch", "its worker process gave no answer that can be read");
}

}  // namespace tilescope
