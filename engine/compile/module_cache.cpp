#include "engine/compile/module_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/sha256.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kMagic = "TSMODULE";
constexpr size_t kHashCharacters = 64;
constexpr size_t kHeaderBytes = kMagic.size() + sizeof(uint64_t) + kHashCharacters;
constexpr auto kAbandonedAfter = std::chrono::hours(1);

size_t size_in_memory(const CompiledModule& module) {
  size_t bytes = sizeof(module) + module.ptx.size() + module.cubin.size() + module.log.size();
  for (const TritonCode& code : module.triton) bytes += code.ttir.size() + code.ttgir.size();
  return bytes;
}

json to_json(const TritonCode& code) {
  return {code.kernel,        code.threads,         code.shared_bytes,        code.kept,       code.hidden_pointers,
          code.scratch_bytes, code.constexprs,      code.num_warps,           code.num_stages, code.ttir,
          code.ttgir,         code.machine_threads, code.machine_shared_bytes};
}

TritonCode triton_code_from_json(const json& value) {
  TritonCode code;
  size_t next = 0;
  const auto read = [&](auto& member) { value.at(next++).get_to(member); };
  read(code.kernel), read(code.threads), read(code.shared_bytes), read(code.kept), read(code.hidden_pointers);
  read(code.scratch_bytes), read(code.constexprs), read(code.num_warps), read(code.num_stages), read(code.ttir);
  read(code.ttgir), read(code.machine_threads), read(code.machine_shared_bytes);
  return code;
}

json to_json(const CompiledModule& module) {
  json kernels = json::array();
  for (const KernelInfo& kernel : module.kernels)
    kernels.push_back({kernel.name, kernel.registers, kernel.static_shared_bytes, kernel.local_bytes,
                       kernel.spill_store_bytes, kernel.spill_load_bytes, kernel.constant_bytes, kernel.parameter_bytes,
                       kernel.barriers});
  json messages = json::array();
  for (const CompileMessage& message : module.messages)
    messages.push_back({static_cast<int>(message.severity), message.file, message.line, message.text});
  json triton = json::array();
  for (const TritonCode& code : module.triton) triton.push_back(to_json(code));
  const auto* cubin = reinterpret_cast<const uint8_t*>(module.cubin.data());
  return {{"ptx", module.ptx},
          {"cubin", json::binary({cubin, cubin + module.cubin.size()})},
          {"target", module.cubin_target},
          {"kernels", kernels},
          {"expressions", module.kernel_of_expression},
          {"left_out", module.left_out},
          {"messages", messages},
          {"triton", triton},
          {"log", module.log}};
}

CompiledModule from_json(const json& value) {
  CompiledModule module;
  module.ptx = value.at("ptx").get<std::string>();
  const auto& cubin = value.at("cubin").get_binary();
  const auto* bytes = reinterpret_cast<const std::byte*>(cubin.data());
  module.cubin.assign(bytes, bytes + cubin.size());
  module.cubin_target = value.at("target").get<std::string>();
  for (const json& kernel : value.at("kernels"))
    module.kernels.push_back({kernel.at(0).get<std::string>(), kernel.at(1).get<uint32_t>(),
                              kernel.at(2).get<uint32_t>(), kernel.at(3).get<uint32_t>(), kernel.at(4).get<uint32_t>(),
                              kernel.at(5).get<uint32_t>(), kernel.at(6).get<uint32_t>(),
                              kernel.at(7).get<std::vector<uint32_t>>(), kernel.at(8).get<uint32_t>()});
  module.kernel_of_expression = value.at("expressions").get<std::map<std::string, std::string>>();
  module.left_out = value.at("left_out").get<std::map<std::string, std::string>>();
  for (const json& message : value.at("messages"))
    module.messages.push_back({static_cast<CompileMessage::Severity>(message.at(0).get<int>()),
                               message.at(1).get<std::string>(), message.at(2).get<uint32_t>(),
                               message.at(3).get<std::string>()});
  for (const json& code : value.at("triton")) module.triton.push_back(triton_code_from_json(code));
  module.log = value.at("log").get<std::string>();
  return module;
}

bool is_writable_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return !error && fs::is_directory(folder, error) && access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

std::vector<std::byte> encode_module(const std::string& key, const CompiledModule& module) {
  json value = to_json(module);
  value["key"] = key;
  const std::vector<uint8_t> payload = json::to_cbor(value);
  const std::string hash = sha256_of(std::as_bytes(std::span(payload)));
  const uint64_t length = payload.size();
  std::vector<std::byte> bytes(kHeaderBytes + payload.size());
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  std::memcpy(bytes.data() + kMagic.size(), &length, sizeof(length));
  std::memcpy(bytes.data() + kMagic.size() + sizeof(length), hash.data(), kHashCharacters);
  std::memcpy(bytes.data() + kHeaderBytes, payload.data(), payload.size());
  return bytes;
}

