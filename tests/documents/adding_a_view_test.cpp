// Follows docs/adding-a-view.md with the code blocks of that page: writes the view, appends its two sections of texts,
// compiles it as the build compiles any view, relinks the program with it, and takes a picture of it.
#include <png.h>

#include "app/draw/theme.hpp"
#include "tests/documents/extended_program.hpp"

namespace tilescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AddingAView : public testing::ExtendedProgram {
 protected:
  static constexpr const char* kPage = "docs/adding-a-view.md";

  void append_texts(const std::string& file) {
    const std::string section = testing::code_block(testing::read_text(testing::kSource / kPage), file);
    ASSERT_FALSE(section.empty()) << kPage << " has no block for " << file;
    const std::string known = testing::read_text(testing::kSource / file);
    testing::fs::remove(tree_ / file);
    std::ofstream(tree_ / file) << known << "\n" << section;
  }

  /// Number of pixels of the view's area that have this colour; −1 if there is no picture.
  static int pixels_of(const testing::fs::path& file, ImU32 colour) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&image, file.c_str()) == 0) return -1;
    image.format = PNG_FORMAT_RGBA;
    std::vector<uint32_t> pixels(size_t{image.width} * image.height);
    if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0) return -1;
    int count = 0;
    for (uint32_t y = 90; y < image.height / 2; ++y)  // below the tabs, above source and speed
      for (uint32_t x = 200; x < image.width - 300; ++x) count += pixels[size_t{y} * image.width + x] == colour ? 1 : 0;
    return count;
  }
};

TEST_F(AddingAView, TheFileAndTheTextsOfTheDocumentMakeAView) {
  for (const char* folder : {"docs", "kernels", "shaders"}) link_folder(folder);
  link_contents("assets");
  testing::fs::remove(tree_ / "assets/strings");
  link_contents("assets/strings");
  ASSERT_NO_FATAL_FAILURE(write_file(kPage, "app/views/requests/requests.cpp"));
  for (const char* texts : {"assets/strings/en.toml", "assets/strings/zh.toml"})
    ASSERT_NO_FATAL_FAILURE(append_texts(texts));
  ASSERT_NO_FATAL_FAILURE(build("app/views/requests/requests.cpp", "app/views/waves/waves.cpp"));

  const testing::Outcome others = run("shot vector-add --panel nothing --out x.png");
  EXPECT_EQ(others.status, 2);
  EXPECT_THAT(others.output, HasSubstr("layout,requests")) << "the view is the last of the known ones";

  if (testing::shell("command -v xvfb-run").status != 0) GTEST_SKIP() << "there is no xvfb-run to draw it with";
  const testing::fs::path picture = tree_ / "requests.png", tiles = tree_ / "tiles.png";
  const testing::Outcome drawn =
      run("shot vector-add --panel requests --out '" + picture.string() + "'", "xvfb-run -a");
  if (drawn.output.find("no compiler") != std::string::npos) GTEST_SKIP() << drawn.output;
  ASSERT_EQ(drawn.status, 0) << drawn.output;
  // Three lines of the kernel access global memory: three bars, 20 pixels high, of which the longest is the widest.
  EXPECT_GT(pixels_of(picture, dark_theme().read), 3 * 20 * 300);
  ASSERT_EQ(run("shot vector-add --panel waves --out '" + tiles.string() + "'", "xvfb-run -a").status, 0);
  EXPECT_LT(pixels_of(tiles, dark_theme().read), 1000) << "the colour is that of the bars, not of every view";
}

}  // namespace
}  // namespace tilescope
