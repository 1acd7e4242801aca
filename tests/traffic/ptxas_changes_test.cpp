// ptxas's changes to two kernels of tests/compile/machine_code/accesses.cu are those that nvdisasm shows.
#include "engine/traffic/access/ptxas_changes.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

/// A ledger row and the PTX's sites of one line.
struct Line {
  Traffic traffic;
  AccessTrace trace;

  Line(Space space, AccessKind kind, uint32_t bytes, uint32_t count) {
    LineTraffic row;
    row.line = 9;
    row.file = "kernels/x.cu";
    row.space = space;
    row.kind = kind;
    traffic.lines.push_back(row);
    add(space, kind, bytes, count);
  }
  void add(Space space, AccessKind kind, uint32_t bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      trace.sites.push_back(
          {.line = 9, .file = "kernels/x.cu", .ptx = "ld", .space = space, .kind = kind, .bytes_per_lane = bytes});
  }
  const LineTraffic& mark(Space space, AccessKind kind, std::vector<uint32_t> bytes) {
    std::vector<MachineAccess> machine{{.bytes_per_lane = 4, .file = "/src/x.cu", .line = 3}};
    for (const uint32_t one : bytes)
      machine.push_back({.space = space, .kind = kind, .bytes_per_lane = one, .file = "/src/x.cu", .line = 9});
    mark_changed_lines(traffic, trace, 0, machine);
    return traffic.lines[0];
  }
};

TEST(PtxasChanges, LoadsThatWereMergedAreNamed) {
  Line line(Space::shared, AccessKind::load, 4, 4);
  const LineTraffic& row = line.mark(Space::shared, AccessKind::load, {16});
  EXPECT_TRUE(row.changed_by_ptxas);
  EXPECT_EQ(describe_change(row), "PTX: 4 shared loads of 32 bits; machine code: 1 of 128 bits");
}

TEST(PtxasChanges, TheSameOperationsAreNoChange) {
  Line line(Space::shared, AccessKind::load, 4, 2);
  const LineTraffic& row = line.mark(Space::shared, AccessKind::load, {4, 4});
  EXPECT_FALSE(row.changed_by_ptxas);
  EXPECT_EQ(describe_change(row), "");
}

TEST(PtxasChanges, AnUnrolledLoopIsNoChange) {
  Line line(Space::global, AccessKind::load, 4, 1);
  EXPECT_FALSE(line.mark(Space::global, AccessKind::load, {4, 4, 4, 4}).changed_by_ptxas);
}

TEST(PtxasChanges, AnOperationThatIsGoneIsNamed) {
  Line line(Space::global, AccessKind::load, 4, 2);
  EXPECT_EQ(describe_change(line.mark(Space::global, AccessKind::load, {4})),
            "PTX: 2 global loads of 32 bits; machine code: 1 of 32 bits");
  Line other(Space::global, AccessKind::store, 8, 1);
  EXPECT_EQ(describe_change(other.mark(Space::global, AccessKind::store, {})),
            "PTX: 1 global store of 64 bits; machine code: none");
}

TEST(PtxasChanges, AMixtureIsListedWidestFirst) {
  Line line(Space::shared, AccessKind::load, 4, 5);
  EXPECT_EQ(describe_change(line.mark(Space::shared, AccessKind::load, {4, 16})),
            "PTX: 5 shared loads of 32 bits; machine code: 1 of 128 bits and 1 of 32 bits");
}

TEST(PtxasChanges, AnAtomicWhoseResultNobodyReadsIsStillTheSame) {
  Line line(Space::global, AccessKind::atomic, 4, 1);
  EXPECT_FALSE(line.mark(Space::global, AccessKind::reduction, {0}).changed_by_ptxas);
}

/// Two lines that call the same 16-byte load in a header; like ptxas, the machine code attributes both loads to the
/// first line.
struct Callers {
  Traffic traffic;
  AccessTrace trace;
  std::vector<MachineAccess> machine;

