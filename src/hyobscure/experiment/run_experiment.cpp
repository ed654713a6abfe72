#include "hyobscure/experiment/run_experiment.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <map>

#include "hyobscure/audit/mechanism/audit_cost.h"
#include "hyobscure/audit/mechanism/trade_off.h"
#include "hyobscure/audit/mechanism/utility_tasks.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/machine_speed.h"
#include "hyobscure/base/scratch.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/experiment/experiment_rows.h"
#include "hyobscure/experiment/result_table.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/fit/fit_cost.h"

namespace hyobscure::experiment {
namespace {

constexpr const char* kOutOfReach = "the budget is out of the method's reach";

/// The people and the settings of one step of the sweep.
struct Step {
  std::vector<std::string> texts;  ///< the values of the swept keys
  data::Spec spec = {};
  data::People people = {};
  std::optional<audit::TaskLabel> task = {};
  StageSeconds seconds = {};
};

class Runner {
 public:
  Runner(const Experiment& experiment, const ExperimentPlaces& places, const Progress& progress,
         const OnRow& on_row)
      : experiment_(experiment),
        places_(places),
        whole_(progress),
        progress_(progress.with_same_reports()),
        on_row_(on_row),
        table_(places.output / (experiment.name + ".csv"),
               fmt::format("hyobscure experiment {}, {}", experiment.name, experiment.size),
               fingerprint(experiment), columns(), experiment.sweep.size() + 2) {
    outcome_.table = places.output / (experiment.name + ".csv");
  }

  ExperimentOutcome run() {
    try {
      for (std::size_t i = 0; i < experiment_.steps() && !stopped(); ++i) run_step(i);
    } catch (const Stopped&) {
      // The rows that are there are good; the outcome says that some are missing.
    }
    outcome_.complete = !stopped();
    return outcome_;
  }

 private:
  std::vector<std::string> columns() const {
    std::vector<std::string> names;
    for (const SweptKey& key : experiment_.sweep) names.push_back(key.name);
    for (const char* name : {"method", "budget", "reason"}) names.emplace_back(name);
    const Cells further = experiment_.kind == ExperimentKind::TradeOff      ? trade_off_columns(of_places())
                          : experiment_.kind == ExperimentKind::Convergence ? convergence_columns()
                                                                            : scalability_columns();
    names.insert(names.end(), further.begin(), further.end());
    return names;
  }

  /// Read from the spec alone: the columns are needed before the data.
  bool of_places() const {
    if (experiment_.synthetic) return false;
    const data::Spec spec = data::parse_spec(read_file(experiment_.spec), experiment_.spec.string(),
                                             places_.data, experiment_.set);
    return std::ranges::find(spec.secret.kind.all, data::AxisKind::Spatial) != spec.secret.kind.all.end();
  }

  bool stopped() const { return progress_.stop_requested(); }

  /// About, of a point of this method in the first step, whose people stand for those of the others.
  double seconds_of(const std::string& method) const {
    const auto found = seconds_of_method_.find(method);
    return found == seconds_of_method_.end() ? 0 : found->second;
  }

  /// Once people are known.
  void predict(const Step& step) {
    if (!seconds_of_method_.empty()) return;
    const double speed = machine_speed();
    const double audit = experiment_.kind == ExperimentKind::TradeOff
                             ? audit::audit_cost(step.people, step.spec).total() / speed
                             : 0;
    const std::size_t budgets =
        experiment_.budgets.empty() ? experiment_.shares.size() : experiment_.budgets.size();
    for (const std::string& name : experiment_.methods) {
      const std::string method = name.substr(0, name.find('-'));  // a variant takes as long as its method
      const double seconds =
          audit + obscure::method_seconds(obscure::method_named(method), step.people, step.spec) / speed;
      seconds_of_method_[name] = seconds;
      seconds_total_ += seconds * static_cast<double>(budgets * experiment_.steps());
    }
    whole_.whole(seconds_done_, seconds_total_);
  }

