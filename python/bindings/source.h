#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "hyobscure/data/engine/arrow_table.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/workflow/workbench.h"

namespace hyobscure::python {

/// Where people come from, and all that is asked for them: a spec with the tables of memory that it selects
/// from.
class Source {
 public:
  /// A key of the spec, its value as a flag would have it, and how the user wrote the key.
  using GivenKey = std::tuple<std::string, std::string, std::string>;

  /// `file`: the spec to start from; empty: an empty one, for tables of memory.
  Source(const std::string& file, const std::vector<GivenKey>& given,
         std::vector<std::shared_ptr<data::ArrowTable>> tables, std::string memory, int threads);

  const data::Spec& spec() const { return spec_; }
  data::EngineSettings engine_settings() const;
  /// For one call: what it reads is not kept for the next, before which the files may change.
  workflow::Workbench workbench(const Progress& progress) const;
  int threads() const { return threads_; }
  /// Whether people are a table of memory, whose rows have numbers.
  bool in_memory() const { return !tables_.empty(); }

 private:
  data::Spec spec_;
  std::vector<std::shared_ptr<const data::ArrowTable>> tables_;
  std::string memory_;
  int threads_;
};

}  // namespace hyobscure::python
