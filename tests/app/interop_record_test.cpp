// What one process records about interop for the next.
#include "engine/gpu/interop_record.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class InteropRecordTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tilescope-record-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(InteropRecordTest, AFaultIsKnownToProgramsThatAreStartedLater) {
  EXPECT_FALSE(InteropRecord::in(folder_ / "cache").doubtful());
  InteropRecord::in(folder_ / "cache").note();
  EXPECT_TRUE(InteropRecord::in(folder_ / "cache").doubtful());
  EXPECT_FALSE(InteropRecord::in(folder_ / "another").doubtful());
}

TEST_F(InteropRecordTest, AFaultBeforeTheMachineStartedAgainCountsForNothing) {
  const fs::path file = folder_ / "record";
  const InteropRecord before(file, "first start, driver 580"), after(file, "second start, driver 580");
  before.note();
  EXPECT_TRUE(before.doubtful());
  EXPECT_FALSE(after.doubtful());
  after.note();
  EXPECT_TRUE(after.doubtful());
}

TEST_F(InteropRecordTest, ASuccessfulTrialTakesItBack) {
  const InteropRecord record = InteropRecord::in(folder_);
  record.note();
  record.forget();
  EXPECT_FALSE(record.doubtful());
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(InteropRecordTest, WhatCannotBeWrittenOrReadIsAsIfItHadNeverBeen) {
  std::ofstream(folder_ / "file") << "no folder";
  const InteropRecord record = InteropRecord::in(folder_ / "file");
  record.note();
  EXPECT_FALSE(record.doubtful());
  EXPECT_FALSE(InteropRecord::in({}).doubtful());
  InteropRecord::in({}).note();
  InteropRecord().note();
  EXPECT_FALSE(InteropRecord().doubtful());
  std::ofstream(folder_ / "interop-doubtful") << "half a li";
  EXPECT_FALSE(InteropRecord::in(folder_).doubtful());
}

TEST_F(InteropRecordTest, LeavesNoOtherFileBehind) {
  const InteropRecord record = InteropRecord::in(folder_);
  record.note();
  record.note();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST(StartOfThisMachine, IsTheSameInEveryProcess) {
  EXPECT_EQ(start_of_this_machine(), start_of_this_machine());
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (!(boot >> id)) GTEST_SKIP() << "the system does not tell";
  EXPECT_EQ(start_of_this_machine().substr(0, id.size()), id);
}

}  // namespace
}  // namespace tilescope
