#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hyobscure/base/json.h"
#include "hyobscure/studio/folder.h"
#include "hyobscure/studio/gate.h"
#include "hyobscure/studio/jobs.h"
#include "hyobscure/studio/known_people.h"
#include "hyobscure/studio/sessions.h"
#include "hyobscure/studio/versions.h"
#include "hyobscure/studio/work.h"

namespace hyobscure::studio {

/// What is sent back.
struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::optional<std::filesystem::path> file = {};  ///< instead of a body
};

[[nodiscard]] Reply json_reply(const Json& json, int status = 200);
[[nodiscard]] Reply refusal_reply(const Refusal& refusal);

/// What each route does with a request that has passed the gate. Every answer is JSON, but for the page and
/// files; nothing is decided here.
class Api {
 public:
  Api(const std::filesystem::path& folder, Sessions& sessions, const workflow::Resources& resources,
      Jobs::Changed changed);

  /// On any thread, one at a time or several. Never throws: what goes wrong is in the reply.
  [[nodiscard]] Reply answer(const Passage& passage, const std::string& body);
  [[nodiscard]] const Folder& folder() const { return folder_; }
  [[nodiscard]] const Jobs& jobs() const { return jobs_; }
  /// Where this studio is, for one that is started after it.
  void tell_address(const std::string& address) { lock_.write_address(address); }

 private:
  Reply answer_or_throw(const Passage& passage, const std::string& body);
  Json open_session(const Json& request);
  Json state() const;
  std::string text_of_spec(const Json& request) const;
  Json spec(const Json& request) const;
  Json limits(const Json& request) const;
  Reply file(const Passage& passage) const;

  Folder folder_;
  FolderLock lock_;
  Sessions& sessions_;
  Versions versions_;
  KnownPeople known_;
  Work work_;
  Jobs jobs_;
};

}  // namespace hyobscure::studio
