#pragma once

#include "hyobscure/data/read/identifying.h"
#include "hyobscure/data/read/read_parts.h"

namespace hyobscure::data {

class FoundProblems;

/// Reads the secret: a number, a place, a name, or several of these. In hyo_people and hyo_kept its cells are
/// s0, s1, ...; the column `secret` of hyo_kept is the number, or which of the distinct secrets it is.
class SecretReader {
 public:
  /// `people` must outlive the reader.
  SecretReader(Engine& engine, const Spec& spec, const Relation& people);

  /// The columns of the source to select into hyo_people.
  const std::string& projection() const { return projection_; }

  /// Home was found from events: takes it from hyo_homes into hyo_people.
  void take_homes(const Grid& grid);

  /// Finds cells of hyo_people that are no secret; counts those without.
  void check(ReadCounts& counts, FoundProblems& problems);

  /// SQL on hyo_people: the person has a secret.
  std::string is_given() const;

  /// The secrets in SQL on hyo_kept, after check().
  std::vector<SecretCells> cells() const;

  /// Takes people whose secret fewer than secret.fewest_people share out of hyo_kept, and numbers the others
  /// again. Returns whether there were any.
  bool leave_out_rare(ReadCounts& counts) const;

  /// Secrets, values and space of the people of hyo_kept, whose ids `people` has.
  void number(People& people) const;

 private:
  enum class Form { Number, Name, CellNumber, Degrees, Home };

  /// One of the secrets; its cells are s{first} and, of Degrees and Home, s{first + 1}.
  struct Part {
    std::string name;
    Form form;
    std::size_t first;
    std::vector<std::string> columns;  ///< of the source

    std::string cell(std::size_t i = 0) const;
    std::string is_missing(std::size_t i = 0) const;
  };

  void add_part(std::size_t axis);
  void check_cells(const Part& part, std::size_t i, FoundProblems& problems) const;
  std::int64_t count_missing() const;
  void add_missing(std::int64_t number, FoundProblems& problems) const;
  std::vector<std::string> exact_cells(const Part& part) const;
  std::vector<Coordinate> fetch(const Part& part) const;
  void number_values(const std::vector<double>& secrets, People& people) const;
  void number_points(People& people) const;
  void order_categories(Axis& axis, std::vector<std::uint32_t>& of_person, SecretSpace& space) const;
  void write_points(const People& people, const std::vector<std::uint32_t>& point_of_person) const;

  Engine& engine_;
  const Spec& spec_;
  const Relation& people_;
  std::vector<Part> parts_;
  std::string projection_;
  std::optional<Grid> grid_;
};

}  // namespace hyobscure::data