  Callers(uint32_t second_origin, uint32_t loads, uint32_t bytes) {
    for (const auto& [line, origin] : {std::pair(9U, 45U), std::pair(10U, second_origin)}) {
      LineTraffic row;
      row.line = line;
      row.file = "kernels/x.cu";
      traffic.lines.push_back(row);
      trace.sites.push_back({.line = line,
                             .file = "kernels/x.cu",
                             .origin_line = origin,
                             .origin_file = "kernels/rows.cuh",
                             .ptx = "ld",
                             .bytes_per_lane = 16});
    }
    machine.assign(loads, {.bytes_per_lane = bytes, .file = "/src/x.cu", .line = 9});
    mark_changed_lines(traffic, trace, 0, machine);
  }
};

TEST(PtxasChanges, LoadsOfAHeaderThatAreAllNotedAtOneOfItsCallersAreNoChange) {
  const Callers callers(45, 2, 16);
  EXPECT_FALSE(callers.traffic.lines[0].changed_by_ptxas);
  EXPECT_FALSE(callers.traffic.lines[1].changed_by_ptxas);
}

TEST(PtxasChanges, ALoadOfAHeaderThatIsGoneIsNamedAlsoWhereAnotherCallerHasOne) {
  const Callers callers(45, 1, 16);
  EXPECT_FALSE(callers.traffic.lines[0].changed_by_ptxas);
  EXPECT_EQ(describe_change(callers.traffic.lines[1]), "PTX: 1 global load of 128 bits; machine code: none");
}

TEST(PtxasChanges, LinesThatCallDifferentLinesOfAHeaderAreComparedEachForItself) {
  const Callers callers(46, 2, 16);
  EXPECT_FALSE(callers.traffic.lines[0].changed_by_ptxas);
  EXPECT_TRUE(callers.traffic.lines[1].changed_by_ptxas);
}

TEST(PtxasChanges, LoadsOfAHeaderOfAnotherWidthAreNamed) {
  const Callers callers(45, 8, 4);
  EXPECT_TRUE(callers.traffic.lines[0].changed_by_ptxas);
  EXPECT_TRUE(callers.traffic.lines[1].changed_by_ptxas);
}

TEST(PtxasChanges, OperationsThatPtxasRecordsAtTheInlinedLineAreNoChange) {
  Line line(Space::shared, AccessKind::load, 4, 2);
  for (Site& site : line.trace.sites) {
    site.origin_line = 263;
    site.origin_file = "/opt/triton/language/standard.py";
  }
  const std::vector<MachineAccess> machine(
      2, {.space = Space::shared, .bytes_per_lane = 4, .file = "/opt/triton/language/standard.py", .line = 263});
  EXPECT_TRUE(mark_changed_lines(line.traffic, line.trace, 0, machine));
  EXPECT_FALSE(line.traffic.lines[0].changed_by_ptxas);
  const std::vector<MachineAccess> wider(
      1, {.space = Space::shared, .bytes_per_lane = 8, .file = "/opt/triton/language/standard.py", .line = 263});
  EXPECT_TRUE(mark_changed_lines(line.traffic, line.trace, 0, wider));
  EXPECT_TRUE(line.traffic.lines[0].changed_by_ptxas);
}

TEST(PtxasChanges, OtherLinesAndOtherLaunchesAreNotTouched) {
  Line line(Space::global, AccessKind::load, 4, 1);
  const std::vector<MachineAccess> machine{{.bytes_per_lane = 16, .file = "/src/x.cu", .line = 9}};
  EXPECT_TRUE(mark_changed_lines(line.traffic, line.trace, 1, machine));
  EXPECT_FALSE(line.traffic.lines[0].changed_by_ptxas);
}

TEST(PtxasChanges, WithoutSourceLinesNothingIsCompared) {
  Line line(Space::global, AccessKind::load, 4, 1);
  EXPECT_FALSE(mark_changed_lines(line.traffic, line.trace, 0, {}));
  const std::vector<MachineAccess> machine{{.bytes_per_lane = 16, .file = "", .line = 0}};
  EXPECT_FALSE(mark_changed_lines(line.traffic, line.trace, 0, machine));
  EXPECT_FALSE(line.traffic.lines[0].changed_by_ptxas);
}

}  // namespace
}  // namespace tilescope
