#include "haptos/files/urdf/urdf_files.h"

#include <algorithm>
#include <cstdlib>

#include "haptos/base/text/text.h"
#include "haptos/files/urdf/urdf.h"
#include "haptos/files/urdf/xml.h"
#include "haptos/geometry/io/mesh_io.h"

namespace haptos::urdf {

namespace fs = std::filesystem;

namespace {

constexpr int kLevels = 8;  // folders above the file that are looked at

bool is_under(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

bool is_file(const fs::path& p) {
  std::error_code error;
  return fs::exists(p, error) && !error;
}
bool is_folder(const fs::path& p) {
  std::error_code error;
  return fs::is_directory(p, error) && !error;
}

// Whether the folder holds a package.xml that says this name.
bool is_package(const fs::path& folder, const std::string& name) {
  const fs::path file = folder / "package.xml";
  if (!is_file(file)) return false;
  try {
    const std::string text = read_regular_file(file, 1 << 20);
    const std::size_t open = text.find("<name>"), close = text.find("</name>");
    if (open == text.npos || close == text.npos || close < open) return false;
    std::string said = text.substr(open + 6, close - open - 6);
    std::erase_if(said, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
    return said == name;
  } catch (const InputError&) {
    return false;  // a package.xml that cannot be read names no package
  }
}

std::vector<fs::path> paths_in(const char* variable) {
  std::vector<fs::path> paths;
  const char* value = std::getenv(variable);
  if (!value) return paths;
  std::string_view rest = value;
  while (!rest.empty()) {
    const std::size_t n = std::min(rest.find(':'), rest.size());
    if (n > 0 && rest[0] == '/') paths.emplace_back(rest.substr(0, n));
    rest.remove_prefix(std::min(n + 1, rest.size()));
  }
  return paths;
}

// The robot's own folder: see the header.
fs::path own_root(const std::vector<fs::path>& above) {
  for (const fs::path& p : above)
    if (is_file(p / "package.xml")) return p;
  constexpr const char* kNames[] = {"urdf", "robots", "xacro", "model"};
  const std::string name = above.front().filename().string();
  if (above.size() > 1 && std::count(std::begin(kNames), std::end(kNames), name)) return above[1];
  return above.front();
}

// Undoes %XX, which file:// paths may hold.
std::string decoded(std::string_view s) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool escape =
        s[i] == '%' && i + 2 < s.size() && digit(s[i + 1]) >= 0 && digit(s[i + 2]) >= 0;
    out += escape ? static_cast<char>(16 * digit(s[i + 1]) + digit(s[i + 2])) : s[i];
    if (escape) i += 2;
  }
  return out;
}

constexpr const char* kElsewhere =
    "check the path, or give the package's folder with the option packages";

MeshFinder::Result refused(std::string rule, std::string remedy) {
  return {{}, true, std::move(rule), std::move(remedy), ""};
}
MeshFinder::Result missing(std::string rule, std::string remedy) {
  return {{}, false, std::move(rule), std::move(remedy), ""};
}

}  // namespace

std::string shown_path(std::string_view path) {
  constexpr std::size_t kPiece = 40, kLongest = 240;  // printable() cuts at 40
  std::string s;
  for (std::size_t at = 0; at < std::min(path.size(), kLongest); at += kPiece)
    s += printable(path.substr(at, kPiece));
  return path.size() > kLongest ? s + "..." : s;
}

MeshFinder::MeshFinder(const fs::path& folder, const UrdfOptions& options)
    : folder_(folder), options_(options) {
  std::error_code error;
  const auto add_root = [&](const fs::path& p) {
    if (fs::path c = fs::canonical(p, error); !error) roots_.push_back(std::move(c));
  };
  if (!folder.empty()) {
    fs::path p = fs::canonical(folder, error);
    if (!error) {
      folder_ = p;
      for (int k = 0; k < kLevels && p.has_relative_path(); ++k, p = p.parent_path())
        above_.push_back(p);
      if (!above_.empty()) {
        const fs::path own = own_root(above_);
        add_root(own);
        beside_ = own.parent_path().has_relative_path() ? own.parent_path() : own;
      }
    }
  }
  for (const fs::path& p : options.roots) add_root(p);
  for (const auto& [name, p] : options.packages) add_root(p);
}

bool MeshFinder::lies_beside(const fs::path& p) const {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(p, error);
  return !error && !beside_.empty() && is_under(real, beside_);
}

std::vector<fs::path> MeshFinder::search(const std::string& name) const {
  std::vector<fs::path> found;
  for (const fs::path& p : above_) {
    if (is_package(p, name) || (p.filename() == name && lies_beside(p))) found.push_back(p);
    if (is_folder(p / name) && (is_package(p / name, name) || lies_beside(p / name)))
      found.push_back(p / name);
  }
  for (const fs::path& p : paths_in("ROS_PACKAGE_PATH")) {
    if (p.filename() == name || is_package(p, name)) found.push_back(p);
    if (is_folder(p / name)) found.push_back(p / name);
  }
  for (const fs::path& p : paths_in("AMENT_PREFIX_PATH"))
    if (is_folder(p / "share" / name)) found.push_back(p / "share" / name);
  return found;
}

// The file, if it is there and lies where it may.
MeshFinder::Result MeshFinder::take(const fs::path& candidate, const fs::path& package) {
  std::error_code error;
  const fs::path file = fs::weakly_canonical(candidate, error);
  if (error) return missing("does not exist", "check the path");
  std::vector<fs::path> roots = roots_;
  if (!package.empty())
    if (fs::path c = fs::canonical(package, error); !error) roots.push_back(std::move(c));
  if (std::none_of(roots.begin(), roots.end(),
                   [&](const fs::path& root) { return is_under(file, root); }))
    return refused("leads out of the robot's folders",
                   "put the file beside the robot, or list its folder in the option roots");
  if (!is_file(file)) return missing("does not exist", "check the path");
  return {file, false, "", "", ""};
}

MeshFinder::Result MeshFinder::in_package(const std::string& name, const std::string& rest) {
  if (const auto given = options_.packages.find(name); given != options_.packages.end()) {
    Result r = take(given->second / rest, given->second);
    if (r.path.empty() && !r.refused)
      r.rule = "does not exist in " +
               (given->second == "." ? "this folder" : shown_path(given->second.string()));
    return r;
  }
  const std::string remedy =
      "say where the package \"" + printable(name) +
      "\" is with the option packages, or name its folder in ROS_PACKAGE_PATH";
  if (!options_.search_packages)
    return missing(
        "belongs to the package \"" + printable(name) + "\", which is not among those given",
        remedy);
  if (!searched_.contains(name)) searched_[name] = search(name);
  Result best;
  for (const fs::path& p : searched_[name]) {
    Result r = take(p / rest, p);
    if (!r.path.empty()) return r;
    if (best.rule.empty() || r.refused) best = std::move(r);
  }
  if (!best.rule.empty()) {
    if (!best.refused) best.remedy = kElsewhere;
    return best;
  }
  // A package that was copied under another name: a folder above that holds this very file, or at
  // least the folder asked for, if its path is long enough to be no accident.
  const fs::path inside = fs::path(rest).parent_path();
  const bool telling = std::distance(inside.begin(), inside.end()) > 1;
  const auto holder = [&](auto&& holds) {
    const auto p = std::find_if(above_.begin(), above_.end(), holds);
    return p == above_.end() ? fs::path() : *p;
  };
  fs::path p =
      holder([&](const fs::path& q) { return is_file(q / rest) && lies_beside(q / rest); });
  if (p.empty() && telling)
    p = holder([&](const fs::path& q) { return is_folder(q / inside) && lies_beside(q / inside); });
  if (!p.empty()) {
    Result r = take(p / rest, beside_);
    if (r.path.empty() && !r.refused) {
      r.rule += " in " + shown_path(p.string()) + ", which was taken for the package \"" +
                printable(name) + "\"";
      r.remedy = kElsewhere;
    }
    if (fs::path& known = guessed_[name]; known != p) {
      known = p;
      r.note = "the package \"" + printable(name) + "\" is not here by its name; " +
               shown_path(p.string()) + ", which holds " +
               shown_path(telling ? inside.string() : rest) + ", was taken for it";
    }
    return r;
  }
  return missing("belongs to the package \"" + printable(name) + "\", which was not found", remedy);
}

MeshFinder::Result MeshFinder::find(const std::string& uri) {
  if (uri.empty()) return refused("is empty", "name a file");
  if (uri.size() > 4096) return refused("is longer than 4096 bytes", "name a file");
  if (uri.find('\\') != uri.npos)
    return refused("must not hold a backslash", "separate folders by /");
  if (uri.find('\0') != uri.npos) return refused("must not hold a NUL byte", "name a file");
  const std::size_t colon = uri.find(':');
  const bool scheme = colon != uri.npos && uri.find('/') > colon;
  if (!scheme) {
    const fs::path p = uri;
    if (folder_.empty() && p.is_relative())
      return refused("cannot be looked for: this robot has no folder",
                     "read the robot from a file");
    return take(folder_ / p, {});
  }
  const std::string kind = uri.substr(0, colon);
  std::string rest = uri.substr(colon + 1);
  while (rest.starts_with('/') && kind != "file") rest.erase(0, 1);
  if (kind == "package" || kind == "model") {
    const std::size_t slash = rest.find('/');
    if (slash == rest.npos || slash == 0)
      return refused("must name a package and a file in it",
                     "write package://name/path/of/the/file");
    if (const std::string name = rest.substr(0, slash); name == "." || name == "..")
      return refused("must name a package", "write package://name/path/of/the/file");
    std::string path = rest.substr(slash + 1);
    while (path.starts_with('/')) path.erase(0, 1);
    return in_package(rest.substr(0, slash), path);
  }
  if (kind == "file") {
    if (rest.starts_with("//")) rest.erase(0, 2);
    if (rest.starts_with("localhost/")) rest.erase(0, 9);
    rest = decoded(rest);
    if (rest.find('\0') != rest.npos) return refused("must not hold a NUL byte", "name a file");
    const fs::path p = rest;
    if (folder_.empty() && p.is_relative())
      return refused("cannot be looked for: this robot has no folder",
                     "read the robot from a file");
    return take(folder_ / p, {});
  }
  return refused(
      "must be a path, or start with package://, model:// or file://: nothing is fetched",
      "put the file beside the robot and name it relative to the robot's file");
}

}  // namespace haptos::urdf
