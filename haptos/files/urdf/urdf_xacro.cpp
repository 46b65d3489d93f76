// Running xacro: a program of its own, started without a shell, with a bound on time and output.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

#include "haptos/base/text/text.h"
#include "haptos/files/urdf/urdf.h"

extern char** environ;

namespace haptos {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::filesystem::path& path, std::string rule, std::string remedy) {
  throw InputError(Diagnostic{path.string(), 0, 0, "", "", std::move(rule), std::move(remedy)});
}

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe");
    read = ends[0], write = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_write();
    if (read >= 0) ::close(read);
  }
  void close_write() {
    if (write >= 0) ::close(write);
    write = -1;
  }
};

// A child in a process group of its own, which is stopped whole when this goes away.
struct Child {
  pid_t pid = -1;
  ~Child() {
    if (pid > 0) {
      ::kill(-pid, SIGKILL);
      int status;
      while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
      }
    }
  }
};

pid_t spawn(const std::vector<std::string>& words, const Pipe& out, const Pipe& err, int& error) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.write, 1);
  posix_spawn_file_actions_adddup2(&files, err.write, 2);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = -1;
  error = ::posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : -1;
}

// The line of what a program complained about that says why: the first that speaks of an error,
// else the last one.
std::string complaint(const std::string& text) {
  constexpr std::size_t kPiece = 40, kLongest = 200;
  std::string said;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, std::min(end - at, kLongest));
    at = end + 1;
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t'))
      line.pop_back();
    if (line.empty()) continue;
    said = line;
    if (line.find("rror") != line.npos) break;
  }
  std::string shown;
  for (std::size_t at = 0; at < said.size(); at += kPiece)
    shown += printable(said.substr(at, kPiece));
  return shown;
}

}  // namespace

std::string run_xacro(const std::filesystem::path& path, const UrdfOptions& options) {
  std::error_code missing;
  const std::filesystem::path file = std::filesystem::absolute(path, missing);
  if (missing || !std::filesystem::is_regular_file(file, missing))
    fail(path, "the file cannot be found or is not a regular file", "check the path");
  // An absolute path, so that no file's name is taken for an option.
  std::vector<std::string> words{options.xacro, file.string()};
  for (const std::string& a : options.xacro_arguments) {
    if (a.find(":=") == a.npos || a.starts_with('-'))
      throw InputError(Diagnostic{path.string(), 0, 0, "xacro argument", printable(a),
                                  "must be name:=value", "for example hand:=true"});
    words.push_back(a);
  }
  Pipe out, err;
  int error = 0;
  Child child;
  child.pid = spawn(words, out, err, error);
  if (child.pid < 0)
    fail(path,
         "the program " + printable(options.xacro) +
             " that expands .xacro files cannot be started: " + std::strerror(error),
         "install it with pip install xacro or with ROS, or give the expanded .urdf file");
  out.close_write();
  err.close_write();

  std::string text, said;
  const auto deadline = Clock::now() + std::chrono::duration<double>(options.xacro_seconds);
  const auto left = [&] {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    return static_cast<int>(std::clamp<long long>(ms.count(), 0, 1'000'000));
  };
  const auto stop_late = [&] {
    if (left() <= 0)
      fail(path, "xacro took longer than " + to_text(options.xacro_seconds) + " s",
           "run it by hand and give the .urdf file it prints, or raise xacro_seconds");
  };
  pollfd ends[2] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (::poll(ends, 2, left()) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "poll");
    stop_late();
    for (pollfd& end : ends) {
      if (end.fd < 0 || !(end.revents & (POLLIN | POLLHUP | POLLERR))) continue;
      char buffer[65536];
      const ssize_t n = ::read(end.fd, buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        end.fd = -1;
      } else if (&end == &ends[0]) {
        text.append(buffer, static_cast<std::size_t>(n));
        if (static_cast<std::int64_t>(text.size()) > options.xml.max_bytes)
          fail(path, "xacro prints more than " + std::to_string(options.xml.max_bytes) + " bytes",
               "raise max_bytes if it is meant");
      } else {
        said.append(buffer, static_cast<std::size_t>(n));
        said.resize(std::min<std::size_t>(said.size(), 65536));
      }
    }
  }
  int status = 0;
  for (pid_t done = 0; done == 0;) {
    done = ::waitpid(child.pid, &status, WNOHANG);
    if (done < 0 && errno == EINTR) done = 0;
    if (done == 0) {
      stop_late();
      ::usleep(1000);
    }
  }
  child.pid = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string why = complaint(said);
    fail(path, "xacro cannot expand it" + (why.empty() ? "" : ": " + why),
         "mend the file, or give the arguments that it asks for");
  }
  return text;
}

}  // namespace haptos
