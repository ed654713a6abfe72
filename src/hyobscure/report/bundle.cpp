#include "hyobscure/report/bundle.h"

#include <fmt/format.h>

#include <Eigen/Core>

#include "hyobscure/base/files.h"
#include "hyobscure/base/json.h"
#include "hyobscure/base/version.h"
#include "hyobscure/base/zip.h"
#include "hyobscure/data/engine/engine_version.h"
#include "hyobscure/learn/xgboost_version.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/published/signature.h"
#include "hyobscure/report/html.h"
#include "hyobscure/report/shared_facts.h"

namespace hyobscure::report {
namespace {

constexpr const char* kReadme =
    R"(An audit of a release by HyObscure, for a party that is to judge or repeat it.

report.html    everything about the release on one page: open it in a browser
facts.json     the same facts for programs ("Report facts" of docs/formats.md)
manifest.json  what the release says of itself, byte for byte, with the hashes of its files
spec.toml      the settings that were given, without folders, SQL and seeds
versions.json  the program and the libraries that computed
SHA256SUMS     of the files in this archive: sha256sum -c SHA256SUMS

Evidence, not a verdict. The context is printed as the publisher stated it.

What is not here
  The original data, the release itself, the mechanism, its key and the ledger. Counts finer than the
  groups, details of checks, and the date. Exact figures are coarse: what an attacker achieves is
  rounded up, what the groups give alone is rounded down; figures of attacks have two digits. They are
  still figures about the secrets: this archive is for auditors, not for the public.

How to repeat the audit
  1. Ask the publisher for the release and, under an agreement, for the original data.
     Install hyobscure {version}, with the libraries of versions.json where figures are to agree in all digits.
  2. Put the original files beside spec.toml, under the names that it has, or change the names.
  3. hyobscure verify RELEASE --against spec.toml
     Its checks are those of facts.json. The hashes of the files are those of manifest.json.
  4. hyobscure audit spec.toml RELEASE --report mine.html
     attacks this one release, where its ids are kept. Draws of its mechanism, the informed attacker and
     the leakage in bits take the mechanism, which stays with the publisher: with `-m MECHANISM`, at
     the publisher's, the same command repeats everything, and `verify ... -m MECHANISM` draws again.
)";

std::string versions() {
  return Json({{"hyobscure", version()},
               {"duckdb", data::engine_version()},
               {"xgboost", learn::xgboost_version()},
               {"eigen",
                fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
               {"compiler", __VERSION__}})
             .dump(2) +
         "\n";
}

std::string sums_of(const std::vector<ZipFile>& files) {
  std::string sums;
  for (const ZipFile& file : files) sums += fmt::format("{}  {}\n", sha256(file.content), file.name);
  return sums;
}

}  // namespace

std::string bundle(const std::string& facts, const data::Spec& spec, const std::filesystem::path& release) {
  const std::filesystem::path manifest_file = release / published::Manifest::kFileName;
  const Json shared = shared_facts(parse_json(facts), spec, published::read_manifest(manifest_file));
  std::vector<ZipFile> files = {
      {"README.txt", fmt::format(fmt::runtime(kReadme), fmt::arg("version", version()))},
      {"report.html", html_report(shared.dump())},
      {"facts.json", shared.dump(2) + "\n"},
      {"manifest.json", read_file(manifest_file)},
      {"spec.toml", shared_spec(spec)},
      {"versions.json", versions()}};
  const std::filesystem::path signature = release / published::Signature::kFileName;
  if (std::filesystem::exists(signature))
    files.push_back({signature.filename().string(), read_file(signature)});
  files.push_back({"SHA256SUMS", sums_of(files)});
  return zip_of(files);
}

}  // namespace hyobscure::report
