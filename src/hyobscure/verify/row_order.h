#pragma once

#include <span>
#include <string>
#include <vector>

namespace hyobscure::verify {

/// Whether rows stand in the order in which a release has them. Rows may come in pieces, which are joined
/// where they meet.
class RowOrder {
 public:
  enum class Of { People, Events };

  /// People: ascending ids, each once. Events: by person, and those of a person by their cells, the first
  /// that differs; a column ascends as numbers or as texts all through, empty cells last.
  explicit RowOrder(Of of) : of_(of) {}

  /// The next row: the id, then the cells of an event.
  void add(std::span<const std::string> row);
  /// A later piece of the same table.
  void join(const RowOrder& next);

  bool holds() const;

 private:
  void compare(std::span<const std::string> one, std::span<const std::string> other);

  /// What a column has done so far.
  struct Ascends {
    bool as_text = true, as_numbers = true;
  };

  Of of_;
  bool ids_ascend_ = true;
  std::vector<Ascends> columns_;
  std::vector<std::string> first_, last_;
};

}  // namespace hyobscure::verify
