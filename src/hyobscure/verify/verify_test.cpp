#include "hyobscure/verify/verify.h"

#include <gmock/gmock.h>

#include "hyobscure/release/test_release.h"
#include "hyobscure/verify/test_verify.h"

namespace hyobscure::verify {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

published::Group range_group(const std::string& label, double low, double high, std::int64_t people) {
  return {
      .label = label, .covers = {{.label = label, .low = low, .high = high}}, .people = people, .values = 2};
}

class Verify : public VerifyTest<release::ReleaseTest> {
 protected:
  /// Replaces everything behind the first comma in the lines of one person by that of another.
  void give_events(const std::string& from, const std::string& to) const {
    const auto all = lines("out/events.csv");
    std::vector<std::string> events;
    for (const std::string& line : std::span(all).subspan(1)) {
      if (!line.starts_with(to + ",")) events.push_back(line);
      if (line.starts_with(from + ",")) events.push_back(to + line.substr(from.size()));
    }
    write_events(all[0], std::move(events));
  }

  /// In the order of a release.
  void write_events(const std::string& header, std::vector<std::string> events) const {
    std::ranges::sort(events);
    std::string text = header + "\n";
    for (const std::string& line : events) text += line + "\n";
    folder_.write("out/events.csv", text);
  }

  static std::string person_of(bool second_group) {
    int p = 0;
    while ((age_of(p) >= 26) != second_group) ++p;
    return id_of(p);
  }
};

// --- good releases pass

struct Kind {
  bool is_long;
  std::string source;
  std::string format;
  std::string ids;
};

class VerifyGood : public Verify, public testing::WithParamInterface<Kind> {};

TEST_P(VerifyGood, PassesAloneAndAgainstTheOriginal) {
  const Kind& kind = GetParam();
  std::vector<data::Override> overrides = {{"release.format", kind.format}, {"release.ids", kind.ids}};
  if (kind.source == "parquet") {
    for (const std::string name : {"people", "events", "wide"}) make_parquet(name);
    overrides.push_back({"people.file", kind.is_long ? "people.parquet" : "wide.parquet"});
    if (kind.is_long) overrides.push_back({"events.file", "events.parquet"});
  }
  const auto spec = kind.is_long ? long_spec(overrides) : wide_spec(overrides);
  (void)publish_to("out", spec);
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(spec)), IsEmpty());
  EXPECT_GT(against(spec).checks.size(), alone().checks.size() + 5);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, VerifyGood,
    testing::Values(Kind{true, "csv", "csv", "keep"}, Kind{true, "csv", "csv", "replace"},
                    Kind{true, "csv", "parquet", "keep"}, Kind{true, "parquet", "parquet", "replace"},
                    Kind{true, "parquet", "csv", "keep"}, Kind{false, "csv", "csv", "keep"},
                    Kind{false, "csv", "csv", "replace"}, Kind{false, "csv", "csv", "drop"},
                    Kind{false, "csv", "parquet", "keep"}, Kind{false, "parquet", "parquet", "drop"},
                    Kind{false, "parquet", "csv", "keep"}),
    [](const auto& instance) {
      const Kind& kind = instance.param;
      return fmt::format("{}_{}_{}_{}", kind.is_long ? "long" : "wide", kind.source, kind.format, kind.ids);
    });

TEST_F(Verify, AwkwardCellsAndNamesSurvive) {
  std::string wide = "\"the, id\",age,\"n\"\"1\"\"\",c é,s\n";
  for (int p = 0; p < kPeople; ++p)
    wide += fmt::format("\"{}, '\"\"\",{},{},\" a\nb;\"\"{} \",'ü|NULL\n", id_of(p), age_of(p), p, p % 7);
  folder_.write("awkward.csv", wide);
  for (const std::string format : {"csv", "parquet"}) {
    auto spec = wide_spec({{"people.file", "awkward.csv"}, {"release.format", format}});
    spec.people.id = "the, id";
    spec.people.features = {"n\"1\"", "c é", "s"};
    (void)publish_to("out", spec, 0, /*force=*/true);
    EXPECT_THAT(failed(against(spec)), IsEmpty()) << format;
  }
}

