#pragma once

#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify.h"
#include "hyobscure/verify/verify_findings.h"

namespace hyobscure::verify {

/// What the spec asks for: limits, method, objective, distance.
void check_spec(const published::Manifest& manifest, const data::Spec& spec, Findings& findings);

/// H(Y) and what follows from it: the stated leakage is one that these secrets can have.
void check_leakage_bounds(const published::Manifest& manifest, const data::People& people,
                          Findings& findings);

/// Whether the draws that are seen can have come about as the manifest says. Of each person it is known whose
/// features are published, so ids must be kept; reads rel_rows and org_rows (verify_original.h). N people
/// draw independently of each other, so the means over people of
///
///   [own row], d(person, donor), [person and donor share their secret]
///
/// are off their expectations by little (odds.h), and the expectations are promised:
///
///   own rows    at most channel.most_own_rows of the spec, unless the leakage was accepted
///   distance    above the step before the stated one, and at most the stated one
///   dependence  with p the expected share of donors with the person's secret and q what it would be if
///   donors were
///               drawn without regard to it, D(p || q) <= I(Y; V | group and kept cells) <=
///               leakage_added_bits, for [same secret] is a function of secret and donor, and D is convex in
///               both
void check_draws(const published::Manifest& manifest, const Original& original, const Progress& progress,
                 Findings& findings);

}  // namespace hyobscure::verify
