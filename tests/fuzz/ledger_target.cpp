#include "hyobscure/base/files.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/release/ledger.h"
#include "made.h"
#include "packed_files.h"
#include "target.h"

namespace hyobscure::fuzz {
namespace {

std::vector<std::string> ledger_seeds() {
  release::Ledger ledger;
  const auto file = empty_folder() / "ledger.json";
  for (const MadeRun& run : made_runs())
    ledger.add(run.reading.people, obscure::read_mechanism(run.mechanisms[0]).key, "release",
               "mechanism.json");
  ledger.write(file);
  return {read_file(file)};
}

void take_ledger(std::string_view bytes) {
  const auto folder = empty_folder();
  write_all(folder, {{"ledger.json", std::string(bytes)}});
  release::Ledger ledger = release::Ledger::read(folder / "ledger.json");
  const Key key = Key::from_seed(3);
  for (const MadeRun& run : made_runs()) {
    (void)ledger.earlier(run.reading.people, key);
    ledger.add(run.reading.people, key, "release", "mechanism.json");
  }
  ledger.write(folder / "ledger.json");
  if (release::Ledger::read(folder / "ledger.json").entries().size() != ledger.entries().size())
    throw std::logic_error("a ledger that was written is read as another");
}

}  // namespace

Target ledger_target() { return {"ledger", ledger_seeds, take_ledger, 1000}; }

}  // namespace hyobscure::fuzz
