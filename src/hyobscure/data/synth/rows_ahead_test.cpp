#include "hyobscure/data/synth/rows_ahead.h"

#include <gtest/gtest.h>

namespace hyobscure::data {
namespace {

struct RowOfPerson {
  std::int64_t person;
  int entry;
};

int entries_of(std::int64_t person) { return static_cast<int>(person % 4); }  // some have none

TEST(RowsAhead, GiveThePeoplesRowsInOrderOverBlocksAndBatches) {
  // 8192 / 4000 = 2 people make a block and 128 a batch.
  for (const std::int64_t people : {0, 1, 2, 3, 127, 128, 129, 1000}) {
    RowsAhead<RowOfPerson> rows(people, 4000,
                                [](std::int64_t first, std::int64_t last, std::vector<RowOfPerson>& made) {
                                  for (std::int64_t person = first; person < last; ++person)
                                    for (int entry = 0; entry < entries_of(person); ++entry)
                                      made.push_back({person, entry});
                                });
    for (std::int64_t person = 1; person <= people; ++person)
      for (int entry = 0; entry < entries_of(person); ++entry) {
        const RowOfPerson* row = rows.next();
        ASSERT_NE(row, nullptr) << person << " of " << people;
        ASSERT_EQ(row->person, person);
        ASSERT_EQ(row->entry, entry);
      }
    EXPECT_EQ(rows.next(), nullptr);
    EXPECT_EQ(rows.next(), nullptr);
  }
}

}  // namespace
}  // namespace hyobscure::data