TEST_F(Verify, KeptColumnsPassInEveryShape) {
  write_kept_sources();
  for (const std::string name : {"kept_people", "kept_wide"}) make_parquet(name);
  for (const bool is_long : {true, false})
    for (const std::string source : {"csv", "parquet"})
      for (const std::string format : {"csv", "parquet"})
        for (const std::string ids : {"keep", "replace", "drop"}) {
          if (is_long && ids == "drop") continue;
          const auto spec =
              kept_spec(is_long, {{"people.file", (is_long ? "kept_people." : "kept_wide.") + source},
                                  {"release.format", format},
                                  {"release.ids", ids}});
          (void)publish_to("out", spec, 0, /*force=*/true);
          EXPECT_THAT(failed(alone()), IsEmpty()) << is_long << source << format << ids;
          EXPECT_THAT(failed(against(spec)), IsEmpty()) << is_long << source << format << ids;
          EXPECT_TRUE(find(alone(), "no person is alone in their group with their kept values").passed);
        }
}

TEST_F(Verify, ATrialPassesWithAWarning) {
  (void)publish_to("out", long_spec());
  reseal([](published::Manifest& manifest) { manifest.seeded = true; });
  EXPECT_TRUE(alone().passed());
  const Check check = find(alone(), "the draws come from a secret key");
  EXPECT_FALSE(check.passed);
  EXPECT_TRUE(check.warning);
  EXPECT_THAT(check.detail, HasSubstr("must not be published"));
}

// --- careless edits: hashes and seal show it

TEST_F(Verify, NamesTheFileInWhichOneByteChanged) {
  (void)publish_to("out", long_spec());
  edit("events.csv", "item", "itam");
  EXPECT_THAT(failed(alone()), ElementsAre("the files are as they were written"));
  EXPECT_THAT(find(alone(), "the files are as they were written").detail,
              AllOf(HasSubstr("events.csv"), Not(HasSubstr("people.csv"))));
}

TEST_F(Verify, NoticesAnEditedManifest) {
  (void)publish_to("out", long_spec());
  edit("manifest.json", "\"hyobscure\"", "\"dp\"");
  EXPECT_THAT(failed(alone()), ElementsAre("the manifest is as it was written"));
  EXPECT_THAT(find(alone(), "the manifest is as it was written").detail, HasSubstr("manifest.json"));
}

TEST_F(Verify, NamesAMissingFile) {
  (void)publish_to("out", long_spec());
  std::filesystem::remove(folder_ / "out/events.csv");
  EXPECT_THAT(failed(against(long_spec())), ElementsAre("all files are there"));
  EXPECT_THAT(find(alone(), "all files are there").detail, HasSubstr("events.csv is missing"));
}

TEST_F(Verify, NamesAFileThatDoesNotBelong) {
  (void)publish_to("out", long_spec());
  folder_.write("out/mechanism.json", "{}");
  EXPECT_THAT(failed(alone()), ElementsAre("there are no other files"));
  EXPECT_THAT(find(alone(), "there are no other files").detail, HasSubstr("mechanism.json"));
}

// As several machines write one.
TEST_F(Verify, ATableInPartFilesIsAsGoodAsOneFile) {
  const data::Spec spec = long_spec({{"release.format", "parquet"}});
  (void)publish_to("out", spec);
  const auto events = folder_ / "out" / "events.parquet";
  data::Engine engine({.folder = folder_.path()}, {});
  std::filesystem::rename(events, folder_ / "whole.parquet");
  std::filesystem::create_directory(events);
  for (const int part : {0, 1})
    engine.run(
        fmt::format("COPY (SELECT * FROM 'whole.parquet' LIMIT 100 OFFSET {}) TO {} (FORMAT parquet, "
                    "WRITE_BLOOM_FILTER false)",
                    part == 0 ? 0 : 100,
                    data::quoted_text((events / fmt::format("part-0000{}.parquet", part)).string())));
  engine.run(fmt::format(
      "COPY (SELECT * FROM 'whole.parquet' OFFSET 200) TO {} (FORMAT parquet, WRITE_BLOOM_FILTER false)",
      data::quoted_text((events / "part-00002.parquet").string())));
  EXPECT_THAT(failed(against(spec)), ElementsAre("the files are as they were written"));
  reseal();
  EXPECT_THAT(failed(against(spec)), IsEmpty());
  std::filesystem::rename(events / "part-00000.parquet", events / "part-00003.parquet");
  EXPECT_THAT(failed(alone()), ElementsAre("there are no other files", "the files are as they were written",
                                           "the rows of events.parquet are in the order of ids"));
}

