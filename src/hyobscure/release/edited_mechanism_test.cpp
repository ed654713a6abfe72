#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hyobscure/base/base64.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/obscure/leakage/signals.h"
#include "hyobscure/release/draw.h"
#include "hyobscure/release/test_release.h"

namespace hyobscure::release {
namespace {

using EditedJson = nlohmann::json;

/// What a slip of the hand or of a disk makes of a number.
std::vector<EditedJson> edits_of(const EditedJson& number) {
  std::vector<EditedJson> edits = {0,   -1,     std::uint64_t{1} << 31, std::uint64_t{1} << 63, 1e300,
                                   0.5, nullptr};
  if (number.is_number_integer()) edits.push_back(number.get<std::int64_t>() + 1);
  return edits;
}

void collect_numbers(const EditedJson& content, const EditedJson::json_pointer& here,
                     std::vector<EditedJson::json_pointer>& found) {
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

  static std::string with_a_new_seal(EditedJson content) {
    content.erase("seal");
    std::string entries = content.dump();
    entries.pop_back();  // the brace
    return obscure::sealed(std::move(entries));
  }

  /// Whether it is refused. Accepted, it must draw donors among the people.
  bool is_refused(const EditedJson& content) const {
    try {
      const obscure::Mechanism mechanism = obscure::parse_mechanism(with_a_new_seal(content), "edited");
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
  void try_edits(const EditedJson& content, std::size_t most, int fewest_refused = 50) const {
    ASSERT_FALSE(is_refused(content));
    std::vector<EditedJson::json_pointer> numbers;
    collect_numbers(content, EditedJson::json_pointer(), numbers);
    const std::size_t step = std::max<std::size_t>(1, numbers.size() / most);
    int refused = 0;
    for (std::size_t n = 0; n < numbers.size(); n += step)
      for (const EditedJson& edit : edits_of(content.at(numbers[n]))) {
        EditedJson edited = content;
        edited[numbers[n]] = edit;
        refused += is_refused(edited) ? 1 : 0;
      }
    EXPECT_GT(refused, fewest_refused);
  }

  EditedJson by_cells() const {
    return EditedJson::parse(obscure::mechanism_content(mechanism_for(people_, "jensen-shannon")));
  }

  EditedJson by_people() const {
    obscure::Mechanism mechanism = mechanism_for(people_, "jensen-shannon");
    for (obscure::Channel& channel : mechanism.channels) {
      obscure::PersonDraw lists;
      for (std::uint32_t u = 0; u < channel.people; ++u) {
        const auto next = (u + 1) % static_cast<std::uint32_t>(channel.people);
        lists.donors.insert(lists.donors.end(), {std::min(u, next), std::max(u, next)});
        lists.probabilities.insert(lists.probabilities.end(), {0.5, 0.5});
        lists.starts.push_back(lists.donors.size());
      }
      channel.draw = std::move(lists);
    }
    return EditedJson::parse(obscure::mechanism_content(mechanism));
  }

  data::People people_;
};

TEST_F(EditedMechanism, ByCellsIsRefusedOrHarmless) { try_edits(by_cells(), 60); }

TEST_F(EditedMechanism, ByPeopleIsRefusedOrHarmless) {
  try_edits(by_people(), 60, 40);  // fewer numbers than in other mechanisms: the lists are packed
  // every byte of the packed lists, each with several other ones
  const EditedJson content = by_people();
  const std::string bytes = from_base64(content["channels"][0]["rows"].get<std::string>());
  int refused = 0, tried = 0;
  for (std::size_t n = 0; n < bytes.size(); n += 3)
    for (const unsigned flipped : {1U, 0x40U, 0x80U, 0xFFU}) {
      std::string edited = bytes;
      edited[n] = static_cast<char>(static_cast<unsigned char>(edited[n]) ^ flipped);
      EditedJson again = content;
      again["channels"][0]["rows"] = to_base64(edited);
      refused += is_refused(again) ? 1 : 0;
      tried += 1;
    }
  EXPECT_GT(refused, tried / 2);
}

TEST_F(EditedMechanism, ByNearnessIsRefusedOrHarmless) {
  EditedJson content = by_cells();
  for (EditedJson& channel : content["channels"])
    channel = {{"draw", "near"},
               {"distance", "jaccard"},
               {"decay", 1.0},
               {"people", channel["people"]},
               {"retain", 0}};
  try_edits(content, 40);
}

TEST_F(EditedMechanism, OfOtherValuesColumnsOrCellsIsRefused) {
  const auto refused = [&](auto edit) {
    EditedJson content = by_cells();
    edit(content);
    return is_refused(content);
  };
  EXPECT_TRUE(refused(
      [](EditedJson& m) { m["groups"].back()["members"].erase(m["groups"].back()["members"].size() - 1); }));
  EXPECT_TRUE(refused([](EditedJson& m) { m["clusters"]["centres"] = EditedJson::array(); }));
  EXPECT_TRUE(refused([](EditedJson& m) {
    m["clusters"]["columns"] = 1;
    for (EditedJson& row : m["clusters"]["centres"]) row = EditedJson::array();
  }));
  EXPECT_TRUE(refused([](EditedJson& m) {
    for (const char* list : {"clusters", "cell_people", "rows"}) m["channels"][0][list] = EditedJson::array();
  }));
  EXPECT_TRUE(refused([](EditedJson& m) {  // nobody in the first cell, from which all draw
    EditedJson& channel = m["channels"][0];
    channel["cell_people"][1] = channel["cell_people"][1].get<int>() + channel["cell_people"][0].get<int>();
    channel["cell_people"][0] = 0;
    for (EditedJson& row : channel["rows"]) row = EditedJson::array({EditedJson::array({0, 1.0})});
  }));
  EXPECT_TRUE(
      refused([](EditedJson& m) { m["channels"][0]["clusters"][1] = m["channels"][0]["clusters"][0]; }));
}

TEST_F(EditedMechanism, WithListsThatAreTooShortOrTooLongIsRefused) {
  const EditedJson content = by_people();
  const std::string rows = content["channels"][0]["rows"];
  const std::string bytes = from_base64(rows);
  for (const std::string& edited : {bytes.substr(1), bytes.substr(0, bytes.size() - 1), bytes + '\0',
                                    bytes + bytes, std::string(), std::string(40, '\xFF')}) {
    EditedJson again = content;
    again["channels"][0]["rows"] = to_base64(edited);
    EXPECT_TRUE(is_refused(again)) << edited.size();
  }
  for (const EditedJson& edited :
       {EditedJson(rows + "="), EditedJson(rows + "\n"), EditedJson(7), EditedJson()}) {
    EditedJson again = content;
    again["channels"][0]["rows"] = edited;
    EXPECT_TRUE(is_refused(again)) << edited;
  }
}

}  // namespace
}  // namespace hyobscure::release
