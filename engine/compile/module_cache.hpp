// Compiled modules, in memory and on disk. One file per key:
//
//     "TSMODULE" | length of the payload, 8 bytes little-endian | SHA-256 of the payload in hex | payload (CBOR)
//
// A file is written under a temporary name and renamed, so that a reader sees all of it or nothing, whichever process
// wrote it. What does not match its length, hash and key is ignored and written again.
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

  /// An empty folder, or one that cannot be written, leaves the cache in memory alone.
  explicit ModuleCache(std::filesystem::path folder, size_t disk_bytes = kDefaultDiskBytes,
                       size_t memory_bytes = kDefaultMemoryBytes);

  std::optional<CompiledModule> find(const std::string& key);
  void store(const std::string& key, const CompiledModule& module);

  /// Deletes the modules used longest ago until the folder is well within its bound, and temporary files that a process
  /// left behind.
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
  size_t written_since_trim_;  // starts full: the first write of a process looks at the folder
};

/// The content of a cache file, and back; nothing where it is truncated, altered, or belongs to another key.
std::vector<std::byte> encode_module(const std::string& key, const CompiledModule& module);
std::optional<CompiledModule> decode_module(const std::string& key, std::string_view bytes);

}  // namespace tilescope
