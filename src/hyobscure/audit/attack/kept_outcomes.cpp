#include "hyobscure/audit/attack/kept_outcomes.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"

namespace hyobscure::audit {
namespace {

constexpr std::string_view kHeading = "hyobscure audit outcomes 1: ";

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

void add(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Name, numbers, checksum; each with its length.
std::string record_of(const std::string& name, const std::vector<double>& outcome) {
  std::string bytes;
  add(bytes, name.size());
  add(bytes, outcome.size());
  bytes += name;
  bytes.append(reinterpret_cast<const char*>(outcome.data()), outcome.size() * sizeof(double));
  add(bytes, checksum(bytes));
  return bytes;
}

/// Takes records off the front of what a file holds.
class Records {
 public:
  explicit Records(std::string_view bytes) : rest_(bytes) {}

  /// Nothing at the end, or where a record is cut off or damaged.
  std::optional<std::pair<std::string, std::vector<double>>> next() {
    const std::string_view begin = rest_;
    const auto name_size = number(), count = number();
    if (!name_size || !count || *name_size > rest_.size() ||
        *count > (rest_.size() - *name_size) / sizeof(double))
      return std::nullopt;
    std::pair<std::string, std::vector<double>> record{rest_.substr(0, *name_size),
                                                       std::vector<double>(*count)};
    if (*count > 0) std::memcpy(record.second.data(), rest_.data() + *name_size, *count * sizeof(double));
    rest_.remove_prefix(*name_size + *count * sizeof(double));
    const std::string_view body = begin.substr(0, begin.size() - rest_.size());
    if (number() != checksum(body)) return std::nullopt;
    good_ += begin.size() - rest_.size();
    return record;
  }

  std::size_t good() const { return good_; }  ///< bytes of whole records

 private:
  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof value) return std::nullopt;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }

  std::string_view rest_;
  std::size_t good_ = 0;
};

}  // namespace

KeptOutcomes::KeptOutcomes(std::filesystem::path file, const std::string& of) : file_(std::move(file)) {
  const std::string heading = fmt::format("{}{}\n", kHeading, of);
  if (!std::filesystem::exists(file_)) {
    check_output_file(file_, false);
    write_file(file_, heading, FileAccess::OwnerOnly);
    return;
  }
  const std::string content = read_file(file_);
  if (!content.starts_with(kHeading))
    throw InputError({.source = file_.string()}, "holds no outcomes of an audit",
                     "Name another file: this one stays as it is.");
  if (!content.starts_with(heading))
    throw InputError({.source = file_.string()},
                     "holds the outcomes of another audit: another release, mechanism, data, settings of "
                     "[audit] or version of the program",
                     "Give what that audit was given, or remove the file.");
  Records records(std::string_view(content).substr(heading.size()));
  while (auto record = records.next()) outcomes_.insert(std::move(*record));
  std::filesystem::resize_file(file_, heading.size() + records.good());
}

std::vector<double> KeptOutcomes::get(const std::string& name,
                                      const std::function<std::vector<double>()>& compute) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = outcomes_.find(name); found != outcomes_.end()) return found->second;
  }
  std::vector<double> outcome = compute();
  const std::lock_guard lock(mutex_);
  append(name, outcome);
  outcomes_.insert_or_assign(name, outcome);
  ++computed_;
  return outcome;
}

bool KeptOutcomes::has(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return outcomes_.contains(name);
}

std::size_t KeptOutcomes::size() const {
  const std::lock_guard lock(mutex_);
  return outcomes_.size();
}

std::size_t KeptOutcomes::computed() const {
  const std::lock_guard lock(mutex_);
  return computed_;
}

void KeptOutcomes::append(const std::string& name, const std::vector<double>& outcome) {
  if (file_.empty()) return;
  std::ofstream out(file_, std::ios::binary | std::ios::app);
  const std::string record = record_of(name, outcome);
  out.write(record.data(), static_cast<std::streamsize>(record.size()));
  out.flush();
  if (!out)
    throw InputError({.source = file_.string()}, "cannot be written", "Make room, or name another file.");
}

std::vector<double> outcome_of(KeptOutcomes* kept, const std::string& name,
                               const std::function<std::vector<double>()>& compute) {
  return kept == nullptr ? compute() : kept->get(name, compute);
}

}  // namespace hyobscure::audit