TEST_F(Verify, ATruncatedParquetFileIsAFailedCheck) {
  (void)publish_to("out", long_spec({{"release.format", "parquet"}}));
  std::filesystem::resize_file(folder_ / "out/people.parquet", 100);
  EXPECT_THAT(failed(alone()), ElementsAre("the files are as they were written",
                                           "the columns of people.parquet are the declared ones"));
}

// --- careful edits, with hashes and seal made new: the content shows it

TEST_F(Verify, NoticesALabelThatIsNoGroup) {
  (void)publish_to("out", long_spec());
  edit("people.csv", "20-25", "20-24");
  reseal();
  EXPECT_THAT(failed(alone()),
              ElementsAre("every label is a declared group", "people per group are as declared"));
}

TEST_F(Verify, NoticesALabelThatDoesNotCoverTheSecret) {
  (void)publish_to("out", long_spec());
  edit("people.csv", person_of(false) + ",20-25", person_of(false) + ",26-31");
  edit("people.csv", person_of(true) + ",26-31", person_of(true) + ",20-25");
  reseal();
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(long_spec())), Contains("every label covers the true secret"));
}

TEST_F(Verify, NoticesExactSecretsInPlaceOfLabels) {
  (void)publish_to("out", long_spec());
  std::string people = "id,age\n";
  for (int p = 0; p < kPeople; ++p) people += fmt::format("{},{}\n", id_of(p), age_of(p));
  folder_.write("out/people.csv", people);
  reseal();
  EXPECT_THAT(failed(alone()),
              IsSupersetOf({"every label is a declared group", "the secret column holds no plain numbers"}));
  EXPECT_THAT(failed(against(long_spec())), Contains("no exact secret is published"));
}

TEST_F(Verify, NoticesExactSecretsThatAreDeclaredAsGroups) {
  (void)publish_to("out", long_spec());
  std::string people = "id,age\n";
  for (int p = 0; p < kPeople; ++p) people += fmt::format("{},{}\n", id_of(p), age_of(p));
  folder_.write("out/people.csv", people);
  reseal([](published::Manifest& manifest) {
    manifest.limits.least_people = 1;
    manifest.groups.clear();
    for (int age = 20; age < 32; ++age)
      manifest.groups.push_back(range_group(std::to_string(age), age, age, 5));
  });
  EXPECT_THAT(failed(alone()), IsSupersetOf({"the range of every group has room for l values",
                                             "the secret column holds no plain numbers"}));
  EXPECT_THAT(failed(against(long_spec())),
              IsSupersetOf({"no exact secret is published", "(l, beta) holds for the true secrets"}));
}

TEST_F(Verify, AGroupOfOneValueIsAllowedByLOneButNeverSilent) {
  (void)publish_to("out", long_spec());
  EXPECT_TRUE(find(alone(), "no group is a single value").passed);
  reseal([](published::Manifest& manifest) {
    manifest.limits.least_values = 1;
    manifest.groups[0].covers[0].high = 20;
  });
  const auto verification = alone();
  EXPECT_TRUE(verification.passed());
  EXPECT_FALSE(find(verification, "no group is a single value").passed);
}

TEST_F(Verify, NoticesADonorOfAnotherGroup) {
  (void)publish_to("out", long_spec());
  give_events(person_of(true), person_of(false));
  reseal();
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(long_spec())), ElementsAre("every donor is of the same group"));
}

