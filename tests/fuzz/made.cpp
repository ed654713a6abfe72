#include "made.h"

#include <fmt/format.h>

#include "hyobscure/base/files.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/workflow/workbench.h"

namespace hyobscure::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kMadePeople = 40;  // sanitizers make every fit ten times as long

const TestFolder& process_folder() {
  // libFuzzer writes many thousand files a minute.
  static const bool in_memory = fs::is_directory("/dev/shm") && ::setenv("TMPDIR", "/dev/shm", 1) == 0;
  static const TestFolder folder;
  (void)in_memory;
  return folder;
}

data::Spec spec_of(const fs::path& folder, const std::string& method) {
  return data::read_spec(folder / "spec.toml", {{"method.name", method},
                                                {"method.seed", "1"},
                                                {"channel.clusters", "3"},
                                                {"groups.people", "[5, 40]"},
                                                {"groups.values", "[2, 40]"},
                                                {"groups.count", "2"},
                                                {"release.ledger", "none"},
                                                {"release.format", "csv"}});
}

/// The first method makes the release and the census.
MadeRun make_run(data::SynthKind kind, const std::string& name, const std::vector<std::string>& methods) {
  const fs::path folder = process_folder() / name;
  data::synthesise({.kind = kind, .people = kMadePeople, .dependence = 0.8, .items = 20, .entries = 6},
                   folder, false);
  MadeRun run{.folder = folder,
              .spec = spec_of(folder, methods[0]),
              .reading = {},
              .mechanisms = {},
              .release = folder / "release",
              .census = folder / "census"};
  for (const std::string& method : methods) {
    workflow::Workbench bench(spec_of(folder, method), {.threads = 1});
    const obscure::Mechanism mechanism = bench.fit().mechanism;
    run.mechanisms.push_back(folder / (method + ".json"));
    obscure::write_mechanism(mechanism, run.mechanisms.back());
    if (method != methods[0]) continue;
    bench.save_census(run.census, false);
    (void)bench.publish(mechanism, {.output = run.release, .accept_leakage = true});
  }
  data::Engine engine({.folder = folder, .threads = 1}, {});
  run.reading = data::read_people(engine, run.spec);
  return run;
}

}  // namespace

const std::vector<MadeRun>& made_runs() {
  static const std::vector<MadeRun> runs = [] {
    std::vector<MadeRun> all;
    all.push_back(make_run(data::SynthKind::Ratings, "ratings", {"hyobscure", "fine"}));
    all.push_back(make_run(data::SynthKind::Tabular, "tabular", {"exact", "random"}));
    all.push_back(make_run(data::SynthKind::CheckIns, "check-ins", {"hyobscure"}));
    return all;
  }();
  return runs;
}

fs::path empty_folder() {
  const fs::path folder = process_folder() / "offered";
  fs::remove_all(folder);
  fs::create_directory(folder);
  return folder;
}

}  // namespace hyobscure::fuzz
