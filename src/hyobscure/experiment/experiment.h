#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/data/spec/spec.h"
#include "hyobscure/data/synth/synth.h"

namespace hyobscure::experiment {

enum class ExperimentKind {
  TradeOff,  ///< mechanisms with their audits: what leaks, what attackers find, what the release is good for
  Convergence,  ///< the rounds of a method's search
  Scalability,  ///< seconds of every stage
};

/// One key that changes from step to step; the keys of a sweep change together.
struct SweptKey {
  std::string name;  ///< "groups.count", or "synthetic.people"
  std::vector<std::string> texts;
};

/// An experiment at one of its sizes: quick, on synthetic people, or full.
struct Experiment {
  std::string name;   ///< of its file
  std::string title;  ///< a few words
  std::string what;   ///< one sentence: which figure of the paper, and what to look for
  ExperimentKind kind = ExperimentKind::TradeOff;
  std::string size;  ///< "quick" or "full"

  std::filesystem::path spec = {};  ///< of the people; empty: synthetic ones
  std::string data = {};            ///< folder of the spec's files, inside the folder of all data sets
  std::optional<data::SynthSettings> synthetic = {};
  std::vector<std::string> methods = {};
  std::vector<double> budgets = {};
  std::vector<double> shares = {};  ///< instead of budgets: of the range of the first groups' cells
  std::vector<SweptKey> sweep = {};
  std::vector<data::Override> set = {};

  std::size_t steps() const { return sweep.empty() ? 1 : sweep.front().texts.size(); }
  std::vector<std::string> step_texts(std::size_t step) const;
};

/// Throws InputError for whatever the file has that an experiment has not, naming the key.
[[nodiscard]] Experiment read_experiment(const std::filesystem::path& file, bool quick);

/// Hash of all that gives a row its meaning. Methods, budgets and the values of the sweep are not among it:
/// they stand in the rows, and more of them may be added to results that are there.
[[nodiscard]] std::string fingerprint(const Experiment& experiment);

}  // namespace hyobscure::experiment