TEST_F(Verify, NoticesADonorOfAnotherGroupInWideData) {
  for (const std::string ids : {"keep", "drop"}) {
    const auto spec = wide_spec({{"release.ids", ids}});
    (void)publish_to("out", spec, 0, /*force=*/true);
    const auto rows = lines("out/people.csv");
    const auto of_group = [&](const std::string& label) {
      const auto row = *std::ranges::find_if(
          rows, [&](const std::string& line) { return line.find(label + ",") != line.npos; });
      return row.substr(row.find(label + ",") + label.size());
    };
    edit("people.csv", "20-25" + of_group("20-25"), "20-25" + of_group("26-31"));
    reseal();
    EXPECT_THAT(failed(against(spec)), ElementsAre("every donor is of the same group")) << ids;
  }
}

TEST_F(Verify, NoticesAKeptCellThatIsNotThePersonsOwn) {
  write_kept_sources();
  for (const bool is_long : {true, false}) {
    (void)publish_to("out", kept_spec(is_long), 0, /*force=*/true);
    edit("people.csv", ",m,z", ",f,z");
    reseal();
    EXPECT_THAT(failed(alone()), IsEmpty());
    EXPECT_THAT(failed(against(kept_spec(is_long))),
                ElementsAre("kept columns hold the person's own values",
                            "every donor is of the same group and has the same kept values"));
  }
}

TEST_F(Verify, NoticesAnEmptyKeptCellThatWasFilled) {
  write_kept_sources();
  (void)publish_to("out", kept_spec(true));
  edit("people.csv", ",m,\n", ",m,z\n");
  reseal();
  EXPECT_THAT(failed(against(kept_spec(true))), Contains("kept columns hold the person's own values"));
}

TEST_F(Verify, NoticesKeptCellsOfOthersWithoutIdsByTheirNumber) {
  write_kept_sources();
  const auto spec = kept_spec(true, {{"release.ids", "replace"}});
  (void)publish_to("out", spec);
  edit("people.csv", ",m,z", ",f,z");
  reseal();
  EXPECT_THAT(failed(against(spec)), Contains("every group has the kept values of the original"));
}

TEST_F(Verify, NoticesADonorWithOtherKeptValues) {
  write_kept_sources();
  const auto kept_of_first_group = [&](const std::string& cells) {
    const auto rows = lines("out/people.csv");
    const auto row = *std::ranges::find_if(
        rows, [&](const std::string& line) { return line.find(",20-25," + cells) != line.npos; });
    return row;
  };
  (void)publish_to("out", kept_spec(true));
  const std::string from = kept_of_first_group("f,z"), to = kept_of_first_group("m,z");
  give_events(from.substr(0, from.find(',')), to.substr(0, to.find(',')));
  reseal();
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(kept_spec(true))),
              ElementsAre("every donor is of the same group and has the same kept values"));

  for (const std::string ids : {"keep", "drop"}) {
    const auto spec = kept_spec(false, {{"release.ids", ids}});
    (void)publish_to("out", spec, 0, /*force=*/true);
    const auto rows = lines("out/people.csv");
    const auto features = [&](const std::string& pool) {
      const auto row =
          *std::ranges::find_if(rows, [&](const std::string& line) { return line.find(pool) != line.npos; });
      return row.substr(row.find(pool) + pool.size());
    };
    edit("people.csv", "20-25,m,z," + features("20-25,m,z,"), "20-25,m,z," + features("20-25,f,z,"));
    reseal();
    EXPECT_THAT(failed(against(spec)),
                ElementsAre("every donor is of the same group and has the same kept values"))
        << ids;
  }
}

TEST_F(Verify, NoticesAKeptColumnThatIsMissingOrNotDeclared) {
  write_kept_sources();
  (void)publish_to("out", kept_spec(true));
  reseal([](published::Manifest& manifest) { manifest.columns.keep.pop_back(); });
  EXPECT_THAT(failed(alone()), ElementsAre("the columns of people.csv are the declared ones"));
  reseal([](published::Manifest& manifest) { manifest.columns.keep = {"sex", "Town", "zip"}; });
  EXPECT_THAT(failed(alone()), ElementsAre("the columns of people.csv are the declared ones"));
}

