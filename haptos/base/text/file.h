// Files that are written whole or not at all, and files that are read only if they are files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace haptos {

/// Writes a new file in the same folder, flushes it to the disk and renames it to `path`.
/// @param element  what the file holds, for the error
/// @throws InputError naming the file where that fails; an old file then stays as it was
void write_in_one_move(const std::filesystem::path& path, std::string_view bytes,
                       const std::string& element = "");

/// Reads a regular file of at most `max_bytes` bytes. Its kind and size are looked at before it is
/// opened: no FIFO, device or folder is ever read.
/// @param remedy  what to do about a file that is larger
/// @throws InputError naming the file
std::string read_regular_file(const std::filesystem::path& path, std::int64_t max_bytes,
                              const std::string& remedy = "simplify the mesh or raise max_bytes");

}  // namespace haptos
