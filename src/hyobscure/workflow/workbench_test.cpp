#include "hyobscure/workflow/workbench.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/data/synth/synth.h"

namespace hyobscure::workflow {
namespace {

using testing::HasSubstr;

/// How often the people are read, by the stage that reading reports.
class CountedReadings {
 public:
  Progress progress() {
    return Progress(
        [this](std::string_view stage, double, double) {
          if (stage == "reading people" && last_ != stage) ++readings_;
          last_ = stage;
        },
        nullptr);
  }
  int readings() const { return readings_; }

 private:
  std::string last_;
  int readings_ = 0;
};

class WorkbenchTest : public testing::Test {
 protected:
  WorkbenchTest() {
    data::synthesise({.people = 150, .dependence = 0.8, .items = 60, .entries = 12}, folder_ / "data", false);
  }

  data::Spec spec(std::vector<data::Override> overrides = {}) const {
    overrides.insert(overrides.begin(), {{"method.name", "exact"},
                                         {"method.seed", "1"},
                                         {"channel.clusters", "4"},
                                         {"groups.people", "[20, 150]"},
                                         {"groups.values", "[2, 60]"},
                                         {"audit.releases", "2"},
                                         {"audit.scenarios", "[\"I\"]"},
                                         {"audit.attackers", "[\"forest\"]"}});
    return data::read_spec(folder_ / "data" / "spec.toml", overrides);
  }

  static release::PublishSettings to(const std::filesystem::path& folder) {
    return {.output = folder, .accept_leakage = true};
  }

