#pragma once

#include <filesystem>

namespace hyobscure::data {

/// Throws InputError where a .gz or .zst file is cut off or damaged; other files pass unread.
///
/// The engine reads what there is of a cut-off file and says nothing when the cut falls on a line's end,
/// which would silently leave people out. One pass of decompression is the price of knowing.
void check_compressed_file_is_whole(const std::filesystem::path& file);

}  // namespace hyobscure::data
