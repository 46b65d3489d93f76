#include "haptos/base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "haptos/base/error.h"

namespace haptos {

void write_in_one_move(const std::filesystem::path& path, std::string_view bytes,
                       const std::string& element) {
  static std::atomic<unsigned> serial{0};
  const std::string temporary =
      path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(serial++) + ".tmp";
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const auto give_up = [&](const char* what) {
    const int e = errno;
    if (fd >= 0) {
      ::close(fd);
      ::unlink(temporary.c_str());
    }
    throw InputError({path.string(), 0, 0, element, "", std::string(what) + ": " + std::strerror(e),
                      "check that the folder exists, may be written and has room"});
  };
  if (fd < 0) give_up("the file cannot be created");
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) give_up("the file cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fsync(fd) != 0) give_up("the file cannot be written");
  if (::rename(temporary.c_str(), path.c_str()) != 0) give_up("the file cannot be put in place");
  ::close(fd);
}

}  // namespace haptos
