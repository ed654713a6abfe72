#include "hyobscure/studio/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"

namespace hyobscure::studio {
namespace {

namespace fs = std::filesystem;

/// 3 of "spec-3.toml".
std::optional<int> number_of(const std::string& name) {
  constexpr std::string_view kBefore = "spec-", kAfter = ".toml";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter) || name.size() <= kBefore.size() + kAfter.size())
    return std::nullopt;
  int number = 0;
  const char* last = name.data() + name.size() - kAfter.size();
  const auto [end, error] = std::from_chars(name.data() + kBefore.size(), last, number);
  if (error != std::errc{} || end != last || number < 1 || name != Versions::spec(number))
    return std::nullopt;
  return number;
}

}  // namespace

std::string Versions::spec(int version) { return fmt::format("spec-{}.toml", version); }
std::string Versions::mechanism(int version) { return fmt::format("mechanism-{}.json", version); }
std::string Versions::release(int version) { return fmt::format("release-{}", version); }
std::string Versions::report(int version) { return fmt::format("report-{}.html", version); }

std::vector<int> Versions::all() const {
  std::vector<int> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path()))
    if (const auto number = number_of(entry.path().filename().string())) found.push_back(*number);
  std::ranges::sort(found);
  return found;
}

std::string Versions::text(int version) const { return read_file(folder_.existing(spec(version))); }

std::optional<int> Versions::find(const std::string& given) const {
  for (const int version : all())
    if (text(version) == given) return version;
  return std::nullopt;
}

int Versions::save(const std::string& given) const {
  if (const auto known = find(given)) return *known;
  const std::vector<int> known = all();
  const int next = known.empty() ? 1 : known.back() + 1;
  write_new_file(folder_.to_write(spec(next)), given, FileAccess::Everyone);
  return next;
}

}  // namespace hyobscure::studio
