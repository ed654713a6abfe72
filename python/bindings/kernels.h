#pragma once

// What the kernels share: numpy arrays in and out, and what travels between machines. Rows are (starts,
// items, values), texts (offsets, bytes).

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bind.h"
#include "hyobscure/census/additive.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "owned_array.h"

namespace hyobscure::python {

template <class Number>
using InputArray = nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InputRows = std::tuple<InputArray<std::int64_t>, InputArray<std::uint32_t>, InputArray<double>>;
using InputTexts = std::tuple<InputArray<std::int64_t>, InputArray<std::uint8_t>>;

template <class Number>
std::span<const Number> span_of(const InputArray<Number>& given) {
  return {given.data(), given.size()};
}

inline std::string_view text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

[[noreturn]] void refuse_batch(const char* problem);

data::SparseRows rows_of(const InputRows& given, std::size_t columns);
nb::tuple given_of(const data::SparseRows& rows);
std::vector<data::SecretValue> values_of(const InputArray<double>& low, const InputArray<double>& high,
                                         const InputArray<double>& centre,
                                         const InputArray<double>& distinct);

/// Views into the given bytes.
class Texts {
 public:
  explicit Texts(const InputTexts& given)
      : offsets_(span_of(std::get<0>(given))), bytes_(span_of(std::get<1>(given))) {
    if (offsets_.empty() || !std::ranges::is_sorted(offsets_) || offsets_.front() < 0 ||
        static_cast<std::size_t>(offsets_.back()) > bytes_.size())
      refuse_batch("texts end where their bytes do not");
  }
  std::size_t size() const { return offsets_.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + offsets_[i],
            static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }

 private:
  std::span<const std::int64_t> offsets_;
  std::span<const std::uint8_t> bytes_;
};

/// A spec whose tables are frames of the engine; travels between machines as it was written.
struct FrameSpec {
  std::string text, name;
  std::map<std::string, std::string> overrides;
  data::Spec spec;

  FrameSpec(std::string toml, std::string called, std::map<std::string, std::string> given);
};

struct Model {
  census::ClusterModel model;

  std::size_t columns() const { return static_cast<std::size_t>(model.centres.cols()); }
};

/// A secret that is no single number: what its distinct values are, and which of people's values each is.
struct Space {
  data::SecretSpace space;
  std::vector<data::SecretValue> values;
  std::vector<std::uint32_t> value_of_key;
};

/// The spec's, for sums over all pairs of two cells; `extent`: largest entry and largest square of a row.
census::AdditiveDistance distance_of(const FrameSpec& spec, std::size_t columns,
                                     const std::pair<double, double>& extent);

// One of each a file.
void bind_spec_kernel(nb::module_& module);
void bind_secret_kernel(nb::module_& module);
void bind_row_kernels(nb::module_& module);
void bind_cluster_kernels(nb::module_& module);
void bind_cell_kernels(nb::module_& module);
void bind_solver_kernel(nb::module_& module);
void bind_draw_kernels(nb::module_& module);
void bind_signature_kernels(nb::module_& module);
void bind_people_draw_kernels(nb::module_& module);
void bind_check_rules(nb::module_& module);

}  // namespace hyobscure::python