TEST_F(Verify, SomebodyAloneWithTheirKeptValuesIsNeverSilent) {
  write_kept_sources();
  (void)publish_to("out", kept_spec(true));
  edit("people.csv", ",m,z", ",x,z");
  reseal();
  EXPECT_THAT(failed(alone()), ElementsAre("no person is alone in their group with their kept values"));
  EXPECT_THAT(find(alone(), "no person is alone in their group with their kept values").detail,
              HasSubstr("1 people"));
}

TEST_F(Verify, CountsPoolsWhereTheLimitsAreDeclaredForThem) {
  write_kept_sources();
  (void)publish_to("out", kept_spec(true));
  const Check note = find(alone(), "no pool (same group and kept values) is smaller than k");
  EXPECT_TRUE(note.warning && !note.passed);
  EXPECT_THAT(note.detail, HasSubstr("limits are declared for groups; the smallest pool has 5 people"));
  reseal([](published::Manifest& manifest) { manifest.limits.for_pools = true; });
  EXPECT_THAT(failed(alone()), ElementsAre("people per pool (same group and kept values) are at least k"));
  reseal([](published::Manifest& manifest) { manifest.limits.least_people = 5; });
  const auto for_pools = kept_spec(true, {{"groups.limits_for", "pools"}});
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(for_pools)), IsEmpty());
  EXPECT_THAT(failed(against(kept_spec(true))), ElementsAre("the limits are those of the spec"));
  reseal([](published::Manifest& manifest) { manifest.limits.least_values = 6; });
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(for_pools)), ElementsAre("l holds for the true pools"));
}

TEST_F(Verify, NoticesFiguresThatAreTooFine) {
  const std::string check = "no figure of the manifest is fine enough to compute a secret from";
  (void)publish_to("out", long_spec());
  EXPECT_THAT(failed(alone()), IsEmpty());
  const auto detail_of = [&](const std::string& name,
                             const std::function<void(published::Manifest&)>& change) {
    (void)publish_to("out", long_spec(), 0, /*force=*/true);
    restate(change);
    EXPECT_THAT(failed(alone()), ElementsAre(name));
    return find(alone(), name).detail;
  };
  const auto detail = [&](const std::function<void(published::Manifest&)>& change) {
    return detail_of(check, change);
  };
  const auto of_groups = [&](const std::function<void(published::Manifest&)>& change) {
    return detail_of("the figures of the groups follow from their people", change);
  };
  EXPECT_THAT(detail([](published::Manifest& m) {
                m.leakage.leakage_added = 0.5;
                m.leakage.leakage = 1.5;
              }),
              HasSubstr("leakage_added_bits is too fine"));
  EXPECT_THAT(of_groups([](published::Manifest& m) { m.leakage.leakage = 1.2518; }),
              HasSubstr("sum of its two parts"));
  EXPECT_THAT(detail([](published::Manifest& m) { m.leakage.distance = 0.41; }),
              HasSubstr("distance is too fine"));
  EXPECT_THAT(detail([](published::Manifest& m) { m.composition = {.earlier_draws = 1, .leakage = 1.75}; }),
              HasSubstr("leakage_together_bits is too fine"));
  EXPECT_THAT(of_groups([](published::Manifest& m) {
                m.leakage.leakage_groups = 1.01;
                m.leakage.leakage = 2.01;
              }),
              HasSubstr("entropy of the groups"));
}

TEST_F(Verify, NoticesFiguresUnderAnotherName) {
  (void)publish_to("out", long_spec());
  edit("manifest.json", "\"kind\"", "\"secret_entropy_bits\": 3.58, \"kind\"");
  EXPECT_THAT(failed(alone()), Contains("no figure of the manifest is fine enough to compute a secret from"));
}

TEST_F(Verify, NoticesTheSecretAsAKeptColumn) {
  write_kept_sources();
  auto spec = kept_spec(true);
  spec.people.source.file.clear();
  spec.people.source.query = "SELECT *, age AS years FROM 'kept_people.csv'";
  spec.people.keep = {"years"};
  spec.people.allow_identifying = spec.people.keep;
  (void)publish_to("out", spec);
  EXPECT_THAT(failed(against(spec)), ElementsAre("no kept column is the secret"));
}