  TestFolder folder_;
};

TEST_F(WorkbenchTest, FitPublishVerifyAuditAndReportReadThePeopleOnce) {
  CountedReadings counted;
  Workbench bench(spec(), {}, counted.progress());
  const Fitted fitted = bench.fit();
  (void)bench.publish(fitted.mechanism, to(folder_ / "release"));
  EXPECT_TRUE(bench.verify(folder_ / "release").passed());
  const audit::Audit found = bench.audit(fitted.mechanism, folder_ / "release");
  const std::string page =
      bench.report({.release = folder_ / "release", .mechanism = &fitted.mechanism, .audit = &found}).html;
  EXPECT_THAT(page, HasSubstr("<html"));
  EXPECT_EQ(counted.readings(), 1);
}

TEST_F(WorkbenchTest, AnAuditOfFilesWithItsReportReadsThePeopleOnce) {
  const data::Spec kept = spec({{"release.ids", "keep"}});
  Workbench publisher(kept, {});
  (void)publisher.publish(publisher.fit().mechanism, to(folder_ / "release"));
  CountedReadings counted;
  Workbench auditor(kept, {}, counted.progress());
  const audit::Audit found = auditor.audit_release(folder_ / "release");
  (void)auditor.report({.release = folder_ / "release", .audit = &found});
  EXPECT_EQ(counted.readings(), 1);
}

TEST_F(WorkbenchTest, VerifyReadsByItselfWhereNothingWasRead) {
  Workbench publisher(spec(), {});
  (void)publisher.publish(publisher.fit().mechanism, to(folder_ / "release"));
  CountedReadings counted;
  EXPECT_TRUE(Workbench(spec(), {}, counted.progress()).verify(folder_ / "release").passed());
  EXPECT_EQ(counted.readings(), 1);
  EXPECT_TRUE(verify_alone(folder_ / "release", {}).passed());
}

TEST_F(WorkbenchTest, VerifyFindsAnEditWhetherThePeopleWereReadBeforeOrNot) {
  Workbench bench(spec(), {});
  (void)bench.publish(bench.fit().mechanism, to(folder_ / "release"));
  std::ofstream(folder_ / "release" / "people.csv", std::ios::app) << "stranger,18-20\n";
  EXPECT_FALSE(bench.verify(folder_ / "release").passed());
  EXPECT_FALSE(Workbench(spec(), {}).verify(folder_ / "release").passed());
}

TEST_F(WorkbenchTest, AMechanismOfOtherPeopleOrAnotherReleaseIsRefused) {
  Workbench bench(spec(), {});
  const Fitted fitted = bench.fit();
  (void)bench.publish(fitted.mechanism, to(folder_ / "release"));
  const data::Spec without_the_young = spec({{"secret.keep", "[25, 90]"}});
  EXPECT_THROW((void)Workbench(without_the_young, {}).audit(fitted.mechanism), InputError);
  const Fitted other = Workbench(spec({{"method.seed", "2"}}), {}).fit();
  EXPECT_THROW((void)bench.audit(other.mechanism, folder_ / "release"), InputError);
  EXPECT_NO_THROW((void)bench.audit(fitted.mechanism, folder_ / "release"));
}

TEST_F(WorkbenchTest, WhatMayNotBeWrittenIsRefusedBeforeReading) {
  Workbench fitter(spec(), {});
  const Fitted fitted = fitter.fit();
  std::filesystem::create_directory(folder_ / "mine");
  folder_.write("mine/letter.txt", "not yours");
  CountedReadings counted;
  Workbench bench(spec(), {}, counted.progress());
  EXPECT_THROW((void)bench.publish(fitted.mechanism, to(folder_ / "mine")), InputError);
  EXPECT_EQ(counted.readings(), 0);
}

TEST_F(WorkbenchTest, ASavedCensusGivesTheSameMechanismWithoutReading) {
  Workbench first(spec(), {});
  first.save_census(folder_ / "census", false);
  const Fitted fitted = first.fit();
  CountedReadings counted;
  Workbench second(spec(), {}, counted.progress());
  second.load_census(folder_ / "census");
  EXPECT_EQ(obscure::mechanism_content(second.fit().mechanism), obscure::mechanism_content(fitted.mechanism));
  EXPECT_EQ(counted.readings(), 0);
}

std::map<std::string, std::string> files_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    files[file.path().filename().string()] = read_file(file.path());
  return files;
}

TEST_F(WorkbenchTest, ASavedCensusIsPublishedWithoutReading) {
  Workbench first(spec(), {});
  first.save_census(folder_ / "census", false);
  const Fitted fitted = first.fit();
  (void)first.publish(fitted.mechanism, to(folder_ / "read"));
  CountedReadings counted;
  Workbench second(spec(), {}, counted.progress());
  second.load_census(folder_ / "census");
  (void)second.publish(fitted.mechanism, to(folder_ / "saved"));
  EXPECT_EQ(counted.readings(), 0);
  EXPECT_EQ(files_of(folder_ / "saved"), files_of(folder_ / "read"));
  (void)second.publish(fitted.mechanism, to(folder_ / "again"));
  EXPECT_EQ(files_of(folder_ / "again"), files_of(folder_ / "read"));
}

TEST_F(WorkbenchTest, KeptCellsAreReadForAReleaseOfASavedCensus) {
  std::istringstream people(read_file(folder_ / "data" / "people.csv"));
  std::string with_city, line;
  for (int row = 0; std::getline(people, line); ++row)
    with_city += line + (row == 0 ? ",city" : row % 2 == 0 ? ",Ulm" : ",Bonn") + "\n";
  folder_.write("data/people.csv", with_city);
  const data::Spec keeping = spec({{"people.keep", "city"}, {"groups.people", "[10, 150]"}});
  Workbench first(keeping, {});
  first.save_census(folder_ / "census", false);
  const Fitted fitted = first.fit();
  (void)first.publish(fitted.mechanism, to(folder_ / "read"));
  CountedReadings counted;
  Workbench second(keeping, {}, counted.progress());
  second.load_census(folder_ / "census");
  (void)second.publish(fitted.mechanism, to(folder_ / "saved"));
  EXPECT_EQ(counted.readings(), 1);
  EXPECT_EQ(files_of(folder_ / "saved"), files_of(folder_ / "read"));
}

TEST_F(WorkbenchTest, InspectReadsOnceMoreOnlyForItsColumns) {
  CountedReadings counted;
  Workbench bench(spec(), {}, counted.progress());
  const Inspected inspected = bench.inspect();
  EXPECT_EQ(inspected.counts.people_read, 150);
  EXPECT_FALSE(inspected.inspection.columns.empty());
  const int before = counted.readings();
  (void)bench.fit();
  EXPECT_EQ(counted.readings(), before);
}

}  // namespace
}  // namespace hyobscure::workflow
