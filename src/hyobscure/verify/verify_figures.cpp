#include "hyobscure/verify/verify_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// The rules of coarse.h, stated once more: what wrote the figures must not decide whether they are coarse.

namespace hyobscure::verify {
namespace {

/// 1, 2 or 5 times a power of ten, by its shortest text.
bool has_one_coarse_digit(double x) {
  if (!std::isfinite(x) || x <= 0) return false;
  std::string digits = fmt::format("{}", x);
  digits.erase(std::min(digits.find('e'), digits.size()));
  std::erase_if(digits, [](char letter) { return letter == '.' || letter == '0'; });
  return digits == "1" || digits == "2" || digits == "5";
}

bool is_coarse_leakage(double bits, double people) {
  return std::isnan(bits) /* not stated */ ||
         (has_one_coarse_digit(bits) && bits >= least_leakage_step(people));
}

bool is_coarse_distance_text(double distance) {
  return std::isnan(distance) || distance == 0 || has_one_coarse_digit(distance);
}

/// H(G) of the declared people, with at most four decimals.
bool is_entropy_of_groups(double bits, const published::Manifest& manifest, double people) {
  double entropy = 0;
  for (const published::Group& group : manifest.groups)
    if (group.people > 0) {
      const double size = static_cast<double>(group.people);
      entropy += size / people * std::log2(people / size);
    }
  return std::abs(bits - entropy) <= 1.1e-4 && std::abs(bits * 1e4 - std::round(bits * 1e4)) < 1e-7;
}

double people_of_groups(const published::Manifest& manifest) {
  double people = 0;
  for (const published::Group& group : manifest.groups) people += static_cast<double>(group.people);
  return people;
}

}  // namespace

double least_leakage_step(double people) {
  const double n = std::max(people, 2.0);
  return std::max(0.001, 10 * std::log2(n) / n);
}

double step_before(double step) {
  if (!(step > 0)) return 0;
  const double unit = std::pow(10, std::floor(std::log10(step) + 1e-9));
  const double digit = std::round(step / unit);
  return digit == 1 ? unit / 2 : digit == 2 ? unit : 2 * unit;
}

bool is_rounded_up(StatedFigure stated, Between number) {
  const double room = 1e-6 * std::max(1.0, std::abs(number.high));
  const double before = step_before(stated.value);
  return stated.value >= number.low - room && (before < number.high + room || before < stated.least);
}

void check_group_figures(const published::Manifest& manifest, Findings& findings) {
  const double people = people_of_groups(manifest);
  const published::ManifestLeakage& leakage = manifest.leakage;
  std::vector<std::string> wrong;
  if (!is_entropy_of_groups(leakage.leakage_groups, manifest, people))
    wrong.push_back("leakage_groups_bits is not the entropy of the groups to four decimals");
  const bool both = std::isfinite(leakage.leakage) == std::isfinite(leakage.leakage_added);
  if (!both || (std::isfinite(leakage.leakage) &&
                !(std::abs(leakage.leakage - leakage.leakage_groups - leakage.leakage_added) <= 1e-9)))
    wrong.push_back("leakage_bits is not the sum of its two parts");
  findings.add(rule("group-figures"), wrong,
               fmt::format("H(G) = {} bits of {} people", leakage.leakage_groups, people));
}

void check_figures(const published::Manifest& manifest, Findings& findings) {
  const double people = people_of_groups(manifest);
  const published::ManifestLeakage& leakage = manifest.leakage;
  std::vector<std::string> fine;
  if (!is_coarse_leakage(leakage.leakage_added, people)) fine.push_back("leakage_added_bits is too fine");
  if (!is_coarse_distance_text(leakage.distance)) fine.push_back("distance is too fine");
  if (!is_coarse_leakage(manifest.composition.leakage, people))
    fine.push_back("leakage_together_bits is too fine");
  if (!manifest.says_nothing_else) fine.push_back("the manifest says more than publish writes");
  findings.add(rule("coarse-figures"), fine, "rounded up to 1, 2 or 5 times a power of ten");
}

}  // namespace hyobscure::verify
