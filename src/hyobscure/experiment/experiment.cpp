#include "hyobscure/experiment/experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"

namespace hyobscure::experiment {
namespace {

constexpr const char* kSweptPeople = "synthetic.people";

/// A table of the file; every key must be asked for by name.
class Table {
 public:
  Table(std::string source, std::string name, const toml::table* table, std::vector<std::string> keys)
      : source_(std::move(source)), name_(std::move(name)), table_(table) {
    if (table_ == nullptr) return;
    for (const auto& [key, node] : *table_)
      if (std::ranges::find(keys, key.str()) == keys.end())
        fail(std::string(key.str()), "there is no such key here",
             fmt::format("The keys are {}.", fmt::join(keys, ", ")));
  }

  [[noreturn]] void fail(const std::string& key, const std::string& problem,
                         const std::string& remedy) const {
    throw InputError({.source = source_, .column = name_.empty() ? key : name_ + "." + key}, problem, remedy);
  }

  const toml::node* find(const std::string& key) const {
    return table_ == nullptr ? nullptr : table_->get(key);
  }

  const toml::table* table(const std::string& key) const {
    const toml::node* node = find(key);
    if (node != nullptr && !node->is_table()) fail(key, "expected a table", "Write [" + key + "].");
    return node == nullptr ? nullptr : node->as_table();
  }

  std::string text(const std::string& key) const {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    if (const auto value = node->value_exact<std::string>()) return *value;
    fail(key, "expected text", "Write it in quotes.");
  }

  template <class Value>
  std::vector<Value> list(const std::string& key) const {
    std::vector<Value> values;
    if (find(key) == nullptr) return values;
    const toml::array* array = find(key)->as_array();
    if (array == nullptr) fail(key, "expected a list", "Write it in brackets.");
    for (const toml::node& node : *array) {
      const auto value = node.value<Value>();
      if (!value) fail(key, "has an entry of another type", "Write all entries alike.");
      values.push_back(*value);
    }
    return values;
  }

