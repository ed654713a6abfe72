#include "hyobscure/release/ledger.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/json.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::release {
namespace {

constexpr int kFormat = 1;
constexpr const char* kKind = "hyobscure ledger";

std::string name_of(const Key& key) { return key.derive("name of the draws").text(); }

Json entry_json(const LedgerEntry& entry) {
  return {{"draw", entry.draw},           {"published", entry.published}, {"release", entry.release},
          {"mechanism", entry.mechanism}, {"people", entry.people},       {"sample", entry.sample}};
}

LedgerEntry entry_from(const Json& json) {
  LedgerEntry entry{.draw = json.at("draw"),
                    .published = json.at("published"),
                    .release = json.at("release"),
                    .mechanism = json.at("mechanism"),
                    .people = json.at("people"),
                    .sample = json.at("sample")};
  std::ranges::sort(entry.sample);
  return entry;
}

[[noreturn]] void throw_damaged(const std::filesystem::path& file) {
  throw InputError({.source = file.string()}, "this is not a ledger of published draws, or it is damaged",
                   "Restore it from a copy, or name another file in release.ledger.");
}

/// Hashes above the largest of a full sample were not taken into it.
std::uint64_t limit_of(const LedgerEntry& entry) {
  return entry.sample.size() < Ledger::kSample ? std::numeric_limits<std::uint64_t>::max()
                                               : entry.sample.back();
}

double share_in(const LedgerEntry& entry, const std::vector<std::uint64_t>& hashes) {
  const auto end = std::ranges::upper_bound(hashes, limit_of(entry));
  std::vector<std::uint64_t> common;
  std::set_intersection(hashes.begin(), end, entry.sample.begin(), entry.sample.end(),
                        std::back_inserter(common));
  return entry.sample.empty() ? 0
                              : static_cast<double>(common.size()) / static_cast<double>(entry.sample.size());
}

}  // namespace

Ledger Ledger::read(const std::filesystem::path& file) {
  Ledger ledger;
  if (!std::filesystem::exists(file)) return ledger;
  const std::string text = read_file(file);
  try {
    const Json json = Json::parse(text);
    if (json.at("kind") != kKind || json.at("format") != kFormat) throw_damaged(file);
    ledger.salt_ = Key::from_text(json.at("salt").get<std::string>());
    for (const Json& entry : json.at("draws")) ledger.entries_.push_back(entry_from(entry));
  } catch (const Json::exception&) {
    throw_damaged(file);
  }
  return ledger;
}

void Ledger::write(const std::filesystem::path& file) const {
  Json json = {{"kind", kKind},
               {"format", kFormat},
               {"private", "tells who is in the data to whoever can guess their ids"},
               {"salt", salt_.text()},
               {"draws", Json::array()}};
  for (const LedgerEntry& entry : entries_) json["draws"].push_back(entry_json(entry));
  write_file(file, json.dump() + "\n", FileAccess::OwnerOnly);
}

std::vector<EarlierDraw> Ledger::earlier(const data::People& people, const Key& key) const {
  std::vector<EarlierDraw> draws;
  if (entries_.empty()) return draws;
  const auto present = hashes(people);
  for (const LedgerEntry& entry : entries_) {
    if (entry.draw == name_of(key)) continue;
    if (const double share = share_in(entry, present); share > 0) draws.push_back({entry, share});
  }
  return draws;
}

void Ledger::add(const data::People& people, const Key& key, const std::filesystem::path& release,
                 const std::string& mechanism) {
  if (std::ranges::find(entries_, name_of(key), &LedgerEntry::draw) != entries_.end()) return;
  LedgerEntry entry{.draw = name_of(key),
                    .published = fmt::format(
                        "{:%Y-%m-%d %H:%M:%S}",
                        fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()))),
                    .release = std::filesystem::absolute(release).string(),
                    .mechanism = std::filesystem::absolute(mechanism).string(),
                    .people = static_cast<std::int64_t>(people.size()),
                    .sample = hashes(people)};
  entry.sample.resize(std::min(entry.sample.size(), kSample));
  entries_.push_back(std::move(entry));
}

std::vector<std::uint64_t> Ledger::hashes(const data::People& people) const {
  const NamedDraws hash(salt_);
  std::vector<std::uint64_t> all(people.size());
  parallel_blocks(people.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) all[u] = hash.bits(people.ids[u]).first;
  });
  std::ranges::sort(all);
  return all;
}

}  // namespace hyobscure::release
