// Files that are written whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace haptos {

/// Writes a new file in the same folder, flushes it to the disk and renames it to `path`.
/// @param element  what the file holds, for the error
/// @throws InputError naming the file where that fails; an old file then stays as it was
void write_in_one_move(const std::filesystem::path& path, std::string_view bytes,
                       const std::string& element = "");

}  // namespace haptos