  /// A point that was there already took nothing: then the whole is smaller.
  void advance(const std::string& method, bool computed) {
    (computed ? seconds_done_ : seconds_total_) += (computed ? 1 : -1) * seconds_of(method);
    whole_.whole(seconds_done_, seconds_total_);
  }

  static Cells key_of(const std::vector<std::string>& texts, const std::string& method,
                      const std::string& budget) {
    Cells key = texts;
    key.push_back(method);
    key.push_back(budget);
    return key;
  }

  void add(const Cells& key, const std::string& reason, const std::vector<Cells>& rows) {
    std::vector<Cells> whole;
    for (const Cells& cells : rows) {
      whole.push_back(key);
      whole.back().push_back(reason);
      whole.back().insert(whole.back().end(), cells.begin(), cells.end());
    }
    table_.add(whole);
    ++outcome_.computed;
    if (!reason.empty()) ++outcome_.impossible;
    if (on_row_)
      for (Cells& row : whole) {
        row.resize(table_.columns().size());
        on_row_(table_.columns(), row);
      }
  }

  void run_step(std::size_t i) {
    const std::vector<std::string> texts = experiment_.step_texts(i);
    if (all_there(texts)) return;
    Step step = prepared(i, texts);
    predict(step);
    std::vector<double> budgets;
    try {
      budgets = budgets_of(step);
    } catch (const InputError& error) {
      // Limits that admit no grouping are an answer too.
      const Cells key = key_of(texts, "all", "");
      if (!table_.has(key)) add(key, error.problem(), {{}});
      return;
    }
    for (const double budget : budgets)
      for (const std::string& method : experiment_.methods) {
        if (stopped()) return;
        const Cells key = key_of(texts, method, fmt::format("{}", budget));
        const bool there = table_.has(key);
        if (there)
          ++outcome_.kept;
        else
          run_point(step, key, method, budget);
        advance(method, !there);
      }
  }

  /// Known without the people where the budgets are.
  bool all_there(const std::vector<std::string>& texts) {
    if (table_.has(key_of(texts, "all", ""))) return ++outcome_.kept, true;
    if (experiment_.budgets.empty()) return false;
    for (const double budget : experiment_.budgets)
      for (const std::string& method : experiment_.methods)
        if (!table_.has(key_of(texts, method, fmt::format("{}", budget)))) return false;
    outcome_.kept += experiment_.budgets.size() * experiment_.methods.size();
    return true;
  }

  Step prepared(std::size_t i, const std::vector<std::string>& texts) const {
    Step step{.texts = texts};
    // Without a seed each run would draw otherwise, and an interrupted one could not go on.
    std::vector<data::Override> overrides = {{"method.seed", "1"}, {"release.ledger", "none"}};
    overrides.insert(overrides.end(), experiment_.set.begin(), experiment_.set.end());
    std::optional<data::SynthSettings> synthetic = experiment_.synthetic;
    for (const SweptKey& key : experiment_.sweep)
      if (key.name == "synthetic.people")
        synthetic->people = std::stoll(key.texts[i]);
      else
        overrides.push_back({key.name, key.texts[i]});
    std::optional<TemporaryPath> scratch;  // of the synthetic people
    if (synthetic) {
      const Stopwatch watch;
      scratch.emplace(make_temporary_folder("experiment"));
      data::synthesise(*synthetic, scratch->path() / "people", false, progress_);
      step.seconds.synthesis = watch.seconds();
      step.spec = data::read_spec(scratch->path() / "people/spec.toml", overrides);
    } else {
      step.spec = spec_of_data(overrides);
    }
    const Stopwatch watch;
    data::EngineSettings settings = places_.engine;
    settings.folder = step.spec.folder;
    data::Engine engine(settings, progress_);
    data::Reading reading = data::read_people(engine, step.spec);
    step.task = audit::task_label(engine, step.spec, reading);
    step.people = std::move(reading.people);
    step.seconds.reading = watch.seconds();
    return step;
  }

