// hyobscure._core.kernels: the steps of a census and a release that an engine runs on many machines, each on
// a batch of people.

#include "kernels.h"

#include "hyobscure/base/error.h"
#include "kernel_wards.h"

namespace hyobscure::python {

void refuse_batch(const char* problem) {
  throw InputError({.source = "batch"}, problem, "Give arrays that belong together.");
}

data::SparseRows rows_of(const InputRows& given, std::size_t columns) {
  const auto starts = span_of(std::get<0>(given));
  const auto items = span_of(std::get<1>(given));
  const auto values = span_of(std::get<2>(given));
  if (starts.empty() || starts.front() != 0 || !std::ranges::is_sorted(starts) ||
      static_cast<std::size_t>(starts.back()) != items.size() || items.size() != values.size())
    refuse_batch("rows end where their entries do not");
  if (!items.empty() && *std::ranges::max_element(items) >= columns)
    refuse_batch("an item is beyond the columns");
  data::SparseRows rows;
  rows.columns = columns;
  rows.starts.assign(starts.begin(), starts.end());
  rows.items = std::vector<std::uint32_t>(items.begin(), items.end());
  rows.values = std::vector<double>(values.begin(), values.end());
  return rows;
}

nb::tuple given_of(const data::SparseRows& rows) {
  return nb::make_tuple(owned_array(std::vector<std::int64_t>(rows.starts.begin(), rows.starts.end())),
                        owned_array(std::vector<std::uint32_t>(rows.items.begin(), rows.items.end())),
                        owned_array(std::vector<double>(rows.values.begin(), rows.values.end())));
}

std::vector<data::SecretValue> values_of(const InputArray<double>& low, const InputArray<double>& high,
                                         const InputArray<double>& centre,
                                         const InputArray<double>& distinct) {
  std::vector<data::SecretValue> values;
  for (std::size_t v = 0; v < low.size(); ++v)
    values.push_back({.low = low.data()[v],
                      .high = high.data()[v],
                      .centre = centre.data()[v],
                      .distinct = distinct.data()[v]});
  return values;
}

void bind_kernels(nb::module_& module) {
  nb::module_ kernels =
      module.def_submodule("kernels", "Steps of a census and a release on a batch of people.");
  bind_spec_kernel(kernels);
  bind_secret_kernel(kernels);
  bind_row_kernels(kernels);
  bind_cluster_kernels(kernels);
  bind_cell_kernels(kernels);
  bind_ward_kernels(kernels);
  bind_solver_kernel(kernels);
  bind_draw_kernels(kernels);
  bind_signature_kernels(kernels);
  bind_check_rules(kernels);
  bind_people_draw_kernels(kernels);
}

}  // namespace hyobscure::python
