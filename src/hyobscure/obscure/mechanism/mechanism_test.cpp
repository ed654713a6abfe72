#include "hyobscure/obscure/mechanism/mechanism.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure::obscure {
namespace {

using testing::HasSubstr;

Mechanism example() {
  Mechanism mechanism;
  mechanism.method = "hyobscure";
  mechanism.objective = "total";
  mechanism.distance = "jensen-shannon";
  mechanism.limits = {2, 10, 1, 5};
  mechanism.groups = {{.label = "1-2",
                       .covers = {{.label = "1-2", .low = 1, .high = 2}},
                       .people = 5,
                       .values = 2,
                       .members = {0, 1}},
                      {.label = "3 or more",
                       .covers = {{.label = "3 or more", .low = 3}},
                       .people = 4,
                       .values = 3,
                       .members = {2, 3, 4}}};
  mechanism.channels = {
      {.people = 5, .draw = CellDraw{{0, 2}, {2, 3}, Eigen::MatrixXd{{0.25, 0.75}, {1.0 / 3, 2.0 / 3}}}},
      {.people = 4, .retain = 0.125, .draw = CellDraw{{1}, {4}, Eigen::MatrixXd{{1.0}}}}};
  mechanism.clusters.centres = Eigen::MatrixXd{{0, 0.1, 0}, {1e-300, 0, 3}, {0, 0, 0}};
  mechanism.figures.leakage.total = 1.0 / 3;
  mechanism.history = {{.objective = 1, .leakage = 1, .distance = 0.5},
                       {.objective = 0.5, .leakage = 0.5, .distance = 0.4, .moves = 3}};
  mechanism.key = Key::from_system();
  mechanism.data_fingerprint = "abc";
  mechanism.people = 9;
  return mechanism;
}

std::string refusal(const std::filesystem::path& file) {
  try {
    (void)read_mechanism(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

TEST(Mechanism, GroupsOfSeveralSecretsSurvive) {
  const TestFolder folder;
  Mechanism before = example();
  before.groups[0].covers.push_back({.label = "north: 2 cells", .cells = {{-3, 7}, {4, 0}}});
  before.groups[0].covers.push_back({.label = "f, \"x\"", .names = {"f", "\"x\""}});
  before.groups[0].combinations = {{"1", "-3:7", "f"}, {"2.5", "4:0", "\"x\""}};
  before.groups[1].covers.push_back({.label = "south: 1 cell", .cells = {{1, 1}}});
  before.groups[1].covers.push_back({.label = "m", .names = {"m"}});
  write_mechanism(before, folder / "m.json");
  EXPECT_EQ(read_mechanism(folder / "m.json").groups, before.groups);

  before.groups[1].covers[1].cells = {{1, std::numeric_limits<std::int32_t>::max()}};  // one more would wrap
  write_mechanism(before, folder / "m.json");
  EXPECT_THAT(refusal(folder / "m.json"), HasSubstr("damaged"));
  before.groups[1].covers[1].cells = {{1, 1}};

  before.groups[1].covers.pop_back();
  write_mechanism(before, folder / "m.json");
  EXPECT_THAT(refusal(folder / "m.json"), HasSubstr("damaged"));
}

TEST(Mechanism, SurvivesItsFileBitForBit) {
  const TestFolder folder;
  const Mechanism before = example();
  write_mechanism(before, folder / "m.json");
  const Mechanism after = read_mechanism(folder / "m.json");
  EXPECT_EQ(after.channels[0].cells()->probabilities, before.channels[0].cells()->probabilities);
  EXPECT_EQ(after.channels[0].cells()->clusters, before.channels[0].cells()->clusters);
  EXPECT_EQ(after.channels[1].retain, 0.125);
  EXPECT_EQ(after.clusters.centres, before.clusters.centres);
  EXPECT_EQ(after.key, before.key);
  EXPECT_EQ(after.figures.leakage.total, before.figures.leakage.total);
  EXPECT_TRUE(std::isnan(after.figures.gap));
  EXPECT_EQ(after.groups[1].label, "3 or more");
  EXPECT_EQ(after.groups[1].covers[0].high, std::nullopt);
  EXPECT_EQ(after.history[1].moves, 3);
  write_mechanism(after, folder / "again.json");
  EXPECT_EQ(read_file(folder / "again.json"), read_file(folder / "m.json"));
}

TEST(Mechanism, KeepsEveryKindOfDraw) {
  const TestFolder folder;
  Mechanism before = example();
  before.channels[0].draw = OtherDraw{};
  before.channels[1].draw = NearDraw{.distance = "jaccard", .decay = 0.1};
  before.parameter = {"beta", 0.1};
  before.note = "a remark";
  write_mechanism(before, folder / "m.json");
  const Mechanism after = read_mechanism(folder / "m.json");
  EXPECT_TRUE(std::holds_alternative<OtherDraw>(after.channels[0].draw));
  EXPECT_EQ(std::get<NearDraw>(after.channels[1].draw).decay, 0.1);
  EXPECT_EQ(after.parameter->name, "beta");
  EXPECT_EQ(after.note, "a remark");
  PersonDraw lists;
  lists.donors = {0, 3, 1, 2, 3};
  lists.probabilities = {0.5, 0.5, 1, 1, 1};
  lists.starts = {0, 2, 3, 4, 5};
  before.channels[1].draw = lists;
  before.threat = "both";
  before.balanced = true;
  write_mechanism(before, folder / "people.json");
  const Mechanism people = read_mechanism(folder / "people.json");
  EXPECT_EQ(std::get<PersonDraw>(people.channels[1].draw).donors, lists.donors);
  EXPECT_EQ(std::get<PersonDraw>(people.channels[1].draw).starts, lists.starts);
  EXPECT_EQ(people.threat, "both");
  EXPECT_TRUE(people.balanced);
  lists.donors[1] = 4;  // nobody
  before.channels[1].draw = lists;
  write_mechanism(before, folder / "bad.json");
  EXPECT_THAT(refusal(folder / "bad.json"), HasSubstr("damaged"));
  before.within_groups = false;
  before.channels = {{.people = 9, .draw = NearDraw{}}};
  write_mechanism(before, folder / "all.json");
  EXPECT_EQ(std::get<NearDraw>(read_mechanism(folder / "all.json").channels[0].draw).decay, std::nullopt);
}

TEST(Mechanism, IsReadableByItsOwnerOnly) {
  const TestFolder folder;
  write_mechanism(example(), folder / "m.json");
  struct stat status;
  ASSERT_EQ(::stat((folder / "m.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(Mechanism, FindsTheGroupOfAValue) {
  const Mechanism mechanism = example();
  EXPECT_EQ(mechanism.group_of_value(0), 0u);
  EXPECT_EQ(mechanism.group_of_value(1), 0u);
  EXPECT_EQ(mechanism.group_of_value(2), 1u);
  EXPECT_EQ(mechanism.group_of_value(4), 1u);
}

TEST(Mechanism, OfAnotherVersionIsRefused) {
  const TestFolder folder;
  write_mechanism(example(), folder / "m.json");
  std::string text = read_file(folder / "m.json");
  replace(text, "\"format\": 8", "\"format\": 9");
  folder.write("m.json", text);
  EXPECT_THAT(refusal(folder / "m.json"), HasSubstr("has format 9, this program reads format 8"));
}

TEST(Mechanism, IsWrittenChannelByChannel) {
  Mechanism mechanism = example();
  std::string text;
  std::size_t longest = 0;
  mechanism.channels.assign(40, mechanism.channels.front());
  write_mechanism(mechanism, [&](std::string_view piece) {
    text += piece;
    longest = std::max(longest, piece.size());
  });
  EXPECT_EQ(text, mechanism_content(mechanism));
  EXPECT_LT(longest, text.size() / 10);
}

TEST(Mechanism, EditedAnywhereIsRefusedUnlessItHasANewSeal) {
  const TestFolder folder;
  write_mechanism(example(), folder / "m.json");
  const std::string good = read_file(folder / "m.json");
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string text = good;
    text[at] = text[at] == '1' ? '2' : '1';
    folder.write("edited.json", text);
    EXPECT_NE(refusal(folder / "edited.json"), "accepted") << at;
  }
  std::string entries = good.substr(0, good.find(",\n \"seal\""));
  folder.write("m.json", entries + "\n}\n");
  EXPECT_THAT(refusal(folder / "m.json"), HasSubstr("its seal does not fit"));
  replace(entries, "\"moves\":3", "\"moves\":4");
  folder.write("m.json", sealed(entries));
  EXPECT_EQ(refusal(folder / "m.json"), "accepted");  // publish computes the figures again
}

TEST(Mechanism, DamagedInAnyWayIsRefused) {
  const TestFolder folder;
  write_mechanism(example(), folder / "m.json");
  const std::string good = read_file(folder / "m.json");
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    replace(text, from, to);
    folder.write("bad.json", text);
    return refusal(folder / "bad.json");
  };
  EXPECT_THAT(damaged("0.25", "0.35"), HasSubstr("damaged"));  // a row no longer sums to 1
  EXPECT_THAT(damaged("\"kind\": \"hyobscure mechanism\"", "\"kind\": 3"), HasSubstr("not a mechanism"));
  EXPECT_THAT(damaged("\"people\":5", "\"people\":6"), HasSubstr("damaged"));    // a group
  EXPECT_THAT(damaged("\"people\": 9", "\"people\": 8"), HasSubstr("damaged"));  // all
  EXPECT_THAT(damaged("\"members\":[2,3,4]", "\"members\":[1,3,4]"), HasSubstr("damaged"));
  EXPECT_THAT(damaged("\"retain\":0.125", "\"retain\":1.5"), HasSubstr("damaged"));
  EXPECT_THAT(damaged("\"draw\":\"cells\"", "\"draw\":\"cards\""), HasSubstr("damaged"));
  EXPECT_THAT(damaged("\"within_groups\": true", "\"within_groups\": false"), HasSubstr("damaged"));
  EXPECT_THAT(damaged("\"method\"", "\"mettod\""), HasSubstr("damaged"));
  EXPECT_THAT(damaged("\"seeded\": false", "\"seeded\": \"no\""), HasSubstr("damaged"));
  folder.write("bad.json", good.substr(0, good.size() / 2));
  EXPECT_THAT(refusal(folder / "bad.json"), HasSubstr("damaged"));
  folder.write("bad.json", "");
  EXPECT_THAT(refusal(folder / "bad.json"), HasSubstr("damaged"));
  EXPECT_THAT(refusal(folder / "none.json"), HasSubstr("no such file"));
}

}  // namespace
}  // namespace hyobscure::obscure
