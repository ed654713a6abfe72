#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hyobscure/base/json.h"
#include "hyobscure/base/progress.h"

namespace hyobscure::studio {

enum class JobState {
  Queued,
  Running,
  Done,
  Failed,
  Cancelled,
  Ended,  ///< the studio was ended while it waited or ran
};

/// A piece of long work.
struct Job {
  std::uint64_t id = 0;
  std::string kind;  ///< "fit"
  Json request;      ///< what was asked for
  JobState state = JobState::Queued;
  std::string stage = {};                  ///< what it does now
  double done = 0, total = 0;              ///< of the stage
  double whole_done = 0, whole_total = 0;  ///< of the whole, in seconds as predicted; 0: nobody can say
  double seconds = 0;                      ///< since it began to run
  Json result = nullptr;                   ///< of a job that is done
  Json error = nullptr;                    ///< of one that failed: message, source, problem, remedy
};

/// What the page sees. Without the result where that is not asked for: it may be large.
[[nodiscard]] Json job_json(const Job& job, bool with_result);

/// Jobs one after the other, on a thread of their own. Each is a file of the state folder, so that it is
/// still known when the program starts again; what was waiting or running then has ended.
class Jobs {
 public:
  /// Does the work of a job, which is its result. May throw what a workbench throws.
  using Work = std::function<Json(const Job& job, const Progress& progress)>;
  /// Called, on any thread, with a job that changed; without its result.
  using Changed = std::function<void(const Json& job)>;

  Jobs(std::filesystem::path folder, Work work, Changed changed);
  /// Asks the running job to stop, and waits for it.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Throws InputError where too many are waiting.
  Job submit(const std::string& kind, Json request);
  /// Asks a job to stop; one that has ended stays as it is. Throws InputError where there is none.
  Job cancel(std::uint64_t id);
  [[nodiscard]] Job get(std::uint64_t id) const;
  [[nodiscard]] std::vector<Job> all() const;
  [[nodiscard]] bool is_idle() const;

 private:
  void load();
  void loop();
  void run(Job& job);
  void change(std::uint64_t id, const std::function<void(Job&)>& edit, bool keep);
  void write(const Job& job) const;

  std::filesystem::path folder_;
  Work work_;
  Changed changed_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::uint64_t, Job> jobs_;
  std::deque<std::uint64_t> waiting_;
  std::uint64_t running_ = 0;  ///< its number; 0: none
  std::atomic<bool> stop_{false};
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace hyobscure::studio
