#include "haptos/base/text/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "haptos/base/text/error.h"

namespace haptos {

namespace {

// A file without a name yet, which a killed process cannot leave behind; -1 where the system or the
// folder's file system has none.
int open_nameless(const std::filesystem::path& folder) {
#ifdef O_TMPFILE
  if (::access("/proc/self/fd", X_OK) == 0)
    return ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#endif
  return -1;
}

}  // namespace

void write_in_one_move(const std::filesystem::path& path, std::string_view bytes,
                       const std::string& element) {
  static std::atomic<unsigned> serial{0};
  const std::string temporary =
      path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(serial++) + ".tmp";
  int fd = open_nameless(path.parent_path());
  bool named = fd < 0;
  if (named) fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const auto give_up = [&](const char* what) {
    const int e = errno;
    if (fd >= 0) ::close(fd);
    if (fd >= 0 && named) ::unlink(temporary.c_str());
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
  if (!named) {
    const std::string self = "/proc/self/fd/" + std::to_string(fd);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0)
      give_up("the file cannot be put in place");
    named = true;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) give_up("the file cannot be put in place");
  ::close(fd);
}

std::string read_regular_file(const std::filesystem::path& path, std::int64_t max_bytes,
                              const std::string& remedy) {
  const std::string name = path.string();
  const auto fail = [&](const std::string& rule, const std::string& mend) {
    throw InputError({name, 0, 0, "", "", rule, mend});
  };
  const auto system_error = [&](const char* what) {
    const int e = errno;
    fail(std::string(what) + ": " + std::strerror(e), "check the path and its permissions");
  };
  // Looked at before it is opened, so that no FIFO or device is ever opened; looked at again after,
  // since the name may mean something else by then.
  struct stat info {};
  const auto demand_file = [&] {
    if (S_ISDIR(info.st_mode))
      fail("this is a folder and not a regular file", "give the path of a file");
    if (!S_ISREG(info.st_mode)) fail("this is not a regular file", "give the path of a file");
  };
  if (::stat(path.c_str(), &info) != 0) system_error("the file cannot be found");
  demand_file();
  struct Descriptor {
    int fd;
    ~Descriptor() {
      if (fd >= 0) ::close(fd);
    }
  } file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) system_error("the file cannot be opened");
  if (::fstat(file.fd, &info) != 0) system_error("the file cannot be read");
  demand_file();
  if (info.st_size > max_bytes)
    fail("the file has " + std::to_string(info.st_size) + " bytes and the limit is " +
             std::to_string(max_bytes),
         remedy);
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = ::read(file.fd, bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) system_error("the file cannot be read");
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace haptos
