#include "hyobscure/audit/mechanism/fit_for_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "hyobscure/audit/mechanism/redraw.h"
#include "hyobscure/audit/mechanism/utility_tasks.h"
#include "hyobscure/base/error.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/methods/fine.h"

namespace hyobscure::audit {
namespace {

/// The loss as per cent of what true features give. Throws InputError where there is no such share.
audit::Estimate loss_percent(const audit::UtilityResult& utility, const data::Spec& spec) {
  const std::string remedy = "Promise something else (channel.budget), or give an expected distance.";
  if (!utility.measurable())
    throw InputError({.source = spec.name + ", channel.budget"},
                     fmt::format("{} cannot be measured on this data: {}", utility.name, utility.note),
                     remedy);
  const audit::UtilityFigures& figures = *utility.figures;
  const double whole = figures.unobscured.mean;
  if (!(whole > 0))
    throw InputError({.source = spec.name + ", channel.budget"},
                     fmt::format("{} ({}) is 0 with true features, and there is no share of it to promise",
                                 utility.name, utility.measure),
                     remedy);
  return {100 * figures.loss.mean / whole, 100 * figures.loss.low / whole, 100 * figures.loss.high / whole};
}

void refuse_what_cannot_be_searched(const data::Spec& spec) {
  if (!spec.channel.target)
    throw InputError({.source = spec.name + ", channel.budget"}, "promises nothing about a use",
                     "Write it as \"at most 2 % of rating RMSE\".");
  if (spec.method.parameter)
    throw InputError({.source = spec.name},
                     "method.parameter sets what channel.budget leaves to the search for its promise",
                     "Keep one of them.");
}

/// One census and one key for all budgets of a search.
class Search {
 public:
  Search(const data::People& people, const data::Spec& spec, const census::Census& census,
         const std::optional<audit::TaskLabel>& task, const Progress& progress)
      : people_(people),
        spec_(spec),
        task_(task),
        progress_(progress),
        method_(obscure::method_named(spec.method.name)),
        terms_(obscure::terms_of(people, spec)),
        census_(census),
        tables_(obscure::segment_tables(people, census_)),
        input_(obscure::method_input(people, spec, terms_, census_, tables_)) {
    input_.person.cache = &prepared_;
    search_.target = *spec.channel.target;
  }

  /// The distance is what the budget limits: nothing to search.
  FitForUse within_distance() {
    const double any_donor = obscure::person_range(input_).harmless;
    search_.limit = search_.target.percent / 100 * any_donor;
    Candidate candidate = answer(search_.limit);
    const double percent = any_donor > 0 ? 100 * candidate.mechanism.figures.distance / any_donor : 0;
    note(candidate, {percent, percent, percent}, true);
    best_ = std::move(candidate);
    return finished();
  }

  FitForUse bisected() {
    try {
      bisect();
    } catch (const Stopped&) {
      if (!best_) throw;
      best_->result.converged = false;
    }
    if (!best_) refuse();
    return finished();
  }

 private:
  enum class Answer { Kept, Broken, OutOfReach };

  struct Candidate {
    obscure::MethodResult result;
    obscure::Mechanism mechanism;
    std::optional<audit::UtilityResult> utility = {};
    TriedBudget tried = {};
  };

  /// Halvings of the range after both its ends: 1/128 of it is less than the noise of the audit.
  static constexpr int kHalvings = 7;

  void bisect() {
    const obscure::BudgetRange range = method_.range(input_);
    // The baselines draw oneself as often as they must: they reach below the range of the cells.
    double low = method_.has_parameter ? 0 : range.smallest;
    double high = range.harmless;
    // At `high` the features need tell nothing: no larger budget hides more.
    if (tried(high) == Answer::Kept || tried(low) == Answer::Broken) return;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (tried(middle) == Answer::Broken ? high : low) = middle;
    }
  }