std::optional<CompiledModule> decode_module(const std::string& key, std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  uint64_t length = 0;
  std::memcpy(&length, bytes.data() + kMagic.size(), sizeof(length));
  const std::string_view hash = bytes.substr(kMagic.size() + sizeof(length), kHashCharacters);
  const std::string_view payload = bytes.substr(kHeaderBytes);
  if (payload.size() != length || sha256_of(payload) != hash) return std::nullopt;
  try {
    const json value = json::from_cbor(payload);
    if (value.at("key") != key) return std::nullopt;
    return from_json(value);
  } catch (const json::exception&) {  // complete, but written by a different program
    return std::nullopt;
  }
}

ModuleCache::ModuleCache(fs::path folder, size_t disk_bytes, size_t memory_bytes)
    : folder_(std::move(folder)),
      disk_limit_(disk_bytes),
      memory_limit_(memory_bytes),
      written_since_trim_(disk_bytes) {
  if (!folder_.empty() && !is_writable_folder(folder_)) folder_.clear();
}

std::optional<CompiledModule> ModuleCache::find(const std::string& key) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second);
      return found->second->module;
    }
  }
  if (!on_disk()) return std::nullopt;
  const auto content = read_text(path_of(key));
  if (!content) return std::nullopt;
  auto module = decode_module(key, *content);
  if (!module) return std::nullopt;
  std::error_code ignored;  // on error, trim() only keeps it longer
  fs::last_write_time(path_of(key), fs::file_time_type::clock::now(), ignored);
  remember(key, *module);
  return module;
}

void ModuleCache::store(const std::string& key, const CompiledModule& module) {
  remember(key, module);
  if (on_disk()) write_file(key, module);
}

void ModuleCache::remember(const std::string& key, const CompiledModule& module) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    memory_bytes_ -= found->second->bytes;
    recent_.erase(found->second);
    by_key_.erase(found);
  }
  recent_.push_front({key, module, size_in_memory(module)});
  by_key_[key] = recent_.begin();
  memory_bytes_ += recent_.front().bytes;
  while (memory_bytes_ > memory_limit_ && recent_.size() > 1) {
    memory_bytes_ -= recent_.back().bytes;
    by_key_.erase(recent_.back().key);
    recent_.pop_back();
  }
}

void ModuleCache::write_file(const std::string& key, const CompiledModule& module) {
  static std::atomic<uint64_t> count = 0;
  const fs::path temporary = folder_ / fmt::format("{}.{}.{}.temporary", key, getpid(), ++count);
  const std::vector<std::byte> bytes = encode_module(key, module);
  std::error_code ignored;
  {
    std::ofstream file(temporary, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {  // a full disk: continue without the cache
      fs::remove(temporary, ignored);
      return;
    }
  }
  std::error_code error;
  fs::rename(temporary, path_of(key), error);
  if (error) fs::remove(temporary, ignored);
  bool time_to_trim = false;
  {
    const std::lock_guard lock(mutex_);
    written_since_trim_ += bytes.size();
    time_to_trim = written_since_trim_ > disk_limit_ / 8;
    if (time_to_trim) written_since_trim_ = 0;
  }
  if (time_to_trim) trim();
}

void ModuleCache::trim() {
  struct File {
    fs::path path;
    fs::file_time_type used;
    uintmax_t bytes = 0;
  };
  if (!on_disk()) return;
  std::vector<File> files;
  uintmax_t total = 0;
  std::error_code ignored;
  const auto now = fs::file_time_type::clock::now();
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    std::error_code error;
    File file{entry.path(), entry.last_write_time(error), 0};
    if (!error) file.bytes = entry.file_size(error);
    if (error) continue;  // a different process deleted it
    if (file.path.extension() == ".temporary" && now - file.used > kAbandonedAfter) fs::remove(file.path, ignored);
    if (file.path.extension() != ".module") continue;
    total += file.bytes;
    files.push_back(std::move(file));
  }
  if (total <= disk_limit_) return;
  std::ranges::sort(files, {}, &File::used);
  for (const File& file : files) {
    if (total <= disk_limit_ / 4 * 3) break;
    fs::remove(file.path, ignored);
    total -= file.bytes;
  }
}

}  // namespace tilescope
