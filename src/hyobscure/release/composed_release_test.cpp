#include <gmock/gmock.h>

#include "hyobscure/census/kmeans.h"
#include "hyobscure/obscure/compose/composer.h"
#include "hyobscure/release/draw.h"
#include "hyobscure/release/test_release.h"

namespace hyobscure::release {
namespace {

using testing::HasSubstr;

/// Releases of composed rows, beside what each should hold by the rows that were composed.
class ComposedRelease : public ReleaseTest {
 protected:
  static std::vector<data::Override> composed(std::vector<data::Override> more = {}) {
    more.insert(more.begin(), {{"release.rows", "composed"}, {"release.owners", "2"}, {"release.kin", "4"}});
    return more;
  }

  struct Made {
    data::Reading reading;
    obscure::Mechanism mechanism;
    std::shared_ptr<const obscure::ComposedRows> rows;
    std::vector<std::uint32_t> donor_of;
    PublishResult result;
  };

  Made publish_composed(const std::string& name, const data::Spec& spec, int threads = 0) const {
    data::Engine engine({.folder = spec.folder, .threads = threads}, {});
    Made made{.reading = read(engine, spec), .mechanism = {}, .rows = {}, .donor_of = {}, .result = {}};
    made.mechanism = mechanism_for(made.reading.people, data::word(spec.channel.distance));
    made.mechanism.composing = obscure::composing_of(spec);
    made.mechanism.seeded = true;
    state_figures(made.reading.people, made.mechanism);
    const data::People& people = made.reading.people;
    made.rows = obscure::composed_rows_of(made.mechanism, people);
    made.donor_of =
        draw_donors(made.mechanism, people, census::assign(made.mechanism.clusters, people.features));
    made.result = publish(engine, spec, made.reading, made.mechanism,
                          {.output = folder_ / name, .accept_leakage = true});
    made.reading.tables = {};
    return made;
  }

