#include "engine/compile/nvrtc_program.hpp"

namespace tilescope {
namespace {

int ask_to_stop(void* payload, void* /*reserved*/) {
  return static_cast<const std::stop_token*>(payload)->stop_requested() ? 1 : 0;
}

/// NVRTC's texts include their terminating zero.
template <class SizeFunction, class TextFunction>
std::string text_of(nvrtcProgram program, SizeFunction size_function, TextFunction text_function) {
  size_t size = 0;
  if (size_function(program, &size) != NVRTC_SUCCESS || size <= 1) return {};
  std::string text(size, '\0');
  if (text_function(program, text.data()) != NVRTC_SUCCESS) return {};
  text.resize(size - 1);
  std::erase(text, '\0');  // each of ptxas's messages ends with one
  return text;
}

}  // namespace

NvrtcOutput run_nvrtc(const NvrtcLibrary& library, const NvrtcInput& input, const std::stop_token& stop) {
  NvrtcOutput output;
  nvrtcProgram program = nullptr;
  std::vector<const char*> header_texts, header_names;
  for (const auto& [name, text] : input.headers) {
    header_names.push_back(name.c_str());
    header_texts.push_back(text.c_str());
  }
  output.result =
      library.create_program(&program, input.text.c_str(), input.file.c_str(), static_cast<int>(header_names.size()),
                             header_texts.data(), header_names.data());
  if (output.result != NVRTC_SUCCESS) return output;
  for (const std::string& expression : input.name_expressions) library.add_name_expression(program, expression.c_str());
  if (library.set_flow_callback != nullptr)
    library.set_flow_callback(program, ask_to_stop, const_cast<std::stop_token*>(&stop));

  std::vector<const char*> arguments;
  arguments.reserve(input.options.size());
  for (const std::string& option : input.options) arguments.push_back(option.c_str());
  output.result = library.compile_program(program, static_cast<int>(arguments.size()), arguments.data());

  output.log = text_of(program, library.log_size, library.log);
  output.ptx = text_of(program, library.ptx_size, library.ptx);
  size_t size = 0;
  if (output.result == NVRTC_SUCCESS && library.cubin_size(program, &size) == NVRTC_SUCCESS && size > 0) {
    output.cubin.resize(size);
    if (library.cubin(program, reinterpret_cast<char*>(output.cubin.data())) != NVRTC_SUCCESS) output.cubin.clear();
  }
  for (const std::string& expression : input.name_expressions) {
    const char* lowered = nullptr;
    if (output.result == NVRTC_SUCCESS && library.lowered_name(program, expression.c_str(), &lowered) == NVRTC_SUCCESS)
      output.lowered_names[expression] = lowered;
  }
  library.destroy_program(&program);
  return output;
}

}  // namespace tilescope
