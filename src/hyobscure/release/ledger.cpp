#include "hyobscure/release/ledger.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <span>
#include <system_error>
#include <thread>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/json.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/release/plain_id.h"

namespace hyobscure::release {
namespace {

static_assert(std::endian::native == std::endian::little, "hashes are written as they lie in memory");

constexpr int kFormat = 2;
constexpr int kSampled = 1;  ///< the format that kept the 4096 smallest hashes of many people
constexpr const char* kKind = "hyobscure ledger";

// Hashes as text: 11 letters each where numbers would take 20.

std::string base64_of(const std::vector<std::uint64_t>& hashes) {
  const std::size_t bytes = hashes.size() * sizeof(std::uint64_t);
  std::string text(sodium_base64_encoded_len(bytes, sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(hashes.data()), bytes,
                    sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // the end of a C string
  return text;
}

/// Throws std::out_of_range for text that is none.
std::vector<std::uint64_t> hashes_from(const std::string& base64) {
  std::vector<unsigned char> bytes(base64.size());
  std::size_t length = 0;
  const char* end = nullptr;
  if (sodium_base642bin(bytes.data(), bytes.size(), base64.data(), base64.size(), nullptr, &length, &end,
                        sodium_base64_VARIANT_ORIGINAL) != 0 ||
      end != base64.data() + base64.size() || length % sizeof(std::uint64_t) != 0)
    throw std::out_of_range("hashes");
  std::vector<std::uint64_t> hashes(length / sizeof(std::uint64_t));
  if (length > 0) std::memcpy(hashes.data(), bytes.data(), length);
  return hashes;
}

Json entry_json(const LedgerEntry& entry) {
  Json json = {{"draw", entry.draw},       {"published", entry.published},
               {"release", entry.release}, {"mechanism", entry.mechanism},
               {"people", entry.people},   {"hashes", base64_of(entry.hashes)}};
  if (!entry.rows.empty()) json["rows"] = base64_of(entry.rows);
  return json;
}

/// Throws std::out_of_range where there are more hashes than people.
LedgerEntry entry_from(const Json& json, int format) {
  LedgerEntry entry{.draw = json.at("draw"),
                    .published = json.at("published"),
                    .release = json.at("release"),
                    .mechanism = json.at("mechanism"),
                    .people = json.at("people")};
  if (format == kSampled)
    entry.hashes = json.at("sample").get<std::vector<std::uint64_t>>();
  else
    entry.hashes = hashes_from(json.at("hashes"));
  if (json.contains("rows")) entry.rows = hashes_from(json.at("rows"));
  if (entry.people < 0 || entry.hashes.size() > static_cast<std::size_t>(entry.people) ||
      entry.rows.size() > entry.hashes.size())
    throw std::out_of_range("people");
  std::ranges::sort(entry.hashes);
  return entry;
}

[[noreturn]] void throw_damaged(const std::filesystem::path& file) {
  throw InputError({.source = file.string()}, "this is not a ledger of published draws, or it is damaged",
                   "Restore it from a copy, or name another file in release.ledger.");
}

/// A pipe would be waited for without end, and what two names stand for would part.
void refuse_special_file(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file))
    throw InputError({.source = file.string()}, "is no regular file, so it cannot be a ledger",
                     "Name another file in release.ledger.");
  if (std::filesystem::hard_link_count(file) > 1)
    throw InputError(
        {.source = file.string()},
        "has a second name (a hard link), and a publication under that name would not see this one",
        "Keep one name of it: remove the other, or make it a symbolic link.");
}

/// Absolute, or empty where there is nothing.
std::string place_of(const std::filesystem::path& path) {
  return path.empty() ? std::string() : std::filesystem::absolute(path).string();
}

double share_in(const LedgerEntry& entry, const std::vector<std::uint64_t>& hashes) {
  std::vector<std::uint64_t> common;
  std::ranges::set_intersection(hashes, entry.hashes, std::back_inserter(common));
  return entry.hashes.empty() ? 0
                              : static_cast<double>(common.size()) / static_cast<double>(entry.hashes.size());
}

}  // namespace

std::uint64_t hash_of_person(const NamedDraws& hash, std::string_view id) {
  return hash.bits(plain_id(id)).first;
}

std::string name_in_ledger(const Key& key) { return key.derive("name of the draws").text(); }

Ledger Ledger::read(const std::filesystem::path& file) {
  Ledger ledger;
  if (!std::filesystem::exists(file)) return ledger;
  refuse_special_file(file);
  const std::string text = read_file(file);
  try {
    const Json json = parse_json(text);
    const int format = json.at("format");
    if (json.at("kind") != kKind || (format != kFormat && format != kSampled)) throw_damaged(file);
    ledger.salt_ = Key::from_text(json.at("salt").get<std::string>());
    for (const Json& entry : json.at("draws")) ledger.entries_.push_back(entry_from(entry, format));
  } catch (const Json::exception&) {
    throw_damaged(file);
  } catch (const std::out_of_range&) {
    throw_damaged(file);
  } catch (const InputError&) {  // of the salt
    throw_damaged(file);
  }
  return ledger;
}

void Ledger::write(const std::filesystem::path& file) const {
  Json json = {{"kind", kKind},
               {"format", kFormat},
               {"private", "reveals who is in the data to anyone who can guess their ids"},
               {"salt", salt_.text()},
               {"draws", Json::array()}};
  for (const LedgerEntry& entry : entries_) json["draws"].push_back(entry_json(entry));
  write_file(end_of_links(file), json.dump() + "\n", FileAccess::OwnerOnly);
}

std::vector<EarlierDraw> Ledger::earlier(const data::People& people, const Key& key) const {
  std::vector<EarlierDraw> draws;
  if (entries_.empty()) return draws;
  const auto present = hashes_now_and_before(people);
  for (const LedgerEntry& entry : entries_) {
    if (entry.is_draw_of(key)) continue;
    const double share = share_in(entry, present);
    if (share <= 0) continue;
    draws.push_back({.entry = entry, .share = share});
    compare_rows(people, draws.back());
  }
  return draws;
}

void Ledger::add(const data::People& people, const Key& key, const std::filesystem::path& release,
                 const std::string& mechanism) {
  const auto known = std::ranges::find(entries_, name_in_ledger(key), &LedgerEntry::draw);
  if (known != entries_.end()) {
    if (!known->is_complete()) known->hashes = hashes(people);
    return;
  }
  LedgerEntry entry{.draw = name_in_ledger(key),
                    .published = fmt::format(
                        "{:%Y-%m-%d %H:%M:%S}",
                        fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()))),
                    .release = place_of(release),
                    .mechanism = std::filesystem::exists(mechanism) ? place_of(mechanism) : "",
                    .people = static_cast<std::int64_t>(people.size()),
                    .hashes = hashes(people),
                    .rows = sampled_rows(people)};
  entries_.push_back(std::move(entry));
}

