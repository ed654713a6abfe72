#include "hyobscure/base/files.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/read/column_table.h"
#include "hyobscure/data/read/read.h"
#include "made.h"
#include "packed_files.h"
#include "target.h"

namespace hyobscure::fuzz {
namespace {

constexpr std::initializer_list<const char*> kTableFiles = {"people.csv", "events.csv"};

std::vector<std::string> table_seeds() {
  std::vector<std::string> seeds;
  for (const MadeRun& run : made_runs()) seeds.push_back(packed(run.folder, kTableFiles));
  return seeds;
}

/// The spec of the run whose shape and headings the tables have, as far as they can be told.
const MadeRun& run_of(const std::map<std::string, std::string>& files) {
  const auto events = files.find("events.csv");
  if (events == files.end()) return made_runs()[1];
  return made_runs()[events->second.find("latitude") == std::string::npos ? 0 : 2];
}

void take_tables(std::string_view bytes) {
  const auto files = unpacked(bytes, kTableFiles);
  const auto folder = empty_folder();
  write_all(folder, files);
  data::Spec spec = run_of(files).spec;
  spec.folder = folder;
  data::Engine engine({.folder = folder, .threads = 1}, {});
  (void)data::ColumnTable(engine, spec);
  (void)data::fingerprint(data::read_people(engine, spec).people);
}

}  // namespace

Target table_target() { return {"table", table_seeds, take_tables, 20}; }

}  // namespace hyobscure::fuzz
