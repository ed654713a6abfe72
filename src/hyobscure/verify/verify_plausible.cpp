#include "hyobscure/verify/verify_plausible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "hyobscure/base/parallel.h"
#include "hyobscure/data/read/id_numbers.h"
#include "hyobscure/verify/odds.h"
#include "hyobscure/verify/row_distance.h"
#include "hyobscure/verify/verify_figures.h"

namespace hyobscure::verify {
namespace {

using published::Manifest;

// --- what is asked for

bool same_interval(double least, double most, const std::optional<data::Interval>& asked) {
  return !asked || (least == (*asked)[0] && most == (*asked)[1]);
}

// --- what these secrets can leak

double entropy_of(std::span<const std::uint32_t> secrets, std::size_t& values) {
  std::map<std::uint32_t, double> people;
  for (const std::uint32_t secret : secrets) people[secret] += 1;
  values = people.size();
  const auto all = static_cast<double>(secrets.size());
  double bits = 0;
  for (const auto& [secret, count] : people) bits += count / all * std::log2(all / count);
  return bits;
}

/// Fano: the smallest e with h(e) + e log2(values - 1) >= what is not known of the secret.
double least_error(double unknown_bits, double values) {
  if (values < 2 || unknown_bits <= 0) return 0;
  const auto reached = [&](double e) {
    const double coin = e <= 0 || e >= 1 ? 0 : -e * std::log2(e) - (1 - e) * std::log2(1 - e);
    return coin + e * std::log2(values - 1) >= unknown_bits;
  };
  double low = 0, high = 1 - 1 / values;  // the left side rises up to here
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (reached(middle) ? high : low) = middle;
  }
  return low;
}

// --- what the draws did

/// A person, and somebody who has the features that are published under them.
struct SeenDraw {
  std::uint32_t person, donor;
  bool donor_is_known;  ///< nobody else of the group, with these kept cells, has the same row
};

std::vector<SeenDraw> seen_draws(const Original& original) {
  const data::IdNumbers numbers(original.reading.people.ids);
  std::vector<SeenDraw> draws;
  original.engine.query(
      "SELECT r.id, o.first, o.people FROM rel_rows AS r JOIN (SELECT label, kept, row, min(id) AS first, "
      "count(*) AS "
      "people FROM org_rows GROUP BY label, kept, row) AS o ON o.row = r.row AND o.label = r.label AND "
      "o.kept = r.kept",
      [&](const data::Chunk& chunk) {
        for (std::size_t row = 0; row < chunk.rows(); ++row) {
          const auto person = numbers.find(chunk.text(0, row)), donor = numbers.find(chunk.text(1, row));
          if (person && donor) draws.push_back({*person, *donor, chunk.integers(2)[row] == 1});
        }
      });
  return draws;
}

void check_own_rows(const Manifest& manifest, const data::Spec& spec, const std::vector<SeenDraw>& draws,
                    Findings& findings) {
  const auto n = static_cast<double>(draws.size());
  const auto own = static_cast<double>(std::ranges::count_if(
      draws, [](const SeenDraw& draw) { return draw.donor_is_known && draw.donor == draw.person; }));
  const double allowed = spec.channel.most_own_rows + hoeffding_radius(n, n, kOdds);
  const std::string seen = fmt::format("{:.2f} of the people", own / n);
  if (manifest.accepted_leakage)
    findings.add(rule("own-rows-plausible"), true,
                 seen + "; the publisher accepted what the spec does not allow");
  else
    findings.add(rule("own-rows-plausible"), own / n <= allowed,
                 fmt::format("{}; channel.most_own_rows = {}, by chance at most {:.2f}", seen,
                             spec.channel.most_own_rows, std::min(allowed, 1.0)));
}

struct MeanDistance {
  double mean = 0, squared_ranges = 0;
};

MeanDistance mean_distance_seen(const data::SparseRows& rows, data::Distance kind,
                                const std::vector<SeenDraw>& draws, const Progress& progress) {
  double greatest_norm = 0;
  for (std::size_t u = 0; u < rows.size(); ++u) greatest_norm = std::max(greatest_norm, norm_of(rows[u]));
  constexpr std::size_t kBlock = 1024;
  std::vector<MeanDistance> parts(block_count(draws.size(), kBlock));
  parallel_blocks(draws.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    MeanDistance& part = parts[begin / kBlock];
    for (std::size_t n = begin; n < end; ++n) {
      const auto [person, donor, known] = draws[n];
      if (person != donor) part.mean += row_distance(kind, rows[person], rows[donor], rows.columns);
      const double range = greatest_distance(kind, norm_of(rows[person]), greatest_norm);
      part.squared_ranges += range * range;
    }
  });
  MeanDistance all;
  for (const MeanDistance& part : parts) {
    all.mean += part.mean / static_cast<double>(draws.size());
    all.squared_ranges += part.squared_ranges;
  }
  return all;
}

