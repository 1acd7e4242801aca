// Compiled modules, in memory and on disk. One file per key:
//
//     "TSMODULE" | length of the payload, 8 bytes little-endian | SHA-256 of the payload in hex | payload (CBOR)
//
// A file is written under a temporary name and renamed, so a reader sees all of it or nothing, whichever process wrote
// it. A file that does not match its length, hash and key is ignored and overwritten.
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/compile/compiler.hpp"

namespace tilescope {

class ModuleCache {
 public:
  static constexpr size_t kDefaultDiskBytes = size_t{512} << 20;
  static constexpr size_t kDefaultMemoryBytes = size_t{16} << 20;

  /// With an empty folder, or one that cannot be written, the cache is in memory only.
  explicit ModuleCache(std::filesystem::path folder, size_t disk_bytes = kDefaultDiskBytes,
                       size_t memory_bytes = kDefaultMemoryBytes);

  std::optional<CompiledModule> find(const std::string& key);
  void store(const std::string& key, const CompiledModule& module);

  /// Deletes the least recently used modules until the folder is well below its limit, and temporary files left behind
  /// by a process.
  void trim();

  bool on_disk() const { return !folder_.empty(); }
  std::filesystem::path path_of(const std::string& key) const { return folder_ / (key + ".module"); }

 private:
  struct Entry {
    std::string key;
    CompiledModule module;
    size_t bytes = 0;
  };
  void remember(const std::string& key, const CompiledModule& module);
  void write_file(const std::string& key, const CompiledModule& module);

  std::filesystem::path folder_;
  size_t disk_limit_;
  size_t memory_limit_;
  std::mutex mutex_;
  std::list<Entry> recent_;  // newest first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  size_t memory_bytes_ = 0;
  size_t written_since_trim_;  // starts at the limit, so the first write of a process trims the folder
};

/// Encodes and decodes the content of a cache file; nothing if it is truncated, altered, or has a different key.
std::vector<std::byte> encode_module(const std::string& key, const CompiledModule& module);
std::optional<CompiledModule> decode_module(const std::string& key, std::string_view bytes);

}  // namespace tilescope
