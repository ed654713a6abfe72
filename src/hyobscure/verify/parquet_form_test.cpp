#include "hyobscure/verify/parquet_form.h"

#include <gmock/gmock.h>

#include <random>

#include "hyobscure/release/test_release.h"

namespace hyobscure::verify {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ParquetForm : public release::ReleaseTest {
 protected:
  /// The two tables of a release: people by the engine, events by our own encoder.
  std::vector<std::string> tables() {
    (void)publish_to("out", long_spec({{"release.format", "parquet"}, {"events.time", ""}}), 0,
                     /*force=*/true);
    return {content("out/people.parquet"), content("out/events.parquet")};
  }
  std::vector<std::string> found(const std::string& bytes) {
    folder_.write("t.parquet", bytes);
    return what_else_is_in_parquet(folder_ / "t.parquet");
  }
  static std::size_t begin_of_footer(const std::string& file) {
    std::uint32_t length = 0;
    std::memcpy(&length, file.data() + file.size() - 8, sizeof length);
    return file.size() - 8 - length;
  }
};

TEST_F(ParquetForm, TablesOfAReleaseHoldNothingElse) {
  for (const std::string& table : tables()) EXPECT_THAT(found(table), IsEmpty());
}

TEST_F(ParquetForm, FindsBytesThatNoColumnClaims) {
  for (std::string table : tables()) {
    table.insert(begin_of_footer(table), "41");
    EXPECT_THAT(found(table), Contains(HasSubstr("belong to no column")));
  }
}

TEST_F(ParquetForm, FindsWhatOtherWritersAdd) {
  make_parquet("wide");
  EXPECT_THAT(found(content("wide.parquet")), Contains(HasSubstr("a column has a field (14)")))
      << "a Bloom filter";
  data::Engine engine({.folder = folder_.path()}, {});
  engine.run(
      fmt::format("COPY (FROM 'people.csv') TO '{}/noted.parquet' (FORMAT parquet, WRITE_BLOOM_FILTER false, "
                  "KV_METADATA {{ages: '41 17'}})",
                  folder_.path().string()));
  EXPECT_THAT(found(content("noted.parquet")), testing::ElementsAre("there is metadata beside the columns"));
}

TEST_F(ParquetForm, KnowsTheColumnsAsSparkDescribesThemAndNothingMore) {
  const auto described = [&](const std::string& type) {
    data::Engine engine({.folder = folder_.path()}, {});
    engine.run(fmt::format(
        "COPY (SELECT 'a' AS x) TO '{}/spark.parquet' (FORMAT parquet, WRITE_BLOOM_FILTER false, KV_METADATA "
        "{{'org.apache.spark.sql.parquet.row.metadata': "
        R"('{{"type":"struct","fields":[{{"name":"x","type":"{}","nullable":true,"metadata":{{}}}}]}}'}}))",
        folder_.path().string(), type));
    return found(content("spark.parquet"));
  };
  for (const char* type : {"string", "string collate UTF8_BINARY", "decimal(10,2)"})  // of Spark 3 and 4
    EXPECT_THAT(described(type), IsEmpty()) << type;
  for (const char* type : {"string 41", "decimal(10,2) 41", "decimal(1041,17)", "decimal(", ""})
    EXPECT_THAT(described(type), testing::ElementsAre("there is metadata beside the columns")) << type;
}

TEST_F(ParquetForm, IsNotMisledByWhatIsNoParquet) {
  for (const std::string bytes : {"", "PAR1", "PAR1PAR1", "PAR1\xff\xff\xff\x7fPAR1", "PAR1----\x04---PAR1"})
    EXPECT_THAT(found(bytes), Not(IsEmpty()));
}

// Any byte of the description may be another: the answer is an answer, whatever it says. A sanitizer sees
// reads beside the file.
TEST_F(ParquetForm, SurvivesAnyByteOfItsDescription) {
  std::mt19937 random(9);
  int noticed = 0, tried = 0;
  for (const std::string& table : tables())
    for (int n = 0; n < 1'500; ++n, ++tried) {
      std::string edited = table;
      const std::size_t footer = begin_of_footer(table);
      for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
        const std::size_t at =
            random() % 4 == 0 ? random() % table.size() : footer + random() % (table.size() - footer);
        edited[at] = static_cast<char>(random());
      }
      noticed += found(edited).empty() ? 0 : 1;
    }
  EXPECT_GT(noticed, tried / 4);
}

}  // namespace
}  // namespace hyobscure::verify