std::vector<std::uint64_t> Ledger::hashes(const data::People& people) const {
  const NamedDraws hash(salt_);
  std::vector<std::uint64_t> all(people.size());
  parallel_blocks(people.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) all[u] = hash_of_person(hash, people.ids[u]);
  });
  std::ranges::sort(all);
  return all;
}

namespace {

constexpr std::size_t kSampledRows = 1024;

/// Items and values of a row, keyed; 0: there are none. Values are rounded: numbers of wide tables are scaled
/// by the smallest and the largest, so that an edit of one person moves those of all a little.
std::uint64_t hash_of_row(const NamedDraws& hash, data::SparseRows::Row row) {
  constexpr double kSteps = 64;
  if (row.items.empty()) return 0;
  std::string bytes;
  const auto append = [&](const auto& number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (std::size_t n = 0; n < row.items.size(); ++n) {
    append(row.items[n]);
    append(std::round(kSteps * row.values[n]));
  }
  return hash.bits(bytes).first;
}

}  // namespace

std::vector<std::uint64_t> Ledger::sampled_rows(const data::People& people) const {
  if (people.features.size() != people.size()) return {};
  const NamedDraws hash(salt_), hash_of_rows(salt_.derive("rows"));
  std::vector<std::pair<std::uint64_t, std::size_t>> all(people.size());
  for (std::size_t u = 0; u < people.size(); ++u) all[u] = {hash_of_person(hash, people.ids[u]), u};
  const std::size_t sampled = std::min(kSampledRows, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(sampled));
  std::vector<std::uint64_t> rows(sampled);
  for (std::size_t n = 0; n < sampled; ++n)
    rows[n] = hash_of_row(hash_of_rows, people.features[all[n].second]);
  return rows;
}

void Ledger::compare_rows(const data::People& people, EarlierDraw& draw) const {
  if (draw.entry.rows.empty() || people.features.size() != people.size()) return;
  const NamedDraws hash(salt_), hash_of_rows(salt_.derive("rows"));
  const std::span<const std::uint64_t> sampled = std::span(draw.entry.hashes).first(draw.entry.rows.size());
  for (std::size_t u = 0; u < people.size(); ++u) {
    const auto found = std::ranges::lower_bound(sampled, hash_of_person(hash, people.ids[u]));
    if (found == sampled.end() || *found != hash_of_person(hash, people.ids[u])) continue;
    const std::uint64_t before = draw.entry.rows[static_cast<std::size_t>(found - sampled.begin())];
    const std::uint64_t now = hash_of_row(hash_of_rows, people.features[u]);
    if (before == 0 || now == 0) continue;
    ++draw.rows_compared;
    draw.rows_same += before == now ? 1 : 0;
  }
}

std::vector<std::uint64_t> Ledger::hashes_now_and_before(const data::People& people) const {
  const NamedDraws hash(salt_);
  std::vector<std::uint64_t> all = hashes(people);
  for (const std::string& id : people.ids)
    if (plain_id(id) != id) all.push_back(hash.bits(id).first);
  std::ranges::sort(all);
  return all;
}

bool LedgerEntry::is_draw_of(const Key& key) const { return draw == name_in_ledger(key); }

std::filesystem::path end_of_links(std::filesystem::path file) {
  constexpr int kMostLinks = 40;  // as the system has it
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(file); ++links)
    file = file.parent_path() / std::filesystem::read_symlink(file);
  return file;
}