TEST_F(Verify, NoticesTheSecretUnderAnotherName) {
  auto spec = wide_spec();
  spec.people.source.file.clear();
  spec.people.source.query =
      "SELECT *, CAST(age AS DOUBLE) AS n2 FROM read_csv('wide.csv', all_varchar = true)";
  spec.people.features.push_back("n2");
  spec.people.allow_identifying = spec.people.features;
  (void)publish_to("out", spec);
  EXPECT_THAT(failed(against(spec)), ElementsAre("no feature column is the secret"));
}

TEST_F(Verify, NoticesFeaturesOfNobody) {
  (void)publish_to("out", long_spec());
  edit("events.csv", "day1", "day9");
  reseal();
  EXPECT_THAT(failed(against(long_spec())),
              ElementsAre("published features are the true features of a person",
                          "every donor is of the same group"));
}

TEST_F(Verify, NoticesAnEventOfAnUnknownPerson) {
  (void)publish_to("out", long_spec());
  auto events = lines("out/events.csv");
  const std::string header = events[0];
  events[0] = "stranger,item1,1.00,day1";
  write_events(header, events);
  reseal();
  EXPECT_THAT(failed(alone()), ElementsAre("every event belongs to a published person"));
}

TEST_F(Verify, NoticesAPersonWithoutEvents) {
  (void)publish_to("out", long_spec());
  give_events("nobody", person_of(true));
  reseal();
  EXPECT_THAT(failed(alone()), ElementsAre("every person has events"));
}

TEST_F(Verify, NoticesAnIncompleteEvent) {
  (void)publish_to("out", long_spec());
  edit("events.csv", ".00,day1", "x,day1");
  reseal();
  EXPECT_THAT(failed(alone()), ElementsAre("every event is complete"));
}

TEST_F(Verify, NoticesAPersonWhoOccursTwice) {
  (void)publish_to("out", long_spec());
  folder_.write("out/people.csv", content("out/people.csv") + person_of(true) + ",26-31\n");
  reseal([](published::Manifest& manifest) { manifest.groups[1].people += 1; });
  EXPECT_THAT(failed(alone()),
              ElementsAre("the rows of people.csv are in the order of ids", "ids are unique"));
  EXPECT_THAT(failed(against(long_spec())), Contains("as many people as in the original"));
}

TEST_F(Verify, NoticesAColumnMore) {
  (void)publish_to("out", long_spec());
  std::string people;
  for (const std::string& line : lines("out/people.csv")) people += line + ",1\n";
  folder_.write("out/people.csv", people);
  reseal();
  EXPECT_THAT(failed(alone()), ElementsAre("the columns of people.csv are the declared ones"));
}

TEST_F(Verify, NoticesARowLess) {
  (void)publish_to("out", long_spec());
  const auto manifest = content("out/manifest.json");
  edit("events.csv", "\n" + lines("out/events.csv")[1], "");
  EXPECT_THAT(failed(alone()), ElementsAre("the files are as they were written",
                                           "events.csv has the declared number of rows"));
}

TEST_F(Verify, NoticesGroupsOutsideTheDeclaredLimits) {
  (void)publish_to("out", long_spec());
  reseal([](published::Manifest& manifest) { manifest.limits.least_people = 31; });
  EXPECT_THAT(failed(alone()), ElementsAre("people per group are within (k, alpha)"));
  reseal([](published::Manifest& manifest) {
    manifest.limits.least_people = 20;
    manifest.limits.most_values = 5;
  });
  EXPECT_THAT(failed(alone()), IsEmpty()) << "only the original shows how many values there are";
  EXPECT_THAT(failed(against(long_spec())), Contains("(l, beta) holds for the true secrets"));
}

