#include "hyobscure/data/people/joined_values.h"
#include "hyobscure/data/spec/secret_checks.h"
#include "kernels.h"

namespace hyobscure::python {
namespace {

using NumbersOfAxes = std::vector<std::vector<double>>;
using NamesOfAxes = std::vector<std::vector<std::string>>;

/// Each key's place among the distinct coordinates, which become the values of the axis.
std::vector<std::uint32_t> number_axis(data::Axis& axis, const std::vector<data::Coordinate>& of_key) {
  axis.values = of_key;
  std::ranges::sort(axis.values);
  axis.values.erase(std::unique(axis.values.begin(), axis.values.end()), axis.values.end());
  std::vector<std::uint32_t> places;
  for (const data::Coordinate& coordinate : of_key)
    places.push_back(
        static_cast<std::uint32_t>(std::ranges::lower_bound(axis.values, coordinate) - axis.values.begin()));
  return places;
}

Space space_of(const FrameSpec& spec, const NumbersOfAxes& numbers, const NamesOfAxes& names,
               const InputArray<std::int64_t>& people) {
  const auto& columns = spec.spec.people.secret.all;
  if (numbers.size() != columns.size() || names.size() != columns.size())
    refuse_batch("there is not a column for each secret");
  Space found;
  std::vector<data::SecretSpace::Point> points(people.size());
  for (std::size_t a = 0; a < columns.size(); ++a) {
    std::vector<data::Coordinate> of_key;
    for (const double number : numbers[a]) of_key.push_back({.number = number});
    for (const std::string& name : names[a]) of_key.push_back({.name = name});
    if (of_key.size() != points.size()) refuse_batch("there is not a cell for each key");
    data::Axis& axis = found.space.axes.emplace_back(
        data::Axis{.column = columns[a], .kind = data::kind_of_secret(spec.spec, a), .values = {}});
    const auto places = number_axis(axis, of_key);
    for (std::size_t k = 0; k < points.size(); ++k) points[k].push_back(places[k]);
  }
  found.space.points = points;
  std::ranges::sort(found.space.points);
  if (std::ranges::adjacent_find(found.space.points) != found.space.points.end())
    refuse_batch("a key occurs again");
  std::vector<std::int64_t> count(points.size());
  std::vector<std::uint32_t> point_of_key;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto place = std::ranges::lower_bound(found.space.points, points[k]) - found.space.points.begin();
    point_of_key.push_back(static_cast<std::uint32_t>(place));
    count[point_of_key.back()] = people.data()[k];
  }
  found.values = data::join_into_values(found.space, count, spec.spec.secret.atoms);
  for (const std::uint32_t point : point_of_key)
    found.value_of_key.push_back(found.space.value_of_point[point]);
  return found;
}

template <auto Member>
OwnedArray<double> of_values(const Space& space) {
  std::vector<double> found;
  for (const data::SecretValue& value : space.values) found.push_back(value.*Member);
  return owned_array(std::move(found));
}

}  // namespace

void bind_secret_kernel(nb::module_& module) {
  nb::class_<Space>(module, "Space", "What a secret that is no single number can be.")
      .def_prop_ro("low", &of_values<&data::SecretValue::low>, nb::rv_policy::move)
      .def_prop_ro("high", &of_values<&data::SecretValue::high>, nb::rv_policy::move)
      .def_prop_ro("centre", &of_values<&data::SecretValue::centre>, nb::rv_policy::move)
      .def_prop_ro("distinct", &of_values<&data::SecretValue::distinct>, nb::rv_policy::move)
      .def_prop_ro(
          "value_of_key", [](const Space& space) { return owned_array(std::vector(space.value_of_key)); },
          nb::rv_policy::move);
  module.def(
      "space", space_of, nb::arg("spec"), nb::arg("numbers"), nb::arg("names"), nb::arg("people"),
      "Of the distinct secrets with their people; of each axis the numbers or the names, the others empty.");
}

}  // namespace hyobscure::python