namespace {

/// Whether the locked file still has its name: the process that had it before may have taken it away.
bool is_still_there(int descriptor, const std::filesystem::path& file) {
  struct stat locked{}, named{};
  return ::fstat(descriptor, &locked) == 0 && ::stat(file.c_str(), &named) == 0 &&
         locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

[[noreturn]] void throw_no_lock(const std::filesystem::path& file, int error) {
  throw InputError({.source = file.string()},
                   "cannot be locked, so that two publications at once would not see each other: " +
                       std::generic_category().message(error),
                   "Name a ledger in a folder of yours on a disk with locks (release.ledger).");
}

/// The descriptor of the locked file, or -1 while somebody else has it.
int try_to_lock(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) throw_no_lock(file, errno);
  const int error = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (error == 0 && is_still_there(descriptor, file)) return descriptor;
  ::close(descriptor);
  if (error != 0 && error != EWOULDBLOCK && error != EINTR) throw_no_lock(file, error);
  return -1;
}

}  // namespace

LedgerLock::LedgerLock(const std::filesystem::path& ledger, const Progress& progress)
    : file_(end_of_links(ledger).string() + ".lock") {
  while ((descriptor_ = try_to_lock(file_)) < 0) {
    progress.report("waiting for another publication", 0, 0);
    progress.throw_if_stopped();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

LedgerLock::~LedgerLock() {
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace hyobscure::release
