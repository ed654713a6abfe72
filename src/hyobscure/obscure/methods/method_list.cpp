#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hyobscure/obscure/methods/method.h"

// A new method is a file with a function NAME_method(), and a line here. The first is the default.
#define HYOBSCURE_METHODS(METHOD) \
  METHOD(fine)                    \
  METHOD(exact)                   \
  METHOD(hyobscure)               \
  METHOD(xobf)                    \
  METHOD(ygen)                    \
  METHOD(privcheck)               \
  METHOD(dp)                      \
  METHOD(simp)                    \
  METHOD(frapp)                   \
  METHOD(random)

namespace hyobscure::obscure {

#define HYOBSCURE_DECLARE(name) Method name##_method();
#define HYOBSCURE_MAKE(name) name##_method(),

HYOBSCURE_METHODS(HYOBSCURE_DECLARE)

namespace {

std::vector<Method>& method_list() {
  static std::vector<Method> list = {HYOBSCURE_METHODS(HYOBSCURE_MAKE)};
  return list;
}

}  // namespace

const std::vector<Method>& methods() { return method_list(); }

void add_method(Method method) { method_list().push_back(std::move(method)); }

const Method& method_named(const std::string& name, const std::string& source) {
  const auto found = std::ranges::find(methods(), name, &Method::name);
  if (found != methods().end()) return *found;
  std::vector<std::string> names;
  for (const Method& method : methods()) names.push_back(method.name);
  throw InputError({.source = source}, fmt::format("expected one of \"{}\"", fmt::join(names, "\", \"")),
                   "Correct the value.");
}

void refuse_other_method(const Mechanism& mechanism) {
  const auto named = std::ranges::find(methods(), mechanism.method, &Method::name);
  if (named == methods().end() || !std::ranges::all_of(mechanism.channels, named->makes))
    throw InputError({.source = mechanism.source},
                     "is not of the method that it names: its channels are other ones",
                     "It was edited or damaged. Give the file that `hyobscure fit` wrote, or run fit again.");
}

const Method& method_of(const data::Spec& spec) {
  return method_named(spec.method.name, spec.place_of("method.name"));
}

}  // namespace hyobscure::obscure
