// The user's cache folder: what took long to make is kept there, and found again by what went in.
#pragma once

#include <filesystem>
#include <string>

namespace haptos {

/// A folder of this name in $HAPTOS_CACHE, else in haptos in $XDG_CACHE_HOME, else in
/// ~/.cache/haptos. It need not exist. Empty where there is no home, or HAPTOS_CACHE is "off".
std::filesystem::path cache_folder(const std::string& name);

}  // namespace haptos
