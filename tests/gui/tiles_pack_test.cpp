// The columns of matrices in the tile view: one scale, square elements, and all available space used.
#include "app/views/tiles/tiles_pack.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

PackItem matrix(double columns, double rows) {
  return {.columns = columns, .rows = rows, .least_width = 40, .least_height = 32, .least_column = 60};
}
PackItem vector() { return {.columns = 0, .rows = 0, .least_width = 140, .least_height = 32, .least_column = 60}; }

void expect_apart(const std::vector<PackedItem>& items, double height, const PackGaps& gaps) {
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_GE(items[i].y, gaps.header);
    EXPECT_LE(items[i].y + items[i].height, height + 1e-6);
    EXPECT_GE(items[i].room_width + 1e-6, items[i].width);
    EXPECT_GE(items[i].room_height + 1e-6, items[i].height);
    for (size_t j = i + 1; j < items.size(); ++j) {
      const bool beside = items[i].x + items[i].width + gaps.across <= items[j].x + 1e-6;
      const bool below = items[i].y + items[i].height + gaps.header <= items[j].y + 1e-6;
      EXPECT_TRUE(beside || below) << i << " and " << j;
    }
  }
}

TEST(PackedSides, ShapesThatAreTheSameAreDrawnTheSame) {
  const PackItem one[] = {matrix(504, 200)}, three[] = {matrix(504, 200), vector(), matrix(504, 200)};
  const PackedSides sides = pack_sides(one, three, 760, 250, {});
  ASSERT_TRUE(sides.fits);
  EXPECT_DOUBLE_EQ(sides.inputs[0].width, sides.outputs[0].width);
  EXPECT_DOUBLE_EQ(sides.inputs[0].height, sides.outputs[2].height);
  EXPECT_NEAR(sides.inputs[0].width / 504, sides.inputs[0].height / 200, 1e-6);
}

TEST(PackedSides, ElementsAreSquareAndFillTheHeight) {
  const PackItem image[] = {matrix(512, 512)};
  const PackedSides sides = pack_sides(image, image, 900, 274, {});
  ASSERT_TRUE(sides.fits);
  EXPECT_NEAR(sides.inputs[0].width, 250, 0.5);
  EXPECT_NEAR(sides.inputs[0].height, 250, 0.5);
}

TEST(PackedSides, AThinMatrixIsStretchedWhereThereIsRoom) {
  const PackItem tall[] = {matrix(64, 3200)};
  const PackedSides roomy = pack_sides(tall, tall, 900, 224, {});
  ASSERT_TRUE(roomy.fits);
  EXPECT_NEAR(roomy.inputs[0].width, 140, 1e-6);
  EXPECT_NEAR(roomy.inputs[0].height, 200, 0.5);
  const PackItem wide[] = {matrix(8192, 16)};
  EXPECT_NEAR(pack_sides(wide, {}, 900, 400, {}).inputs[0].height, 96, 1e-6);
  // A small square stays small.
  const PackItem small[] = {matrix(64, 3200), matrix(2, 2)};
  const PackedSides beside = pack_sides(small, {}, 900, 224, {});
  EXPECT_NEAR(beside.inputs[1].width, 40, 1e-6);
}

TEST(PackedSides, ManyBuffersFitAndStayApart) {
  std::vector<PackItem> inputs(5, matrix(64, 200)), outputs(4, matrix(64, 200));
  inputs.push_back(vector());
  for (const double width : {300.0, 620.0, 900.0, 2000.0})
    for (const double height : {140.0, 250.0, 800.0}) {
      const PackedSides sides = pack_sides(inputs, outputs, width, height, {});
      if (!sides.fits) {
        EXPECT_LE(width * height, 300 * 250) << "there is room for all of them";
        continue;
      }
      EXPECT_LE(sides.inputs_width + sides.outputs_width, width + 1e-6);
      expect_apart(sides.inputs, height, {});
      expect_apart(sides.outputs, height, {});
    }
}

TEST(PackedSides, WithoutRoomNothingIsPlaced) {
  const PackItem one[] = {matrix(8, 8)};
  EXPECT_FALSE(pack_sides(one, one, 60, 200, {}).fits);
  EXPECT_FALSE(pack_sides(one, one, 900, 40, {}).fits);
  EXPECT_FALSE(pack_sides(one, one, 0, 0, {}).fits);
}

}  // namespace
}  // namespace tilescope
