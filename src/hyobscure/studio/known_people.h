#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "hyobscure/base/json.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/studio/folder.h"

namespace hyobscure::studio {

/// The secrets of the people that were read last, without ids and features: enough to say at once which
/// groups the limits of a spec give. Used by several threads.
class KnownPeople {
 public:
  explicit KnownPeople(const Folder& folder) : folder_(folder) {}

  /// Takes what groups are found from.
  void remember(const data::Spec& spec, const data::People& people);

  /// `known`: false where the spec is about other people than those that were read last. Else the groups that
  /// its limits give, as facts of the report (`groups`, `histogram` or `map` or `plane`), and `extremes`, how
  /// far each limit can go with so many groups; or `error`, why there are none.
  [[nodiscard]] Json limits(const data::Spec& spec) const;

 private:
  std::string name_of(const data::Spec& spec) const;

  const Folder& folder_;
  mutable std::mutex mutex_;
  std::string name_;
  std::shared_ptr<const data::People> people_;
};

}  // namespace hyobscure::studio
