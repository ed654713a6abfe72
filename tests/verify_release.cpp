// verify_release RELEASE [SPEC] [KEY=VALUE ...]
//
// The first two modes of verify from a program that links the format of a release, the reading of data and
// the verifier, and nothing of what makes a release. Prints the keys of the checks that failed, one a line.

#include <cstdio>
#include <exception>
#include <string>

#include "hyobscure/verify/verify.h"

namespace {

using namespace hyobscure;

data::Spec read_spec(int count, char** arguments) {
  std::vector<data::Override> overrides;
  for (int n = 3; n < count; ++n) {
    const std::string text = arguments[n];
    const auto equals = text.find('=');
    if (equals == text.npos) throw InputError({.source = text}, "is no KEY=VALUE", "Give a key of the spec.");
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return data::read_spec(arguments[2], overrides);
}

int run(int count, char** arguments) {
  if (count < 2) throw InputError({.source = "verify_release"}, "RELEASE is not given", "Name its folder.");
  std::optional<data::Spec> spec;
  if (count > 2) spec = read_spec(count, arguments);
  const verify::Verification found =
      verify::verify(arguments[1], spec ? &*spec : nullptr, {}, {.threads = 1});
  for (const verify::Check& check : found.checks)
    if (!check.passed && !check.warning) std::printf("%s\n", std::string(check.key).c_str());
  return found.passed() ? 0 : 2;
}

}  // namespace

int main(int count, char** arguments) try {
  return run(count, arguments);
} catch (const std::exception& error) {
  std::fprintf(stderr, "verify_release: %s\n", error.what());
  return 2;
}
