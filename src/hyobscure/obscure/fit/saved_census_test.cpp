#include "hyobscure/obscure/fit/saved_census.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/base/test_sanitized.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/fit/fit.h"

namespace hyobscure::obscure {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SavedCensus : public testing::TestWithParam<data::SynthKind> {
 protected:
  SavedCensus() {
    data::synthesise({.kind = GetParam(), .people = 300, .dependence = 0.8, .items = 100, .entries = 20},
                     folder_ / "d", false);
    taken_ = take(spec());
    save_census(taken_, taken_.census, spec(), folder_ / "census", false);
  }

  data::Spec spec(std::vector<data::Override> overrides = {}) const {
    overrides.push_back({"method.seed", "3"});
    overrides.push_back({"method.name", "exact"});
    return data::read_spec(folder_ / "d" / "spec.toml", overrides);
  }

  static TakenCensus take(const data::Spec& spec) {
    data::Engine engine({.folder = spec.folder}, {});
    data::Reading reading = data::read_people(engine, spec);
    census::Census census = census_of(reading.people, spec);
    return {std::move(reading), std::move(census)};
  }

  std::string refusal(const data::Spec& spec) const {
    try {
      (void)load_census(folder_ / "census", spec);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  TestFolder folder_;
  TakenCensus taken_;
};

TEST_P(SavedCensus, ComesBackBitForBit) {
  const TakenCensus loaded = load_census(folder_ / "census", spec());
  EXPECT_EQ(data::fingerprint(loaded.people), data::fingerprint(taken_.people));
  EXPECT_EQ(loaded.people.values.size(), taken_.people.values.size());
  EXPECT_EQ(loaded.people.values.back().centre, taken_.people.values.back().centre);
  EXPECT_EQ(loaded.people.features.columns, taken_.people.features.columns);
  EXPECT_EQ(loaded.counts.events_read, taken_.counts.events_read);
  EXPECT_EQ(loaded.counts.people_read, taken_.counts.people_read);
  EXPECT_EQ(loaded.census.clustering.cluster_of_row, taken_.census.clustering.cluster_of_row);
  EXPECT_EQ(loaded.census.clustering.model.centres, taken_.census.clustering.model.centres);
  EXPECT_EQ(loaded.census.counts, taken_.census.counts);
  EXPECT_EQ(loaded.census.pair_sums, taken_.census.pair_sums);
  ASSERT_EQ(loaded.event_cells.has_value(), taken_.event_cells.has_value());
  if (taken_.event_cells) {
    EXPECT_EQ(loaded.event_cells->are_counts, taken_.event_cells->are_counts);
    EXPECT_EQ(loaded.event_cells->spellings, taken_.event_cells->spellings);
  }
  EXPECT_EQ(loaded.items, taken_.items);
  EXPECT_EQ(loaded.items_had_once, taken_.items_had_once);
  EXPECT_EQ(loaded.values_are_whole, taken_.values_are_whole);
  EXPECT_EQ(loaded.secrets_are_whole, taken_.secrets_are_whole);
}

TEST_P(SavedCensus, GivesTheMechanismOfAFreshOneForOtherBudgetsAndMethods) {
  if (GetParam() == data::SynthKind::CheckIns) HYOBSCURE_ONLY_IN_RELEASE();
  const TakenCensus loaded = load_census(folder_ / "census", spec());
  // Searching areas takes long, and is not what this is about.
  const std::vector<const char*> methods =
      GetParam() == data::SynthKind::CheckIns ? std::vector{"xobf"} : std::vector{"exact", "xobf", "fine"};
  for (const char* method : methods) {
    const data::Spec other =
        spec({{"method.name", method}, {"channel.budget_share", "0.4"}, {"method.gap", "1e-3"}});
    const TakenCensus fresh = take(other);
    write_mechanism(fit(loaded.people, other, loaded.census), folder_ / "loaded.json");
    write_mechanism(fit(fresh.people, other, fresh.census), folder_ / "fresh.json");
    EXPECT_EQ(read_file(folder_ / "loaded.json"), read_file(folder_ / "fresh.json")) << method;
  }
}

TEST_P(SavedCensus, IsForItsOwnerOnly) {
  for (const auto& entry : fs::directory_iterator(folder_ / "census"))
    EXPECT_EQ(fs::status(entry).permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry;
}

TEST_P(SavedCensus, IsRefusedForAnotherSpec) {
  EXPECT_THAT(refusal(spec({{"channel.clusters", "7"}})), HasSubstr("channel.clusters = 10"));
  EXPECT_THAT(refusal(spec({{"channel.distance", "hamming"}})), HasSubstr("channel.distance"));
  EXPECT_EQ(refusal(spec({{"channel.budget_share", "0.1"}, {"groups.count", "3"}})), "nothing was refused");
}

TEST_P(SavedCensus, IsRefusedForOtherDataAndTakenForATouchedFile) {
  const fs::path file = folder_ / "d" / "people.csv";
  const std::string before = read_file(file);
  write_file(file, before, FileAccess::Everyone);  // a new time of change, the same content
  EXPECT_EQ(refusal(spec()), "nothing was refused");
  std::string after = before;
  after[before.find("p1") + 1] = '2';
  write_file(file, after, FileAccess::Everyone);
  EXPECT_THAT(refusal(spec()), HasSubstr("people.csv has changed"));
  write_file(file, before + "\n", FileAccess::Everyone);
  EXPECT_THAT(refusal(spec()), HasSubstr("people.csv has changed"));
}

TEST_P(SavedCensus, IsRefusedWhenItsFilesAreNotWhole) {
  for (const char* name : {"people.bin", "items.bin", "values.bin", "census.json"}) {
    const fs::path file = folder_ / "census" / name;
    const std::string whole = read_file(file);
    write_file(file, whole.substr(0, whole.size() / 2), FileAccess::OwnerOnly);
    EXPECT_THAT(refusal(spec()), HasSubstr("no whole census")) << name;
    std::string changed = whole;
    changed[whole.size() / 2] ^= 1;
    write_file(file, changed, FileAccess::OwnerOnly);
    EXPECT_NE(refusal(spec()), "nothing was refused") << name;
    write_file(file, whole, FileAccess::OwnerOnly);
  }
  EXPECT_EQ(refusal(spec()), "nothing was refused");
  fs::remove(folder_ / "census" / "census.json");
  EXPECT_THAT(refusal(spec()), HasSubstr("no saved census"));
}

TEST_P(SavedCensus, OfAQueryIsNotSaved) {
  const data::Spec query = spec({{"people.file", ""}, {"people.query", "SELECT * FROM 'people.csv'"}});
  EXPECT_THROW(save_census(taken_, taken_.census, query, folder_ / "other", false), InputError);
  EXPECT_FALSE(fs::exists(folder_ / "other"));
}

/// With one number edited, and the hash made to fit: refused, or a census that can be worked with.
TEST_P(SavedCensus, WithEditedNumbersIsRefusedOrHarmless) {
  const fs::path census = folder_ / "census";
  const auto description = nlohmann::ordered_json::parse(read_file(census / "census.json"));
  int refused = 0, tried = 0;
  const auto try_edit = [&](const char* name, std::size_t at, std::size_t width, std::uint64_t number) {
    const std::string whole = read_file(census / name);
    std::string edited = whole;
    std::memcpy(edited.data() + at, &number, width);
    folder_.write(std::string("census/") + name, edited);
    auto fitting = description;
    fitting["sha256"][name] = sha256(edited);
    folder_.write("census/census.json", fitting.dump());
    try {
      const TakenCensus loaded = load_census(census, spec());
      EXPECT_FALSE(data::fingerprint(loaded.people).empty());
      EXPECT_EQ(census::assign(loaded.census.clustering.model, loaded.people.features).size(), 300u);
      if (loaded.people.space) (void)data::neighbours_of_values(*loaded.people.space);
      (void)terms_of(loaded.people, spec());
    } catch (const InputError&) {
      refused += 1;
    }
    tried += 1;
    folder_.write(std::string("census/") + name, whole);
  };
  const std::size_t people = fs::file_size(census / "people.bin"),
                    items = fs::file_size(census / "items.bin");
  const std::uint64_t numbers[] = {0, 7, std::uint64_t{1} << 31, std::uint64_t{1} << 40, ~std::uint64_t{0}};
  for (std::size_t n = 0; n < 40; ++n) {
    // The first bytes are lengths and ids, then come numbers of all kinds: densely at first, then all over.
    const std::size_t at = n < 10 ? 8 * n : (n - 10) * (people - 8) / 30;
    try_edit("people.bin", at, 8, numbers[n % 5]);
    try_edit("items.bin", n * (items - 4) / 40 / 4 * 4, 4, numbers[n % 5]);
  }
  EXPECT_EQ(tried, 80);
  EXPECT_GT(refused, 30);
  EXPECT_LT(refused, 80);  // some numbers may be any: it is not the hash that refuses
}

INSTANTIATE_TEST_SUITE_P(Kinds, SavedCensus,
                         testing::Values(data::SynthKind::Ratings, data::SynthKind::Tabular,
                                         data::SynthKind::CheckIns));

}  // namespace
}  // namespace hyobscure::obscure
