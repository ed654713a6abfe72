#include "hyobscure/base/files.h"
#include "hyobscure/obscure/leakage/recomputed.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/obscure/mechanism/misfit.h"
#include "hyobscure/release/draw.h"
#include "made.h"
#include "target.h"

namespace hyobscure::fuzz {
namespace {

std::vector<std::string> mechanism_seeds() {
  std::vector<std::string> seeds;
  for (const MadeRun& run : made_runs())
    for (const auto& file : run.mechanisms) seeds.push_back(read_file(file));
  return seeds;
}

/// A forger seals what he writes; else everything would end at the seal.
std::string resealed_mechanism(std::string text) {
  const auto seal = text.rfind(",\n \"seal\": \"");
  return obscure::sealed(seal == text.npos ? std::move(text) : text.substr(0, seal));
}

/// What publish and audit do with a mechanism before anything is written.
void apply(const obscure::Mechanism& mechanism, const data::People& people) {
  obscure::refuse_misfit(mechanism, people);
  const auto clusters = census::assign(mechanism.clusters, people.features);
  for (const std::uint32_t donor : release::draw_donors(mechanism, people, clusters))
    if (donor >= people.size()) throw std::logic_error("a donor is nobody");
  (void)obscure::untrue_statements(mechanism, people, clusters);
}

void take_mechanism(std::string_view bytes) {
  const obscure::Mechanism mechanism =
      obscure::parse_mechanism(resealed_mechanism(std::string(bytes)), "mechanism");
  (void)obscure::shortfalls(mechanism);
  (void)obscure::mechanism_content(mechanism);
  bool applied = false;  // it was made for the people of one run
  for (const MadeRun& run : made_runs())
    applied |= is_answered([&] { apply(mechanism, run.reading.people); });
  refuse_unless(applied);
}

}  // namespace

Target mechanism_target() { return {"mechanism", mechanism_seeds, take_mechanism, 250}; }

}  // namespace hyobscure::fuzz
