// What is kept of pairs of surfaces from step to step, as long as they are near each other.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace haptos {

template <class T>
class PairTable {
 public:
  /// Nothing has been used so far in this step.
  void begin() {
    for (auto& [pair, entry] : entries_) entry.used = false;
  }
  /// What is kept of a pair, made if need be; it stays where it is. Not for several threads.
  T& of(int i, int j) {
    Entry& e = entries_[static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint32_t>(j)];
    e.used = true;
    return e.value;
  }
  /// Forgets what was not used.
  void end() {
    std::erase_if(entries_, [](const auto& entry) { return !entry.second.used; });
  }

 private:
  struct Entry {
    T value;
    bool used = false;
  };
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace haptos
