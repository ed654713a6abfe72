#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hyobscure/census/kmeans.h"
#include "hyobscure/obscure/leakage/signals.h"
#include "hyobscure/release/draw.h"
#include "hyobscure/release/test_release.h"

namespace hyobscure::release {
namespace {

using nlohmann::json;

/// What a slip of the hand or of a disk makes of a number.
std::vector<json> edits_of(const json& number) {
  std::vector<json> edits = {0, -1, std::uint64_t{1} << 31, std::uint64_t{1} << 63, 1e300, 0.5, nullptr};
  if (number.is_number_integer()) edits.push_back(number.get<std::int64_t>() + 1);
  return edits;
}

void collect_numbers(const json& content, const json::json_pointer& here,
                     std::vector<json::json_pointer>& found) {
  if (content.is_number()) found.push_back(here);
  if (content.is_object())
    for (const auto& [name, value] : content.items()) collect_numbers(value, here / name, found);
  if (content.is_array())
    for (std::size_t i = 0; i < content.size(); ++i) collect_numbers(content[i], here / i, found);
}

/// Mechanisms with one number edited, applied to the people they were made for.
class EditedMechanism : public ReleaseTest {
 protected:
  EditedMechanism() {
    data::Engine engine({.folder = folder_.path()}, {});
    people_ = read(engine, long_spec()).people;
  }

  /// Whether it is refused. Accepted, it must draw donors among the people.
  bool is_refused(const json& content) const {
    try {
      const obscure::Mechanism mechanism = obscure::parse_mechanism(content.dump(), "edited");
      const auto clusters = census::assign(mechanism.clusters, people_.features);
      const auto donors = draw_donors(mechanism, people_, clusters);
      EXPECT_LT(std::ranges::max(donors), people_.size());
      const obscure::Signals signals(mechanism, people_, clusters);
      for (std::uint32_t u = 0; u < people_.size(); ++u)
        for (const obscure::Signal& signal : signals.of(u)) EXPECT_LT(signal.id, signals.ids());
      return false;
    } catch (const InputError&) {
      return true;
    }
  }

  /// Every number once with one of its edits; of many numbers, some.
  void try_edits(const json& content, std::size_t most) const {
    ASSERT_FALSE(is_refused(content));
    std::vector<json::json_pointer> numbers;
    collect_numbers(content, json::json_pointer(), numbers);
    const std::size_t step = std::max<std::size_t>(1, numbers.size() / most);
    int refused = 0;
    for (std::size_t n = 0; n < numbers.size(); n += step)
      for (const json& edit : edits_of(content.at(numbers[n]))) {
        json edited = content;
        edited[numbers[n]] = edit;
        refused += is_refused(edited) ? 1 : 0;
      }
    EXPECT_GT(refused, 50);
  }

  json by_cells() const {
    return json::parse(obscure::mechanism_content(mechanism_for(people_, "jensen-shannon")));
  }

  json by_people() const {
    obscure::Mechanism mechanism = mechanism_for(people_, "jensen-shannon");
    for (obscure::Channel& channel : mechanism.channels) {
      obscure::PersonDraw lists;
      for (std::uint32_t u = 0; u < channel.people; ++u) {
        lists.donors.insert(lists.donors.end(), {u, (u + 1) % static_cast<std::uint32_t>(channel.people)});
        lists.probabilities.insert(lists.probabilities.end(), {0.5, 0.5});
        lists.starts.push_back(lists.donors.size());
      }
      channel.draw = std::move(lists);
    }
    return json::parse(obscure::mechanism_content(mechanism));
  }

  data::People people_;
};

TEST_F(EditedMechanism, ByCellsIsRefusedOrHarmless) { try_edits(by_cells(), 60); }

TEST_F(EditedMechanism, ByPeopleIsRefusedOrHarmless) { try_edits(by_people(), 60); }

TEST_F(EditedMechanism, ByNearnessIsRefusedOrHarmless) {
  json content = by_cells();
  for (json& channel : content["channels"])
    channel = {{"draw", "near"},
               {"distance", "jaccard"},
               {"decay", 1.0},
               {"people", channel["people"]},
               {"retain", 0}};
  try_edits(content, 40);
}

TEST_F(EditedMechanism, OfOtherValuesColumnsOrCellsIsRefused) {
  const auto refused = [&](auto edit) {
    json content = by_cells();
    edit(content);
    return is_refused(content);
  };
  EXPECT_TRUE(refused(
      [](json& m) { m["groups"].back()["members"].erase(m["groups"].back()["members"].size() - 1); }));
  EXPECT_TRUE(refused([](json& m) { m["clusters"]["centres"] = json::array(); }));
  EXPECT_TRUE(refused([](json& m) {
    m["clusters"]["columns"] = 1;
    for (json& row : m["clusters"]["centres"]) row = json::array();
  }));
  EXPECT_TRUE(refused([](json& m) {
    for (const char* list : {"clusters", "cell_people", "rows"}) m["channels"][0][list] = json::array();
  }));
  EXPECT_TRUE(refused([](json& m) {  // nobody in the first cell, from which all draw
    json& channel = m["channels"][0];
    channel["cell_people"][1] = channel["cell_people"][1].get<int>() + channel["cell_people"][0].get<int>();
    channel["cell_people"][0] = 0;
    for (json& row : channel["rows"]) row = json::array({json::array({0, 1.0})});
  }));
  EXPECT_TRUE(refused([](json& m) { m["channels"][0]["clusters"][1] = m["channels"][0]["clusters"][0]; }));
}

TEST_F(EditedMechanism, WithListsWhoseLengthsWrapIsRefused) {
  json content = by_people();
  json& lengths = content["channels"][0]["lengths"];
  lengths[0] = std::numeric_limits<std::uint64_t>::max() - 1;  // adds up to -2, and 4 more make it whole
  lengths[1] = 6;
  EXPECT_TRUE(is_refused(content));
  content = by_people();
  content["channels"][0]["donors"][0] = std::uint64_t{1} << 32;  // 0, were it cut to 32 bits
  EXPECT_TRUE(is_refused(content));
}

}  // namespace
}  // namespace hyobscure::release
