#pragma once

#include <functional>

#include "hyobscure/obscure/groups/labels.h"
#include "hyobscure/release/test_release.h"

namespace hyobscure::release {

/// For tests: sixty people of twelve secrets, which are cells of a grid of three rows and four columns,
/// twelve names, or three ages and four jobs.
class SpaceReleaseTest : public ReleaseTest {
 protected:
  static constexpr int kColumns = 4;

  SpaceReleaseTest() {
    std::string text = "id,spot,title,years,job,n,c,s\n";
    for (int p = 0; p < kPeople; ++p)
      text += fmt::format("{},{},{},{},{},{}.50,\"k, {}\",a|w{}\n", id_of(p), spot_of(p),
                          title_of(spot_of(p)), years_of(spot_of(p)), job_of(spot_of(p)), p, p % 4, p % 5);
    folder_.write("space.csv", text);
  }

  static int spot_of(int person) { return person * 7 % 12; }
  static int row_of(int spot) { return spot / kColumns; }
  static int column_of(int spot) { return spot % kColumns; }
  static std::string title_of(int spot) { return fmt::format("t{:02}", spot); }
  static int years_of(int spot) { return 30 + row_of(spot); }
  static std::string job_of(int spot) { return fmt::format("job {}", column_of(spot)); }

  data::Spec space_spec(const std::string& secret, const std::string& kind,
                        std::vector<data::Override> overrides = {}) const {
    overrides.insert(overrides.begin(),
                     {{"people.file", "space.csv"}, {"people.secret", secret}, {"secret.kind", kind}});
    if (kind.find("spatial") != std::string::npos)
      overrides.push_back({"secret.grid_columns", std::to_string(kColumns)});
    return wide_spec(overrides);
  }
  data::Spec places(const std::vector<data::Override>& overrides = {}) const {
    return space_spec("spot", "spatial", overrides);
  }
  data::Spec titles(const std::vector<data::Override>& overrides = {}) const {
    return space_spec("title", "categorical", overrides);
  }
  data::Spec years_and_jobs(const std::vector<data::Override>& overrides = {}) const {
    data::Spec spec = space_spec("years,job", "ordered,categorical", overrides);
    spec.people.allow_identifying = spec.people.features;  // one of them reveals the job
    return spec;
  }
  data::Spec years_and_places(const std::vector<data::Override>& overrides = {}) const {
    return space_spec("years,spot", "ordered,spatial", overrides);
  }

  /// Home is where most of the events are; these are called "home ...".
  data::Spec homes(const std::vector<data::Override>& overrides = {}) const {
    std::string events = "who,what,lat,lon\n";
    for (int p = 0; p < kPeople; ++p) {
      const auto add = [&](const std::string& item, int spot) {
        events += fmt::format("{},{},{:.3f},{:.3f}\n", id_of(p), item, 40.105 + 0.1 * row_of(spot),
                              -73.905 + 0.1 * column_of(spot));
      };
      for (int e = 0; e < 3; ++e) add(fmt::format("home {}", spot_of(p) * 3 + e), spot_of(p));
      for (int e = 1; e < 3; ++e) add(fmt::format("shop {}", (p + e) % 9), (spot_of(p) + e) % 12);
    }
    folder_.write("checkins.csv", events);
    std::vector<data::Override> all = {{"people.secret", "home"},          {"events.file", "checkins.csv"},
                                       {"secret.kind", "spatial"},         {"secret.latitude", "lat"},
                                       {"secret.longitude", "lon"},        {"secret.home", "most-visited"},
                                       {"secret.home_events", "leave-out"}};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return data::parse_spec(R"([people]
file = "people.csv"
id = "id"
secret = "home"
[events]
file = "checkins.csv"
person = "who"
item = "what"
[release]
ids = "keep"
)",
                            "spec.toml", folder_.path(), all);
  }

  /// West and east of the grid, or two jobs each: six secrets a group.
  static int half_of(int spot) { return column_of(spot) < 2 ? 0 : 1; }
  /// No boxes: the first row and two of the second, and the rest.
  static int corner_of(int spot) { return spot < 6 ? 0 : 1; }

  using GroupOf = std::function<int(int spot)>;

  static obscure::Mechanism space_mechanism(const data::Spec& spec, const data::People& people,
                                            const GroupOf& group_of) {
    std::vector<int> group_of_value;
    for (int value = 0; value < static_cast<int>(people.values.size()); ++value)
      group_of_value.push_back(group_of(value));
    return mechanism_for(people, data::word(spec.channel.distance),
                         obscure::label_groups(people, solve::Partition::of(group_of_value), spec));
  }

  PublishResult publish_space(const std::string& name, const data::Spec& spec,
                              const GroupOf& group_of) const {
    data::Engine engine({.folder = spec.folder}, {});
    const auto reading = read(engine, spec);
    return publish(engine, spec, reading, space_mechanism(spec, reading.people, group_of),
                   {.output = folder_ / name, .force = true});
  }
};

}  // namespace hyobscure::release
