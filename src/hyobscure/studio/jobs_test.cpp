#include "hyobscure/studio/jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "hyobscure/base/test_folder.h"

namespace hyobscure::studio {
namespace {

using namespace std::chrono_literals;

Job ended(const Jobs& jobs, std::uint64_t id) {
  for (int tries = 0; tries < 2000; ++tries) {
    const Job job = jobs.get(id);
    if (job.state != JobState::Queued && job.state != JobState::Running) return job;
    std::this_thread::sleep_for(5ms);
  }
  return jobs.get(id);
}

/// Work that runs until it is asked to stop.
Json wait_for_stop(std::promise<void>& begun, const Progress& progress) {
  begun.set_value();
  for (;;) {
    progress.throw_if_stopped();
    std::this_thread::sleep_for(1ms);
  }
}

const Jobs::Changed kNobody = [](const Json&) {};

TEST(Jobs, RunInTheirOrderAndKeepTheirResults) {
  const TestFolder folder;
  std::vector<std::string> order;
  Jobs jobs(
      folder.path(),
      [&](const Job& job, const Progress&) {
        order.push_back(job.kind);
        return Json{{"made", job.request.at("of")}};
      },
      kNobody);
  (void)jobs.submit("first", {{"of", 1}});
  const Job second = jobs.submit("second", {{"of", 2}});
  EXPECT_EQ(ended(jobs, second.id).result, (Json{{"made", 2}}));
  EXPECT_THAT(order, testing::ElementsAre("first", "second"));
}

TEST(Jobs, TellWhereTheyFailed) {
  const TestFolder folder;
  Jobs jobs(
      folder.path(),
      [](const Job& job, const Progress&) -> Json {
        if (job.kind == "input")
          throw InputError({.source = "people.csv", .column = "age"}, "is empty", "Fill it.");
        throw std::logic_error("two plus two");
      },
      kNobody);
  const Job input = ended(jobs, jobs.submit("input", {}).id);
  EXPECT_EQ(input.state, JobState::Failed);
  EXPECT_EQ(input.error.at("source"), "people.csv");
  EXPECT_EQ(input.error.at("remedy"), "Fill it.");
  EXPECT_EQ(input.error.at("ours"), false);
  EXPECT_EQ(ended(jobs, jobs.submit("fault", {}).id).error.at("ours"), true);
}

TEST(Jobs, CanBeCancelledWhileTheyRunAndWhileTheyWait) {
  const TestFolder folder;
  std::promise<void> begun;
  Jobs jobs(
      folder.path(), [&](const Job&, const Progress& progress) { return wait_for_stop(begun, progress); },
      kNobody);
  const Job running = jobs.submit("long", {});
  const Job waiting = jobs.submit("next", {});
  begun.get_future().wait();
  EXPECT_EQ(jobs.cancel(waiting.id).state, JobState::Cancelled);
  (void)jobs.cancel(running.id);
  EXPECT_EQ(ended(jobs, running.id).state, JobState::Cancelled);
  EXPECT_EQ(jobs.cancel(running.id).state, JobState::Cancelled) << "what is over stays as it is";
}

TEST(Jobs, ACancelledJobDoesNotStopTheNext) {
  const TestFolder folder;
  std::promise<void> begun;
  Jobs jobs(
      folder.path(),
      [&](const Job& job, const Progress& progress) {
        return job.kind == "long" ? wait_for_stop(begun, progress)
                                  : Json{{"stopped", progress.stop_requested()}};
      },
      kNobody);
  const Job running = jobs.submit("long", {}), next = jobs.submit("short", {});
  begun.get_future().wait();
  (void)jobs.cancel(running.id);
  EXPECT_EQ(ended(jobs, next.id).result, (Json{{"stopped", false}}));
}

TEST(Jobs, AreKnownAgainAndWhatRanHasEnded) {
  const TestFolder folder;
  std::uint64_t done = 0;
  {
    Jobs jobs(folder.path(), [](const Job&, const Progress&) { return Json{{"a", 1}}; }, kNobody);
    done = jobs.submit("fit", {{"version", 3}}).id;
    (void)ended(jobs, done);
  }
  // As a killed program leaves them.
  folder.write(
      "000002.json",
      R"({"id":2,"kind":"audit","request":{},"state":"running","seconds":1,"error":null,"result":null})");
  folder.write("000003.json", "{\"id\": 3, \"ki");
  Jobs jobs(folder.path(), [](const Job&, const Progress&) { return Json(); }, kNobody);
  EXPECT_EQ(jobs.get(done).state, JobState::Done);
  EXPECT_EQ(jobs.get(done).result, (Json{{"a", 1}}));
  EXPECT_EQ(jobs.get(2).state, JobState::Ended);
  EXPECT_EQ(jobs.all().size(), 2u);
  EXPECT_EQ(jobs.submit("next", {}).id, 3u);
}

TEST(Jobs, EndWithTheProgramAndSaySo) {
  const TestFolder folder;
  {
    std::promise<void> begun;
    Jobs jobs(
        folder.path(), [&](const Job&, const Progress& progress) { return wait_for_stop(begun, progress); },
        kNobody);
    (void)jobs.submit("long", {});
    begun.get_future().wait();
  }
  const Jobs again(folder.path(), [](const Job&, const Progress&) { return Json(); }, kNobody);
  EXPECT_EQ(again.get(1).state, JobState::Ended);
}

TEST(Jobs, TellTheirProgressButNotTheirResults) {
  const TestFolder folder;
  std::mutex mutex;
  std::vector<Json> told;
  Jobs jobs(
      folder.path(),
      [](const Job&, const Progress& progress) {
        progress.report("reading", 1, 4);
        return Json{{"large", true}};
      },
      [&](const Json& job) {
        const std::lock_guard lock(mutex);
        told.push_back(job);
      });
  (void)ended(jobs, jobs.submit("fit", {}).id);
  std::this_thread::sleep_for(50ms);
  const std::lock_guard lock(mutex);
  std::vector<std::string> states, stages;
  for (const Json& job : told) {
    EXPECT_FALSE(job.contains("result"));
    states.push_back(job.at("state"));
    stages.push_back(job.at("stage"));
  }
  EXPECT_EQ(states.front(), "queued");
  EXPECT_EQ(states.back(), "done");
  EXPECT_THAT(stages, testing::Contains("reading"));
}

TEST(Jobs, DoNotWaitInAnEndlessLine) {
  const TestFolder folder;
  std::promise<void> begun;
  Jobs jobs(
      folder.path(), [&](const Job&, const Progress& progress) { return wait_for_stop(begun, progress); },
      kNobody);
  EXPECT_THROW(for (int n = 0; n < 100; ++n)(void) jobs.submit("fit", {}), InputError);
}

}  // namespace
}  // namespace hyobscure::studio
