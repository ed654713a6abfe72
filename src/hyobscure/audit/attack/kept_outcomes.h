#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace hyobscure::audit {

/// What finished parts of an audit gave, by their names, in memory or also in a file: an audit that is asked
/// for more repetitions, or that was stopped, computes only what is not there. Numbers are kept to the last
/// bit, so that it ends with the same figures as one that was never stopped.
///
/// The file begins with a line that says whose outcomes it holds. Every outcome is appended with a checksum;
/// a last one that was cut off by a kill is dropped. It holds errors person by person: only its owner can
/// read it.
class KeptOutcomes {
 public:
  KeptOutcomes() = default;
  /// Goes on with a file of this name, or makes it. `of` says what was attacked and how, in one line. Throws
  /// InputError for a file that holds anything else, or cannot be written.
  KeptOutcomes(std::filesystem::path file, const std::string& of);

  /// The outcome of this name, computed by `compute` where it is not there. Called from many threads. Throws
  /// InputError where the file cannot be written, and what `compute` throws.
  std::vector<double> get(const std::string& name, const std::function<std::vector<double>()>& compute);

  bool in_file() const { return !file_.empty(); }
  bool has(const std::string& name) const;
  std::size_t size() const;
  std::size_t computed() const;  ///< and not taken from the file

 private:
  void append(const std::string& name, const std::vector<double>& outcome);

  std::filesystem::path file_;  ///< empty: in memory only
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<double>> outcomes_;
  std::size_t computed_ = 0;
};

/// kept->get(), or `compute` where nothing is kept.
[[nodiscard]] std::vector<double> outcome_of(KeptOutcomes* kept, const std::string& name,
                                             const std::function<std::vector<double>()>& compute);

}  // namespace hyobscure::audit
