#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "hyobscure/base/files.h"
#include "hyobscure/published/coarse.h"
#include "hyobscure/published/dictionary.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify.h"

namespace hyobscure::verify {

inline std::vector<std::string> failed(const Verification& verification) {
  std::vector<std::string> names;
  for (const Check& check : verification.checks)
    if (!check.passed && !check.warning) names.push_back(check.name);
  EXPECT_EQ(verification.passed(), names.empty());
  return names;
}

inline const Check& find(const Verification& verification, const std::string& name) {
  const auto found = std::ranges::find(verification.checks, name, &Check::name);
  if (found == verification.checks.end()) throw std::logic_error("no such check: " + name);
  return *found;
}

/// What a test does to a release in the folder `out`, and what verify then says.
template <class Base>
class VerifyTest : public Base {
 protected:
  Verification alone() const { return verify(this->folder_ / "out", nullptr); }
  Verification against(const data::Spec& spec) const { return verify(this->folder_ / "out", &spec); }

  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = this->content("out/" + file);
    ASSERT_THAT(text, testing::HasSubstr(from));
    this->folder_.write("out/" + file, text.replace(text.find(from), from.size(), to));
  }

  /// What a careful forger does: hashes, rows, figures and seal fit the files again.
  void reseal(const std::function<void(published::Manifest&)>& change = [](published::Manifest&) {}) const {
    published::Manifest manifest =
        published::read_manifest(this->folder_ / "out" / published::Manifest::kFileName);
    change(manifest);
    for (published::ManifestFile& file : manifest.files) {
      const auto path = this->folder_ / "out" / file.name;
      if (!std::filesystem::exists(path)) continue;
      file.sha256 = published::sha256_of_table(path);
      if (manifest.is_table(file.name) && file.name.ends_with(".csv"))
        file.rows = static_cast<std::int64_t>(this->lines("out/" + file.name).size()) - 1;
    }
    write_dictionary(manifest);
    std::int64_t people = 0;
    for (const published::Group& group : manifest.groups) people += group.people;
    published::ManifestLeakage& leakage = manifest.leakage;
    leakage.leakage_groups = published::bits_of_groups(manifest.groups);
    leakage.leakage_added = published::rounded_up_bits(leakage.leakage_added, people);
    leakage.leakage = published::sum_of_published(leakage.leakage_groups, leakage.leakage_added);
    this->folder_.write("out/manifest.json", to_json(manifest));
  }

  /// The figures stay as `change` leaves them; the seal fits.
  void restate(const std::function<void(published::Manifest&)>& change) const {
    published::Manifest manifest =
        published::read_manifest(this->folder_ / "out" / published::Manifest::kFileName);
    change(manifest);
    write_dictionary(manifest);
    this->folder_.write("out/manifest.json", to_json(manifest));
  }

 private:
  /// Both follow from the manifest: who changes it writes them again.
  void write_dictionary(published::Manifest& manifest) const {
    std::erase_if(manifest.files, [](const published::ManifestFile& file) {
      return file.name == published::Manifest::kGroupsFile || file.name == published::Manifest::kReadmeFile;
    });
    const auto files = published::dictionary(manifest);
    for (const published::DictionaryFile& file : files) this->folder_.write("out/" + file.name, file.text);
    declare(files, manifest);
  }
};

}  // namespace hyobscure::verify
