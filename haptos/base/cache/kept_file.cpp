#include "haptos/base/cache/kept_file.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

namespace haptos {
namespace {

namespace fs = std::filesystem;

constexpr char kSuffix[] = ".kept", kPart[] = ".part";
constexpr std::chrono::hours kForgotten{1};  // after which a part is nobody's

struct Header {
  char magic[8] = {'h', 'a', 'p', 't', 'o', 's', '0', '1'};
  std::uint64_t key[2] = {0, 0}, content[2] = {0, 0}, bytes = 0;
};

Header header_of(const Digest& key, std::span<const char> bytes) {
  Digest content;
  content.add(bytes.data(), bytes.size());
  Header h;
  for (int k = 0; k < 2; ++k) h.key[k] = key.word(k), h.content[k] = content.word(k);
  h.bytes = bytes.size();
  return h;
}

}  // namespace

fs::path KeptFiles::path(const Digest& key) const { return folder_ / (key.text() + kSuffix); }

std::optional<std::string> KeptFiles::read(const Digest& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path file = path(key);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  const auto size = fs::file_size(file, error);
  if (error) return std::nullopt;
  if (size >= sizeof(Header) && size <= most_ + sizeof(Header)) {
    std::ifstream in(file, std::ios::binary);
    Header h;
    std::string bytes(size - sizeof(Header), '\0');
    in.read(reinterpret_cast<char*>(&h), sizeof h);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (in) {
      const Header expected = header_of(key, bytes);
      if (std::memcmp(&h, &expected, sizeof h) == 0) {
        fs::last_write_time(file, fs::file_time_type::clock::now(), error);  // used just now
        return bytes;
      }
    }
  }
  fs::remove(file, error);
  return std::nullopt;
}

void KeptFiles::write(const Digest& key, std::span<const char> bytes) const {
  if (folder_.empty() || bytes.size() > most_) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return;
  static std::atomic<int> count{0};
  const fs::path file = path(key);
  const fs::path part = folder_ / (key.text() + "-" + std::to_string(::getpid()) + "-" +
                                   std::to_string(count++) + kPart);
  {
    const Header h = header_of(key, bytes);
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(&h), sizeof h);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (out) fs::rename(part, file, error);
    if (!out || error) {
      fs::remove(part, error);
      return;
    }
  }
  make_room();
}

void KeptFiles::make_room() const {
  struct File {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const auto used = at->last_write_time(gone);
    const auto bytes = gone ? 0 : at->file_size(gone);
    if (gone) continue;
    if (at->path().extension() == kSuffix) files.push_back({used, bytes, at->path()});
    if (at->path().extension() == kPart && now - used > kForgotten) fs::remove(at->path(), gone);
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.used > b.used; });
  std::uint64_t all = 0;
  for (const File& f : files) {
    all += f.bytes;
    if (all > most_) fs::remove(f.path, error);
  }
}

}  // namespace haptos
