#pragma once

#include <filesystem>

#include "hyobscure/base/files.h"
#include "hyobscure/census/census.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::obscure {

/// What was read and its census: all that a fit needs, whatever the budget, groups and method, and most of
/// what a release does.
struct TakenCensus : data::ReadContent {
  census::Census census;
};

/// Writes a folder that load_census reads again: as private as the mechanism, and larger, since it holds all
/// features. Throws InputError where nothing could tell later whether the data is still the same (a query, a
/// pattern of files, a table of a database), and when it cannot be written.
void save_census(const data::ReadContent& read, const census::Census& census, const data::Spec& spec,
                 const std::filesystem::path& folder, bool force);

/// The census that was saved, bit for bit; the features stay in their files. Throws InputError when the files
/// of the spec have changed since, or the spec reads, clusters or measures otherwise: only [groups],
/// [method], [release] and the budget may differ.
[[nodiscard]] TakenCensus load_census(const std::filesystem::path& folder, const data::Spec& spec);

/// How a folder with a saved census is known, before it is replaced.
[[nodiscard]] OurFolder census_folder();

}  // namespace hyobscure::obscure
