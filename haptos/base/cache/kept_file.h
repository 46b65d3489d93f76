// Bytes kept in a folder of the cache under a key.
//
// A file is written whole or not at all, so several processes may share a folder, and it may be
// deleted at any time. It holds the digest of its content and its key: one that was damaged,
// changed or put under another name is deleted, not used. The files used longest ago go where all
// of them are more than may be kept. What cannot be read or written is passed over: a cache never
// stops a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "haptos/base/cache/digest.h"

namespace haptos {

class KeptFiles {
 public:
  /// @param folder  empty: nothing is kept
  /// @param most_bytes  that all files of the folder may have together
  KeptFiles(std::filesystem::path folder, std::uint64_t most_bytes)
      : folder_(std::move(folder)), most_(most_bytes) {}

  /// What is kept under a key; nothing where there is none.
  std::optional<std::string> read(const Digest& key) const;
  void write(const Digest& key, std::span<const char> bytes) const;

 private:
  std::filesystem::path path(const Digest& key) const;
  void make_room() const;

  std::filesystem::path folder_;
  std::uint64_t most_;
};

}  // namespace haptos
