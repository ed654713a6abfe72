#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hyobscure/base/mapped_file.h"

namespace hyobscure::data {

/// Numbers one after the other: in memory, where they grow like a vector, or in a file that is mapped and
/// never changes. Readers see no difference. Copies of a mapped array share the mapping.
template <class Number>
class Stored {
 public:
  Stored() = default;
  Stored(std::initializer_list<Number> numbers) : own_(numbers) {}
  Stored(std::vector<Number> numbers) : own_(std::move(numbers)) {}
  explicit Stored(MappedFile file) : file_(std::make_shared<const MappedFile>(std::move(file))) {}

  std::size_t size() const { return file_ ? file_->bytes().size() / sizeof(Number) : own_.size(); }
  bool empty() const { return size() == 0; }
  const Number* data() const {
    return file_ ? reinterpret_cast<const Number*>(file_->bytes().data()) : own_.data();
  }
  const Number& operator[](std::size_t place) const { return data()[place]; }
  const Number* begin() const { return data(); }
  const Number* end() const { return data() + size(); }
  const Number& back() const { return data()[size() - 1]; }

  bool is_mapped() const { return file_ != nullptr; }
  /// Lets the memory go that the system holds for these places of a mapped file; what is in memory stays.
  void release_pages(std::size_t first, std::size_t last) const {
    if (file_) file_->release_pages(first * sizeof(Number), last * sizeof(Number));
  }

  // In memory only:
  std::span<Number> writable() { return own(); }
  void push_back(Number number) { own().push_back(number); }
  void append(std::span<const Number> numbers) { own().insert(own().end(), numbers.begin(), numbers.end()); }
  void resize(std::size_t size) { own().resize(size); }
  void reserve(std::size_t size) { own().reserve(size); }

  friend bool operator==(const Stored& a, const Stored& b) { return std::ranges::equal(a, b); }

 private:
  std::vector<Number>& own() {
    assert(!file_);
    return own_;
  }

  std::vector<Number> own_;
  std::shared_ptr<const MappedFile> file_;
};

}  // namespace hyobscure::data
