#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace hyobscure::python {

namespace nb = nanobind;

/// An array of Python's that owns its numbers.
template <class Number>
using OwnedArray = nb::ndarray<nb::numpy, Number, nb::ndim<1>>;
template <class Number>
using OwnedMatrix = nb::ndarray<nb::numpy, Number, nb::ndim<2>>;

namespace detail {

template <class Array, class Number, class Shape>
Array owned(std::vector<Number> numbers, Shape shape) {
  auto* held = new std::vector<Number>(std::move(numbers));
  const nb::capsule owner(held,
                          [](void* given) noexcept { delete static_cast<std::vector<Number>*>(given); });
  return Array(held->data(), shape, owner);
}

}  // namespace detail

/// The numbers are moved, not copied.
template <class Number>
OwnedArray<Number> owned_array(std::vector<Number> numbers) {
  const std::size_t size = numbers.size();
  return detail::owned<OwnedArray<Number>>(std::move(numbers), std::initializer_list<std::size_t>{size});
}

/// Row by row.
template <class Number>
OwnedMatrix<Number> owned_matrix(std::vector<Number> numbers, std::size_t columns) {
  const std::size_t rows = columns == 0 ? 0 : numbers.size() / columns;
  return detail::owned<OwnedMatrix<Number>>(std::move(numbers),
                                            std::initializer_list<std::size_t>{rows, columns});
}

}  // namespace hyobscure::python