  std::int64_t whole(const std::string& key, std::int64_t fallback) const {
    if (find(key) == nullptr) return fallback;
    const auto value = find(key)->value_exact<std::int64_t>();
    if (!value || *value < 1 || *value > 1'000'000'000)
      fail(key, "expected a whole number above 0", "Correct it.");
    return *value;
  }

  std::string full_name(const std::string& key) const { return name_ + "." + key; }

 private:
  std::string source_;
  std::string name_;
  const toml::table* table_;
};

toml::table parsed(const std::filesystem::path& file) {
  try {
    return toml::parse(read_file(file));
  } catch (const toml::parse_error& error) {
    throw InputError({.source = fmt::format("{}, line {}", file.string(), error.source().begin.line)},
                     fmt::format("not valid TOML: {}", error.description()), "Correct the line.");
  }
}

ExperimentKind kind_of(const Table& table) {
  const std::string kind = table.text("kind");
  if (kind == "trade-off") return ExperimentKind::TradeOff;
  if (kind == "convergence") return ExperimentKind::Convergence;
  if (kind == "scalability") return ExperimentKind::Scalability;
  table.fail("kind", "expected a kind of experiment", "Take trade-off, convergence or scalability.");
}

bool is_setting(const std::string& name) {
  return std::ranges::find(data::settings(), name, &data::Setting::full_name) != data::settings().end();
}

bool is_count(const std::string& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<SweptKey> sweep_of(const std::string& source, const Table& size) {
  const toml::table* table = size.table("sweep");
  if (table == nullptr) return {};
  std::vector<std::string> keys;
  for (const auto& [key, node] : *table) keys.emplace_back(key.str());
  const Table entries(source, size.full_name("sweep"), table, keys);
  std::vector<SweptKey> sweep;
  for (const std::string& key : keys) {
    if (key != kSweptPeople && !is_setting(key))
      entries.fail(key, "is no key of a spec",
                   fmt::format("See `hyobscure settings`, or take \"{}\".", kSweptPeople));
    sweep.push_back({key, entries.list<std::string>(key)});
    if (key == kSweptPeople && !std::ranges::all_of(sweep.back().texts, is_count))
      entries.fail(key, "expected whole numbers, as texts", "Correct them.");
    if (sweep.back().texts.empty() || sweep.back().texts.size() != sweep.front().texts.size())
      entries.fail(key, "has another number of values than its neighbours, or none",
                   "The keys of a sweep change together, value by value.");
  }
  return sweep;
}

std::vector<data::Override> overrides_of(const std::string& source, const Table& size) {
  const toml::table* table = size.table("set");
  if (table == nullptr) return {};
  std::vector<std::string> keys;
  for (const data::Setting& setting : data::settings()) keys.push_back(setting.full_name());
  for (const auto& [key, node] : *table)
    if (!is_setting(std::string(key.str())))
      size.fail("set." + std::string(key.str()), "is no key of a spec", "See `hyobscure settings`.");
  const Table entries(source, size.full_name("set"), table, keys);
  std::vector<data::Override> overrides;
  for (const auto& [key, node] : *table)
    overrides.push_back({std::string(key.str()), entries.text(std::string(key.str()))});
  return overrides;
}

std::optional<data::SynthSettings> synthetic_of(const std::string& source, const Table& size) {
  const toml::table* table = size.table("synthetic");
  if (table == nullptr) return std::nullopt;
  const Table entries(source, size.full_name("synthetic"), table, {"kind", "people", "items", "entries"});
  data::SynthSettings settings{.dependence = 0.8};  // as the demonstration has it: much to find
  if (const std::string kind = entries.text("kind"); !kind.empty()) {
    if (kind != "check-ins")
      entries.fail("kind", "is not a kind of synthetic people for experiments",
                   "Write \"check-ins\", or leave it out for ratings.");
    settings.kind = data::SynthKind::CheckIns;
  }
  settings.people = entries.whole("people", settings.people);
  settings.items = static_cast<int>(entries.whole("items", settings.items));
  settings.entries = static_cast<int>(entries.whole("entries", settings.entries));
  return settings;
}

void check_size(const Experiment& experiment, const Table& size) {
  if (experiment.methods.empty()) size.fail("methods", "names no method", "Name at least one.");
  if (experiment.budgets.empty() == experiment.shares.empty())
    size.fail("budgets", "expected budgets or shares, one of the two", "Give one list.");
  if (experiment.spec.empty() != experiment.synthetic.has_value())
    size.fail("spec", "expected a spec or synthetic people, one of the two", "Give one of them.");
  const bool sweeps_people =
      std::ranges::find(experiment.sweep, kSweptPeople, &SweptKey::name) != experiment.sweep.end();
  if (sweeps_people && !experiment.synthetic)
    size.fail("sweep", "changes the number of synthetic people, but there are none",
              "Add the table synthetic.");
}

}  // namespace

std::vector<std::string> Experiment::step_texts(std::size_t step) const {
  std::vector<std::string> texts;
  for (const SweptKey& key : sweep) texts.push_back(key.texts[step]);
  return texts;
}

Experiment read_experiment(const std::filesystem::path& file, bool quick) {
  const std::string source = file.string();
  const toml::table document = parsed(file);
  const Table top(source, "", &document, {"experiment", "full", "quick"});
  const Table about(source, "experiment", top.table("experiment"), {"title", "what", "kind"});
  Experiment experiment{.name = file.stem().string(),
                        .title = about.text("title"),
                        .what = about.text("what"),
                        .kind = kind_of(about),
                        .size = quick ? "quick" : "full"};
  const Table size(source, experiment.size, top.table(experiment.size),
                   {"spec", "data", "synthetic", "methods", "budgets", "shares", "sweep", "set"});
  if (!size.text("spec").empty()) experiment.spec = file.parent_path() / size.text("spec");
  experiment.data = size.text("data");
  experiment.synthetic = synthetic_of(source, size);
  experiment.methods = size.list<std::string>("methods");
  experiment.budgets = size.list<double>("budgets");
  experiment.shares = size.list<double>("shares");
  experiment.sweep = sweep_of(source, size);
  experiment.set = overrides_of(source, size);
  check_size(experiment, size);
  return experiment;
}

std::string fingerprint(const Experiment& experiment) {
  std::string text = fmt::format("{}\n{}\n", experiment.name, experiment.size);
  if (!experiment.spec.empty()) text += read_file(experiment.spec);
  if (experiment.synthetic)
    text += fmt::format("{} {} {}{}\n", experiment.synthetic->people, experiment.synthetic->items,
                        experiment.synthetic->entries,
                        experiment.synthetic->kind == data::SynthKind::CheckIns ? " check-ins" : "");
  for (const SweptKey& key : experiment.sweep) text += key.name + "\n";
  for (const data::Override& given : experiment.set) text += given.name + " = " + given.text + "\n";
  return sha256(text);
}

}  // namespace hyobscure::experiment
