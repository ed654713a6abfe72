#include "hyobscure/studio/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/studio/told_error.h"

namespace hyobscure::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<JobState, const char*>, 6> kStates = {{{JobState::Queued, "queued"},
                                                                      {JobState::Running, "running"},
                                                                      {JobState::Done, "done"},
                                                                      {JobState::Failed, "failed"},
                                                                      {JobState::Cancelled, "cancelled"},
                                                                      {JobState::Ended, "ended"}}};

const char* word(JobState state) {
  return std::ranges::find(kStates, state, [](const auto& one) { return one.first; })->second;
}

std::optional<JobState> state_of(const std::string& text) {
  for (const auto& [state, name] : kStates)
    if (text == name) return state;
  return std::nullopt;
}

bool is_over(JobState state) { return state != JobState::Queued && state != JobState::Running; }

/// Throws Json::exception for what is no job.
Job job_from(const Json& json) {
  Job job{.id = json.at("id"), .kind = json.at("kind"), .request = json.at("request")};
  job.state = state_of(json.at("state").get<std::string>()).value_or(JobState::Ended);
  if (!is_over(job.state)) job.state = JobState::Ended;
  job.seconds = number(json.at("seconds"));
  job.result = json.at("result");
  job.error = json.at("error");
  return job;
}

}  // namespace

Json job_json(const Job& job, bool with_result) {
  Json json = {{"id", job.id},
               {"kind", job.kind},
               {"request", job.request},
               {"state", word(job.state)},
               {"stage", job.stage},
               {"done", number(job.done)},
               {"total", number(job.total)},
               {"whole_done", number(job.whole_done)},
               {"whole_total", number(job.whole_total)},
               {"seconds", number(job.seconds)},
               {"error", job.error}};
  if (with_result) json["result"] = job.result;
  return json;
}

Jobs::Jobs(fs::path folder, Work work, Changed changed)
    : folder_(std::move(folder)), work_(std::move(work)), changed_(std::move(changed)) {
  load();
  thread_ = std::thread([this] { loop(); });
}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Jobs::load() {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() != ".json") continue;
    try {
      Job job = job_from(parse_json(read_file(entry.path())));
      jobs_.emplace(job.id, std::move(job));
    } catch (const Json::exception&) {
      continue;  // not written by us: nothing is lost but a line of history
    }
  }
}

void Jobs::write(const Job& job) const {
  write_file(folder_ / fmt::format("{:06}.json", job.id),
             job_json(job, true).dump(-1, ' ', false, Json::error_handler_t::replace), FileAccess::OwnerOnly);
}

Job Jobs::submit(const std::string& kind, Json request) {
  constexpr std::size_t kMostWaiting = 20;
  Job job;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting)
      throw InputError({.source = "jobs"}, "too many jobs are waiting", "Cancel some of them, or wait.");
    job = {.id = jobs_.empty() ? 1 : jobs_.rbegin()->first + 1, .kind = kind, .request = std::move(request)};
    write(job);
    jobs_.emplace(job.id, job);
    waiting_.push_back(job.id);
  }
  wake_.notify_all();
  changed_(job_json(job, false));
  return job;
}

Job Jobs::cancel(std::uint64_t id) {
  const Job job = get(id);
  if (is_over(job.state)) return job;
  bool waits = false;
  {
    const std::lock_guard lock(mutex_);
    waits = std::erase(waiting_, id) > 0;
    if (running_ == id) stop_ = true;
  }
  if (waits) change(id, [](Job& waiting) { waiting.state = JobState::Cancelled; }, true);
  return get(id);
}

Job Jobs::get(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end())
    throw InputError({.source = fmt::format("job {}", id)}, "there is no such job", "Load the page again.");
  return found->second;
}

std::vector<Job> Jobs::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Job> jobs;
  for (const auto& [id, job] : jobs_) jobs.push_back(job);
  return jobs;
}

bool Jobs::is_idle() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && running_ == 0;
}

void Jobs::change(std::uint64_t id, const std::function<void(Job&)>& edit, bool keep) {
  Job job;
  {
    const std::lock_guard lock(mutex_);
    edit(jobs_.at(id));
    job = jobs_.at(id);
  }
  if (keep) try {
      write(job);
    } catch (const InputError&) {
      // A full disk costs the history, not the job.
    }
  changed_(job_json(job, false));
}

void Jobs::loop() {
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      running_ = waiting_.front();
      waiting_.pop_front();
      stop_ = false;
      job = jobs_.at(running_);
    }
    run(job);
    const std::lock_guard lock(mutex_);
    running_ = 0;
  }
}

void Jobs::run(Job& job) {
  const Stopwatch watch;
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_told{};
  // A stage may report thousands of times a second; the page needs a few.
  const auto told = [&](const std::function<void(Job&)>& edit) {
    constexpr auto kOften = std::chrono::milliseconds(150);
    if (Clock::now() - last_told < kOften) return;
    last_told = Clock::now();
    change(
        job.id,
        [&](Job& running) {
          edit(running);
          running.seconds = watch.seconds();
        },
        false);
  };
  const Progress progress(
      [&](std::string_view stage, double done, double total) {
        if (stage.empty()) return;
        told([&](Job& running) {
          running.stage = stage;
          running.done = done;
          running.total = total;
        });
      },
      &stop_,
      [&](double done, double total) {
        const std::lock_guard lock(mutex_);
        jobs_.at(job.id).whole_done = done;
        jobs_.at(job.id).whole_total = total;
      });
  change(job.id, [](Job& running) { running.state = JobState::Running; }, true);
  Json result = nullptr, error = nullptr;
  JobState state = JobState::Done;
  try {
    result = work_(job, progress);
  } catch (const Stopped&) {
    const std::lock_guard lock(mutex_);
    state = ending_ ? JobState::Ended : JobState::Cancelled;
  } catch (...) {
    state = JobState::Failed;
    error = told_error(std::current_exception());
  }
  change(
      job.id,
      [&](Job& running) {
        running.state = state;
        running.seconds = watch.seconds();
        running.result = std::move(result);
        running.error = std::move(error);
      },
      true);
}

}  // namespace hyobscure::studio