  Answer tried(double budget) {
    progress_.throw_if_stopped();
    std::optional<Candidate> candidate;
    try {
      candidate = answer(budget);
    } catch (const obscure::BudgetOutOfReach&) {
      return Answer::OutOfReach;
    }
    const Redraw redraw(candidate->mechanism, people_);
    candidate->utility = utility_of_target(
        search_.target.measure, people_, spec_, task_, [&](int r) { return redraw.publication(r); },
        progress_);
    const audit::Estimate loss = loss_percent(*candidate->utility, spec_);
    const bool kept = loss.high <= search_.target.percent;
    note(*candidate, loss, kept);
    if (!kept) return Answer::Broken;
    best_ = *std::move(candidate);  // of kept budgets each is larger than the one before
    return Answer::Kept;
  }

  Candidate answer(double budget) {
    input_.budget = budget;
    Candidate candidate{.result = method_.run(input_, progress_), .mechanism = {}};
    candidate.mechanism = mechanism_of(candidate.result, budget, 0);
    return candidate;
  }

  obscure::Mechanism mechanism_of(const obscure::MethodResult& result, double budget, int shuffles) {
    obscure::MethodInput at = input_;
    at.budget = budget;
    // What was found before the user stopped the search is still accounted for.
    const Progress undisturbed;
    obscure::Mechanism mechanism = obscure::mechanism_of(
        people_, spec_, census_, at, result, shuffles, progress_.stop_requested() ? undisturbed : progress_);
    if (!key_) key_ = mechanism.key;
    mechanism.key = *key_;
    return mechanism;
  }

  void note(Candidate& candidate, const audit::Estimate& loss, bool kept) {
    const obscure::Figures& figures = candidate.mechanism.figures;
    candidate.tried = {
        .budget = figures.budget, .loss = loss, .leakage = figures.leakage.total, .kept = kept};
    search_.tried.push_back(candidate.tried);
  }

  [[noreturn]] void refuse() const {
    const auto least = std::ranges::min_element(search_.tried, {}, [](const auto& t) { return t.loss.high; });
    const std::string problem =
        least == search_.tried.end()
            ? fmt::format("no budget of its range is within the reach of {}", method_.name)
            : fmt::format(
                  "\"{}\" cannot be kept: the smallest loss of {}, at the budget {:.6g}, is {:.3g} % "
                  "[{:.3g}, "
                  "{:.3g}], and the upper end counts",
                  data::target_text(search_.target), method_.name, least->budget, least->loss.mean,
                  least->loss.low, least->loss.high);
    throw InputError(
        {.source = spec_.name + ", channel.budget"}, problem,
        "Promise less, repeat the audit more often (audit.releases) for a narrower interval, use "
        "more clusters, or take method.name = \"fine\", which reaches every distance.");
  }

  FitForUse finished() {
    std::ranges::sort(search_.tried, {}, &TriedBudget::budget);
    search_.chosen = best_->tried;
    search_.utility = best_->utility;
    if (search_.utility)
      search_.limit = search_.target.percent / 100 * search_.utility->figures->unobscured.mean;
    return {mechanism_of(best_->result, best_->tried.budget, obscure::shuffles_for(people_.size())),
            std::move(search_)};
  }

  const data::People& people_;
  const data::Spec& spec_;
  const std::optional<audit::TaskLabel>& task_;
  const Progress& progress_;
  const obscure::Method& method_;
  obscure::Terms terms_;
  const census::Census& census_;
  solve::SegmentTables tables_;
  obscure::FineCache prepared_;
  obscure::MethodInput input_;
  std::optional<Key> key_;
  TargetSearch search_;
  std::optional<Candidate> best_;
};

}  // namespace

FitForUse fit_for_use(const data::People& people, const data::Spec& spec, const census::Census& census,
                      const std::optional<audit::TaskLabel>& task, const Progress& progress) {
  refuse_what_cannot_be_searched(spec);
  Search search(people, spec, census, task, progress);
  return spec.channel.target->measure == "distance" ? search.within_distance() : search.bisected();
}

}  // namespace hyobscure::audit