  /// Rows of the sources by person, and of events by person and item: lines without the person.
  std::map<std::string, std::map<std::string, std::string>> events_by_person_and_item() const {
    std::map<std::string, std::map<std::string, std::string>> events;
    for (const std::string& line : lines("events.csv")) {
      std::istringstream cells(line);
      std::string who, stars, what, note, day;
      for (std::string* cell : {&who, &stars, &what, &note, &day}) std::getline(cells, *cell, ',');
      events[who][what] = fmt::format("{},{},{}", what, stars, day);
    }
    return events;
  }
};

TEST_F(ComposedRelease, HasTheEventsOfItsContributorsWithTheirValuesAndTimes) {
  const Made made = publish_composed("release", long_spec(composed()));
  const auto source = events_by_person_and_item();
  const data::People& people = made.reading.people;
  std::multiset<std::string> expected, published;
  for (std::size_t u = 0; u < people.size(); ++u) {
    const std::uint32_t donor = made.donor_of[u];
    for (std::size_t e = made.rows->rows.starts[donor]; e < made.rows->rows.starts[donor + 1]; ++e)
      expected.insert(
          people.ids[u] + "," +
          source.at(people.ids[made.rows->contributors[e]]).at(made.reading.items[made.rows->rows.items[e]]));
  }
  for (const std::string& line : lines("release/events.csv")) published.insert(line);
  published.erase("who,what,stars,day");
  EXPECT_EQ(published, expected);
  EXPECT_EQ(made.result.people_unchanged, 0);
}

TEST_F(ComposedRelease, WithoutTimesIsWrittenFromTheRowsInMemory) {
  auto spec = long_spec(composed());
  spec.events.time.clear();
  const Made made = publish_composed("release", spec);
  ASSERT_TRUE(made.reading.event_cells);
  EXPECT_EQ(lines("release/events.csv").size() - 1, [&] {
    std::size_t entries = 0;
    for (const std::uint32_t donor : made.donor_of) entries += made.rows->rows[donor].items.size();
    return entries;
  }());
}

TEST_F(ComposedRelease, IsTheSameForAnyNumberOfThreadsAndASecondTime) {
  for (const bool is_long : {true, false}) {
    const auto spec =
        is_long ? long_spec(composed()) : wide_spec(composed({{"channel.distance", "hamming"}}));
    const std::string name = is_long ? "long" : "wide";
    publish_composed(name + "1", spec, 1);
    publish_composed(name + "2", spec, 2);
    publish_composed(name + "3", spec, 2);
    EXPECT_EQ(all_files(name + "1"), all_files(name + "2"));
    EXPECT_EQ(all_files(name + "2"), all_files(name + "3"));
  }
}

// The cells of the source by person: n is the person's number, c the category, s the set a|wX.
TEST_F(ComposedRelease, OfWideDataHasTheCellsOfItsContributors) {
  const auto spec =
      wide_spec(composed({{"channel.distance", "hamming"}, {"release.together", "[[\"n\", \"c\"]]"}}));
  const Made made = publish_composed("release", spec);
  const data::People& people = made.reading.people;
  const obscure::Units units(people, spec.release.together);
  ASSERT_EQ(units.of_column(0), units.of_column(1));
  ASSERT_FALSE(units.of_column(2));
  std::map<std::string, int> number_of_id;
  for (int p = 0; p < kPeople; ++p) number_of_id[id_of(p)] = p;
  const auto published = lines("release/people.csv");
  ASSERT_EQ(published.size(), people.size() + 1);
  for (std::size_t u = 0; u < people.size(); ++u) {
    const std::uint32_t donor = made.donor_of[u];
    const int giver = number_of_id.at(people.ids[made.rows->contributor(donor, *units.of_column(0))]);
    EXPECT_THAT(published[u + 1], HasSubstr(fmt::format("{}.50,\"k, {}\",", giver, giver % 4)));
    std::string set;
    for (const std::uint32_t item : made.rows->rows[donor].items)
      if (people.columns.of_item[item] == 2) set += (set.empty() ? "" : "|") + people.columns.words[item];
    EXPECT_TRUE(published[u + 1].ends_with("," + set)) << published[u + 1];
  }
}

TEST_F(ComposedRelease, OfParquetHasTheSameCells) {
  make_parquet("wide");
  auto spec = wide_spec(composed({{"channel.distance", "hamming"}, {"people.file", "wide.parquet"}}));
  publish_composed("parquet", spec);
  spec.release.format = data::ReleaseFormat::Csv;
  publish_composed("csv", spec);
  data::Engine engine({.folder = folder_.path()}, {});
  EXPECT_EQ(engine.integers(fmt::format("SELECT count(*) FROM (SELECT id, age, CAST(n AS DOUBLE), c, s FROM "
                                        "'{0}/parquet/people.parquet' EXCEPT "
                                        "SELECT id, age, CAST(n AS DOUBLE), c, s FROM "
                                        "read_csv('{0}/csv/people.csv', types = {{'s': 'VARCHAR'}}))",
                                        folder_.path().string()))[0],
            0);
}

TEST_F(ComposedRelease, IsRefusedWhereTheSpecAsksForOtherRows) {
  data::Engine engine({.folder = folder_.path()}, {});
  const auto spec = long_spec(composed());
  const auto reading = read(engine, spec);
  auto mechanism = mechanism_for(reading.people, data::word(spec.channel.distance));
  const auto refused = [&](const data::Spec& asked) {
    return refusal([&] {
      (void)publish(engine, asked, reading, mechanism, {.output = folder_ / "r", .accept_leakage = true});
    });
  };
  EXPECT_THAT(refused(spec), HasSubstr("publishes donors' rows, and the spec asks for composed ones"));
  mechanism.composing = obscure::composing_of(spec);
  EXPECT_THAT(refused(long_spec()), HasSubstr("publishes composed rows, and the spec asks for donors' ones"));
  EXPECT_THAT(refused(long_spec(composed({{"release.kin", "7"}}))), HasSubstr("another release.kin"));
}

TEST_F(ComposedRelease, OfAMechanismThatWasEditedIsRefused) {
  data::Engine engine({.folder = folder_.path()}, {});
  auto spec = long_spec(composed());
  const auto reading = read(engine, spec);
  auto mechanism = mechanism_for(reading.people, data::word(spec.channel.distance));
  mechanism.composing = obscure::composing_of(spec);
  mechanism.seeded = true;
  state_figures(reading.people, mechanism);
  const auto refused = [&](const obscure::Mechanism& edited) {
    auto asked = spec;
    if (edited.composing) {
      asked.release.kin = edited.composing->kin;
      asked.release.owners = edited.composing->owners;
    } else {
      asked.release.rows = data::PublishedRows::Donor;
    }
    return refusal([&] {
      (void)publish(engine, asked, reading, edited, {.output = folder_ / "r", .accept_leakage = true});
    });
  };
  auto fewer_kin = mechanism, fewer_owners = mechanism, donors = mechanism, share = mechanism;
  fewer_kin.composing->kin = 3;
  fewer_owners.composing->owners = 4;
  donors.composing.reset();
  share.figures.composed.largest_share -= 0.1;
  for (const auto& edited : {fewer_kin, fewer_owners, donors, share})
    EXPECT_THAT(refused(edited), HasSubstr("does not say what it does"));
  EXPECT_EQ(refused(mechanism), "accepted");
}

}  // namespace
}  // namespace hyobscure::release
