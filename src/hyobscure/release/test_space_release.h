#pragma once

#include <functional>

#include "hyobscure/obscure/labels.h"
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
    return space_spec("years,job", "ordered,categorical", overrides);
  }
  data::Spec years_and_places(const std::vector<data::Override>& overrides = {}) const {
    return space_spec("years,spot", "ordered,spatial", overrides);
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
    return mechanism_for(people, spec.channel.distance,
                         obscure::label_groups(people, solve::Partition::of(group_of_value), spec));
  }

  PublishResult publish_space(const std::string& name, const data::Spec& spec,
                              const GroupOf& group_of) const {
    data::Engine engine({.folder = spec.folder}, {});
    const auto reading = read_space(engine, spec);
    return publish(engine, spec, reading, space_mechanism(spec, reading.people, group_of),
                   {.output = folder_ / name, .force = true});
  }

  static data::Reading read_space(data::Engine& engine, const data::Spec& spec) {
    data::Spec plain = spec;
    plain.people.secret = {{"spot"}};
    plain.secret.kind = {{"ordered"}};
    auto reading = data::read_people(engine, plain);
    data::SecretSpace space;
    std::vector<std::vector<data::Coordinate>> values;
    for (std::size_t axis = 0; axis < spec.people.secret.all.size(); ++axis) {
      const std::string& column = spec.people.secret.all[axis];
      data::Axis made{.column = column, .values = {}};
      if (column == "spot") {
        made.kind = data::AxisKind::Spatial;
        space.grid = data::Grid{};
        for (int s = 0; s < 12; ++s) made.values.push_back({.cell = {row_of(s), column_of(s)}});
      } else if (column == "title") {
        made.kind = data::AxisKind::Categorical;
        for (int s = 0; s < 12; ++s) made.values.push_back({.name = title_of(s)});
      } else if (column == "years") {
        for (int s = 0; s < 3; ++s) made.values.push_back({.number = 30.0 + s});
      } else {
        made.kind = data::AxisKind::Categorical;
        for (int s = 0; s < 4; ++s) made.values.push_back({.name = job_of(s)});
      }
      space.axes.push_back(made);
    }
    for (std::uint32_t s = 0; s < 12; ++s) {
      data::SecretSpace::Point point;
      for (const std::string& column : spec.people.secret.all)
        point.push_back(column == "years" ? s / 4 : column == "job" ? s % 4 : s);
      space.points.push_back(point);
      space.value_of_point.push_back(s);
    }
    reading.people.space = space;
    return reading;
  }
};

}  // namespace hyobscure::release