void check_distance(const Manifest& manifest, const data::People& people, const std::vector<SeenDraw>& draws,
                    const Progress& progress, Findings& findings) {
  const auto kind = data::word_named<data::Distance>(manifest.distance);
  const double stated = manifest.leakage.distance;
  if (!kind || !std::isfinite(stated)) {
    findings.add(rule("distance-plausible"), false, "the manifest states no distance that is known");
    return;
  }
  const MeanDistance seen = mean_distance_seen(people.features, *kind, draws, progress);
  constexpr double kRounding = 1e-6;  // of Jensen-Shannon distances as fit adds them up
  const double radius =
      stated > 0
          ? hoeffding_radius(seen.squared_ranges, static_cast<double>(draws.size()), kOdds / 2) + kRounding
          : kRounding;  // what is 0 in expectation is 0
  const double least = step_before(stated) - radius, most = stated + radius;
  findings.add(rule("distance-plausible"), seen.mean >= least && seen.mean <= most,
               fmt::format("{:.6f} on average; as stated and by chance {:.6f} to {:.6f}", seen.mean,
                           std::max(least, 0.0), most));
}

/// How many people of a pool (same group, same kept cells) have a secret.
using PeopleOfSecret = std::map<std::uint32_t, double>;

void check_dependence(const Manifest& manifest, const data::People& people,
                      const std::vector<SeenDraw>& draws, const std::vector<std::uint32_t>& pool_of_person,
                      Findings& findings) {
  std::map<std::uint32_t, PeopleOfSecret> pools;
  std::map<std::uint32_t, double> size;
  for (std::uint32_t u = 0; u < people.size(); ++u) {
    pools[pool_of_person[u]][people.secrets[u]] += 1;
    size[pool_of_person[u]] += 1;
  }
  double same = 0, same_by_chance = 0;
  for (const SeenDraw& draw : draws) {
    const std::uint32_t pool = pool_of_person[draw.person], secret = people.secrets[draw.donor];
    same += people.secrets[draw.person] == secret ? 1 : 0;
    same_by_chance += pools[pool][secret] / size[pool];
  }
  const auto n = static_cast<double>(draws.size());
  const double radius = hoeffding_radius(n, n, kOdds / 2);
  const double p = std::max(same / n - radius, 0.0), q = std::min(same_by_chance / n + radius, 1.0);
  const double proven = p > q ? coin_divergence(p, q) / std::numbers::ln2 : 0;
  constexpr double kRounding = 2e-4;  // H(G) is stated to four decimals
  findings.add(
      rule("dependence-plausible"), proven <= manifest.leakage.leakage_added + kRounding,
      fmt::format("{:.2f} of the donors have the person's secret, {:.2f} would without regard to it: that is "
                  "at least {:.4f} bits, {} are stated",
                  same / n, same_by_chance / n, proven, manifest.leakage.leakage_added));
}

/// People by group and kept cells, numbered.
std::vector<std::uint32_t> pools_of_people(const Original& original) {
  const data::People& people = original.reading.people;
  std::map<std::string, std::uint32_t> group_of_label;
  std::vector<std::uint32_t> pool(people.size(), 0);
  const data::IdNumbers numbers(people.ids);
  original.engine.query(
      "SELECT id, label FROM org_people WHERE label IS NOT NULL", [&](const data::Chunk& chunk) {
        for (std::size_t row = 0; row < chunk.rows(); ++row) {
          const auto person = numbers.find(chunk.text(0, row));
          if (!person) continue;
          const auto label =
              group_of_label.try_emplace(std::string(chunk.text(1, row)), group_of_label.size()).first;
          pool[*person] =
              label->second * people.kept_combinations + (people.kept.empty() ? 0 : people.kept[*person]);
        }
      });
  return pool;
}

}  // namespace