  data::Spec spec_of_data(const std::vector<data::Override>& overrides) const {
    const std::filesystem::path folder = places_.data / experiment_.data;
    if (places_.data.empty() || !std::filesystem::is_directory(folder))
      throw InputError({.source = experiment_.name}, fmt::format("needs the data set {}", experiment_.data),
                       fmt::format("Give the folder that holds {} with --data or HYOBSCURE_DATA, or take the "
                                   "quick size with --quick.",
                                   experiment_.data));
    return data::parse_spec(read_file(experiment_.spec), experiment_.spec.string(), folder, overrides);
  }

  std::vector<double> budgets_of(Step& step) const {
    const obscure::Terms terms = obscure::first_terms_of(step.people, step.spec);
    if (!experiment_.budgets.empty()) return experiment_.budgets;
    const census::Census census = obscure::census_of(step.people, step.spec, progress_);
    const solve::SegmentTables tables = obscure::segment_tables(step.people, census);
    const obscure::BudgetRange range =
        obscure::cell_range(obscure::method_input(step.people, step.spec, terms, census, tables));
    std::vector<double> budgets;
    for (const double share : experiment_.shares) budgets.push_back(range.at(share));
    return budgets;
  }

  void run_point(const Step& step, const Cells& key, const std::string& method, double budget) {
    const std::vector<Cells> rows =
        experiment_.kind == ExperimentKind::TradeOff      ? audited(step, method, budget)
        : experiment_.kind == ExperimentKind::Convergence ? rounds(step, method, budget)
                                                          : timed(step, method, budget);
    if (!rows.empty())
      add(key, "", rows);
    else if (!stopped())
      add(key, kOutOfReach, {{}});
  }

  std::vector<Cells> audited(const Step& step, const std::string& method, double budget) const {
    const audit::TradeOff found = audit_methods(
        step.people, step.spec, {.methods = {method}, .budgets = {budget}}, step.task, progress_);
    std::vector<Cells> rows;
    for (const audit::AuditedPoint& point : found.points) rows.push_back(trade_off_cells(point));
    return rows;
  }

  std::vector<Cells> rounds(const Step& step, const std::string& method, double budget) const {
    std::vector<Cells> rows;
    (void)obscure::compare_methods(
        step.people, step.spec, {.methods = {method}, .budgets = {budget}}, progress_,
        [&](const std::string&, const obscure::FrontierPoint&, const obscure::Mechanism& mechanism) {
          if (!stopped()) rows = convergence_cells(mechanism.history);
        });
    return rows;
  }

  std::vector<Cells> timed(const Step& step, const std::string& method, double budget) const {
    const obscure::Terms terms = obscure::first_terms_of(step.people, step.spec);
    StageSeconds seconds = step.seconds;
    const Stopwatch watch;
    const census::Census census = obscure::census_of(step.people, step.spec, progress_);
    const solve::SegmentTables tables = obscure::segment_tables(step.people, census);
    seconds.census = watch.seconds();
    obscure::MethodInput input = obscure::method_input(step.people, step.spec, terms, census, tables);
    const obscure::Frontier frontier =
        obscure::sweep_method(obscure::method_named(method), step.spec, census, input, {budget}, progress_);
    if (stopped() || frontier.points.empty()) return {};
    seconds.method = frontier.points.front().seconds;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    seconds.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
    return {scalability_cells(seconds, frontier.points.front())};
  }

  const Experiment& experiment_;
  const ExperimentPlaces& places_;
  const Progress& whole_;
  Progress progress_;  ///< of a point, whose parts do not move the whole
  std::map<std::string, double> seconds_of_method_;
  double seconds_done_ = 0, seconds_total_ = 0;
  const OnRow& on_row_;
  ResultTable table_;
  ExperimentOutcome outcome_;
};

}  // namespace

ExperimentOutcome run_experiment(const Experiment& experiment, const ExperimentPlaces& places,
                                 const Progress& progress, const OnRow& on_row) {
  std::error_code error;
  std::filesystem::create_directories(places.output, error);
  if (error)
    throw InputError({.source = places.output.string()}, "cannot be made: " + error.message(),
                     "Give another folder with -o.");
  return Runner(experiment, places, progress, on_row).run();
}

}  // namespace hyobscure::experiment