TEST_F(Verify, NoticesCountsThatAreNotTrue) {
  (void)publish_to("out", long_spec());
  reseal([](published::Manifest& manifest) { manifest.groups[0].people = 29; });
  EXPECT_THAT(failed(alone()), ElementsAre("people per group are as declared"));
  EXPECT_THAT(failed(against(long_spec())),
              Contains("the manifest counts people truly, and lists the secrets there are"));
  reseal([](published::Manifest& manifest) {
    manifest.groups[0].people = 30;
    manifest.limits.least_values = 7;
    manifest.limits.most_values = 9;
  });
  EXPECT_THAT(failed(alone()), ElementsAre("the range of every group has room for l values"));
}

TEST_F(Verify, NoticesRangesThatOverlapOrMissSomebody) {
  (void)publish_to("out", long_spec());
  reseal([](published::Manifest& manifest) { manifest.groups[0].covers[0].high = 26; });
  EXPECT_THAT(failed(alone()), ElementsAre("groups are in order and do not overlap"));
  EXPECT_THAT(failed(against(long_spec())), Contains("every true secret is in one declared group"));
  reseal([](published::Manifest& manifest) { manifest.groups[0].covers[0].high = 24; });
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(against(long_spec())), Contains("every true secret is in one declared group"));
}

TEST_F(Verify, NoticesAnEmptyGroup) {
  (void)publish_to("out", long_spec());
  reseal([](published::Manifest& manifest) {
    manifest.limits.least_people = 0;
    manifest.groups.push_back(range_group("32-40", 32, 40, 0));
  });
  EXPECT_THAT(failed(alone()), ElementsAre("every declared group occurs"));
}

TEST_F(Verify, NoticesOriginalIdsWhereTheyWereToBeReplaced) {
  (void)publish_to("out", long_spec());
  reseal([](published::Manifest& manifest) { manifest.ids = data::PublishedIds::Replace; });
  EXPECT_THAT(failed(against(long_spec())),
              ElementsAre("new ids are sixteen hexadecimal digits, or all of them thirty-two",
                          "no original id is published"));
}

TEST_F(Verify, NoticesThatTheOriginalIsAnother) {
  (void)publish_to("out", long_spec());
  folder_.write("people.csv", content("people.csv") + "late,zip,25\n");
  folder_.write("events.csv", content("events.csv") + "late,1.0,item1,note,day\n");
  EXPECT_THAT(failed(against(long_spec())),
              ElementsAre("as many people as in the original",
                          "the manifest counts people truly, and lists the secrets there are"));
}

// --- nothing to check

TEST_F(Verify, RefusesWhatIsNoRelease) {
  EXPECT_THAT(refusal([&] { (void)alone(); }), HasSubstr("there is no such folder"));
  std::filesystem::create_directory(folder_ / "out");
  EXPECT_THAT(refusal([&] { (void)alone(); }),
              AllOf(HasSubstr("manifest.json"), HasSubstr("this is not a release")));
  folder_.write("out/manifest.json", "not JSON");
  EXPECT_THAT(refusal([&] { (void)alone(); }), HasSubstr("not the manifest of a release"));
}

TEST_F(Verify, RefusesTheSpecOfAnotherRelease) {
  (void)publish_to("out", long_spec());
  EXPECT_THAT(refusal([&] { (void)against(wide_spec()); }),
              HasSubstr("describes wide data, and the release is long"));
  EXPECT_THAT(refusal([&] { (void)against(long_spec({{"events.time", ""}})); }),
              HasSubstr("names other columns"));
  write_kept_sources();
  EXPECT_THAT(refusal([&] { (void)against(kept_spec(true)); }), HasSubstr("names other columns"));
}

TEST_F(Verify, NoTextQuotesACell) {
  (void)publish_to("out", long_spec());
  edit("people.csv", "20-25", "top secret");
  edit("events.csv", person_of(true) + ",item", "hidden,item");
  for (const Check& check : against(long_spec()).checks)
    EXPECT_THAT(check.detail, AllOf(Not(HasSubstr("top secret")), Not(HasSubstr("hidden")),
                                    Not(HasSubstr(person_of(true)))));
}

}  // namespace
}  // namespace hyobscure::verify
