#pragma once

#include "hyobscure/base/json.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/studio/folder.h"
#include "hyobscure/studio/jobs.h"
#include "hyobscure/studio/known_people.h"
#include "hyobscure/studio/versions.h"
#include "hyobscure/workflow/workbench.h"

namespace hyobscure::studio {

/// Names of what specs have in common: `data`, how people are read; `curve`, all that a trade-off depends on,
/// which is not the budget. Results of one spec hold for others with the same name.
[[nodiscard]] Json keys_of(const data::Spec& spec);

/// What the jobs do: calls of a workbench, whose results are the JSON of the command line. A job that
/// computes from a spec names its version. Kinds: synth, start, inspect, frontier, fit, audit, publish,
/// verify.
class Work {
 public:
  Work(const Folder& folder, KnownPeople& known, workflow::Resources resources);

  /// Checks a request before it waits, and saves the spec that it brings as a version (`version`). Throws
  /// InputError.
  [[nodiscard]] Json accept(const std::string& kind, const Json& request) const;
  [[nodiscard]] Json run(const Job& job, const Progress& progress);

  /// The spec in a text, for this folder. Throws InputError where it is wrong or names files outside.
  [[nodiscard]] data::Spec parse(const std::string& toml, const std::string& name = "spec") const;

 private:
  workflow::Workbench bench(int version, const Progress& progress) const;
  Json synthesise(const Json& request, const Progress& progress) const;
  Json start(const Json& request, const Progress& progress) const;
  Json inspect(int version, const Progress& progress);
  Json frontier(int version, const Json& request, const Progress& progress) const;
  Json fit(int version, const Json& request, const Progress& progress) const;
  Json audit(int version, const Progress& progress) const;
  Json publish(int version, const Json& request, const Progress& progress) const;
  Json verify(const Json& request, const Progress& progress) const;

  const Folder& folder_;
  Versions versions_;
  KnownPeople& known_;
  workflow::Resources resources_;
};

}  // namespace hyobscure::studio
