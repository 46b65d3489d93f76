#include "haptos/base/cache/cache_folder.h"

#include <cstdlib>

namespace haptos {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::filesystem::path cache_folder(const std::string& name) {
  namespace fs = std::filesystem;
  if (const std::string chosen = variable("HAPTOS_CACHE"); !chosen.empty())
    return chosen == "off" ? fs::path() : fs::path(chosen) / name;
  if (const std::string base = variable("XDG_CACHE_HOME"); !base.empty())
    return fs::path(base) / "haptos" / name;
  const std::string home = variable("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "haptos" / name;
}

}  // namespace haptos