void check_spec(const Manifest& manifest, const data::Spec& spec, Findings& findings) {
  const published::Limits& limits = manifest.limits;
  std::vector<std::string> wrong;
  if (!same_interval(limits.least_people, limits.most_people, spec.groups.people))
    wrong.push_back(fmt::format("groups.people = [{}, {}], and the release states {}",
                                (*spec.groups.people)[0], (*spec.groups.people)[1],
                                limits_text(limits.least_people, limits.most_people)));
  if (!same_interval(limits.least_values, limits.most_values, spec.groups.values))
    wrong.push_back(fmt::format("groups.values = [{}, {}], and the release states {}",
                                (*spec.groups.values)[0], (*spec.groups.values)[1],
                                limits_text(limits.least_values, limits.most_values)));
  if (!spec.people.keep.empty() && limits.for_pools != (spec.groups.limits_for == data::LimitsFor::Pools))
    wrong.push_back(fmt::format("groups.limits_for = \"{}\", and the release states the other",
                                data::word(spec.groups.limits_for)));
  findings.add(
      rule("spec-limits"), wrong,
      spec.groups.people && spec.groups.values ? "as the spec has them" : "as far as the spec has them");

  std::vector<std::string> other;
  const auto expect = [&](const char* key, const std::string& asked, const std::string& stated) {
    if (asked != stated)
      other.push_back(fmt::format("{} = \"{}\", and the release states another", key, asked));
  };
  expect("method.name", spec.method.name, manifest.method);
  expect("method.objective", data::word(spec.method.objective), manifest.objective);
  expect("channel.distance", data::word(spec.channel.distance), manifest.distance);
  expect("release.rows", data::word(spec.release.rows), data::word(manifest.rows));
  if (manifest.rows == data::PublishedRows::Composed && manifest.composed.owners != spec.release.owners)
    other.push_back(fmt::format("release.owners = {}, and the release states {}", spec.release.owners,
                                manifest.composed.owners));
  findings.add(rule("spec-method"), other, fmt::format("{}, {}", manifest.method, manifest.distance));
}

void check_leakage_bounds(const Manifest& manifest, const data::People& people, Findings& findings) {
  std::size_t values = 0;
  const double entropy = entropy_of(people.exact_secrets(), values);
  const published::ManifestLeakage& stated = manifest.leakage;
  std::vector<std::string> wrong;
  constexpr double kRounding = 2e-4;  // H(G) is stated to four decimals
  if (!(stated.leakage_groups <= entropy + kRounding))
    wrong.push_back(fmt::format("leakage_groups_bits = {}, and the secrets have {:.4f} bits in all",
                                stated.leakage_groups, entropy));
  const auto n = static_cast<double>(people.size());
  const double before = step_before(stated.leakage_added);
  if (!(before <= entropy - stated.leakage_groups + kRounding || before < least_leakage_step(n)))
    wrong.push_back(fmt::format("leakage_added_bits = {}, and the groups leave {:.4f} bits to leak",
                                stated.leakage_added, entropy - stated.leakage_groups));
  findings.add(
      rule("leakage-bounds"), wrong,
      fmt::format(
          "H(Y) = {:.4f} bits; a guess of the exact secret is wrong for at least {:.2f} of the people",
          entropy, least_error(entropy - stated.leakage, static_cast<double>(values))));
}

void check_draws(const Manifest& manifest, const Original& original, const Progress& progress,
                 Findings& findings) {
  if (manifest.ids != data::PublishedIds::Keep) return;
  progress.report("comparing draws with what is stated of them", 0, 0);
  const std::vector<SeenDraw> draws = seen_draws(original);
  if (draws.empty()) return;  // nobody has the features of anybody: other checks say so
  const data::People& people = original.reading.people;
  check_own_rows(manifest, original.spec, draws, findings);
  check_distance(manifest, people, draws, progress, findings);
  check_dependence(manifest, people, draws, pools_of_people(original), findings);
}

}  // namespace hyobscure::verify
