#pragma once

// Arrays of numbers as bytes, and back: how what a kernel knows travels between machines.

#include <nanobind/nanobind.h>

#include <Eigen/Core>
#include <cstring>
#include <span>
#include <vector>

#include "kernels.h"

namespace hyobscure::python {

template <class Number>
nb::bytes packed_numbers(const Number* numbers, std::size_t count) {
  return nb::bytes(static_cast<const void*>(numbers), count * sizeof(Number));
}

template <class Number>
nb::bytes packed_numbers(const std::vector<Number>& numbers) {
  return packed_numbers(numbers.data(), numbers.size());
}

template <class Number>
std::vector<Number> unpacked_numbers(const nb::bytes& bytes) {
  if (bytes.size() % sizeof(Number) != 0) refuse_batch("packed numbers are cut off");
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.c_str(), bytes.size());
  return numbers;
}

/// Row by row, as many columns as there must be.
template <class Matrix>
Matrix unpacked_matrix(const nb::bytes& bytes, Eigen::Index columns) {
  const auto numbers = unpacked_numbers<typename Matrix::Scalar>(bytes);
  const auto count = static_cast<Eigen::Index>(numbers.size());
  if (columns < 0 || (columns == 0 ? count != 0 : count % columns != 0))
    refuse_batch("a packed table has no whole rows");
  if (count == 0) return Matrix(0, columns);
  return Eigen::Map<const Matrix>(numbers.data(), count / columns, columns);
}

}  // namespace hyobscure::python
