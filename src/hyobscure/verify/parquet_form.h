#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hyobscure::verify {

/// What a Parquet file holds beside the cells of its columns: sentences, none where it holds nothing else.
///
/// Every byte must belong to a page of a column, to an index that the footer names, or to the footer; pages
/// and footer have the fields that the format needs and no others. There is no metadata, but for the
/// description of its columns that Spark writes, which is checked word by word. The cells themselves are for
/// the engine to read.
///
/// Not looked at: how pages are encoded and compressed, entries of a dictionary that no row uses, bounds that
/// a column states, and the version of the program that wrote the file.
[[nodiscard]] std::vector<std::string> what_else_is_in_parquet(const std::filesystem::path& file);

}  // namespace hyobscure::verify
