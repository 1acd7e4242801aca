// `tilescope shot`: the program's own pictures, taken as a user takes them. Skipped if no window can be opened.
#include <gtest/gtest.h>
#include <png.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

struct Pixels {
  int width = 0, height = 0;
  std::vector<uint32_t> values;
  uint32_t at(int x, int y) const {
    return values[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
};

class PictureTest : public ::testing::Test {
 protected:
  PictureTest() : folder(fs::temp_directory_path() / ("tilescope-pictures-" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~PictureTest() override { fs::remove_all(folder); }

  /// Returns the exit status; reads the picture if there is one.
  int shoot(const std::string& options, Pixels& picture) const {
    const fs::path file = folder / "picture.png";
    fs::remove(file);
    const std::string command = std::string(TILESCOPE_BINARY) + "/tilescope shot vector-add " + options + " --out " +
                                file.string() + " >" + (folder / "log").string() + " 2>&1";
    const int status = WEXITSTATUS(std::system(command.c_str()));
    if (fs::exists(file)) picture = read(file);
    return status;
  }
  static Pixels read(const fs::path& file) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    Pixels pixels;
    if (png_image_begin_read_from_file(&image, file.c_str()) == 0) return pixels;
    image.format = PNG_FORMAT_RGBA;
    pixels.width = static_cast<int>(image.width);
    pixels.height = static_cast<int>(image.height);
    pixels.values.resize(static_cast<size_t>(pixels.width) * static_cast<size_t>(pixels.height));
    png_image_finish_read(&image, nullptr, pixels.values.data(), 0, nullptr);
    return pixels;
  }

  fs::path folder;
};

constexpr int kUnavailable = 3;  // no display, or no NVRTC

#define SHOOT(options, picture)                                                 \
  do {                                                                          \
    const int status = shoot(options, picture);                                 \
    if (status == kUnavailable) GTEST_SKIP() << "no window can be opened here"; \
    ASSERT_EQ(status, 0);                                                       \
  } while (false)

TEST_F(PictureTest, IsTheSameForTheSameRequestButForTheTimes) {
  Pixels first, second;
  SHOOT("--rung tiles-per-cta", first);
  SHOOT("--rung tiles-per-cta", second);
  ASSERT_EQ(first.width, 1600);
  ASSERT_EQ(first.height, 1000);
  int different = 0;
  for (int y = 0; y < 1000; ++y)
    for (int x = 0; x < 1600; ++x) {
      const bool time = y >= 976 || (x >= 1500 && y >= 552 && y < 584);  // status bar, last duration
      different += !time && first.at(x, y) != second.at(x, y) ? 1 : 0;
    }
  EXPECT_EQ(different, 0);
}

TEST_F(PictureTest, HasTheAreasOfTheDesign) {
  Pixels picture;
  SHOOT("--rung tiles-per-cta", picture);
  const uint32_t line = picture.at(1250, 87);     // under the tabs
  EXPECT_EQ(picture.at(700, 47), line);           // under the header
  EXPECT_EQ(picture.at(199, 60), line);           // right of the rail
  EXPECT_EQ(picture.at(1304, 60), line);          // left of the controls
  EXPECT_EQ(picture.at(700, 608), line);          // above the source
  EXPECT_EQ(picture.at(888, 960), line);          // between source and speed
  EXPECT_EQ(picture.at(700, 976), line);          // above the status bar
  EXPECT_EQ(picture.at(1400, 354), line);         // under the ladder
  EXPECT_EQ(picture.at(1250, 100), 0xFF181411U);  // window: #111418
  EXPECT_EQ(picture.at(1310, 60), 0xFF211B17U);   // panel: #171B21
}

TEST_F(PictureTest, ScalesWithoutChangingItsLayout) {
  Pixels picture;
  SHOOT("--scale 2", picture);
  EXPECT_EQ(picture.width, 3200);
  EXPECT_EQ(picture.height, 2000);
  EXPECT_EQ(picture.at(2 * 1304, 2 * 60), picture.at(2 * 199, 2 * 60));
  EXPECT_EQ(picture.at(2 * 1250, 2 * 100), 0xFF181411U);
}

TEST_F(PictureTest, LanguageAndThemeChangeIt) {
  Pixels english, chinese, light;
  SHOOT("", english);
  SHOOT("--language zh", chinese);
  SHOOT("--light", light);
  const auto differs = [&](const Pixels& other, int left, int top, int right, int bottom) {
    int count = 0;
    for (int y = top; y < bottom; ++y)
      for (int x = left; x < right; ++x) count += english.at(x, y) != other.at(x, y) ? 1 : 0;
    return count;
  };
  EXPECT_GT(differs(chinese, 1304, 48, 1600, 976), 500);  // labels of the controls
  EXPECT_GT(differs(chinese, 200, 48, 1304, 88), 100);    // tabs
  EXPECT_EQ(light.at(1250, 100), 0xFFF9F7F6U);            // window of the light theme: #F6F7F9
  EXPECT_EQ(light.at(1310, 60), 0xFFFFFFFFU);             // panel: white
}

TEST_F(PictureTest, EveryViewHasContent) {
  for (const char* panel : {"lesson", "tiles", "traffic", "correctness"}) {
    Pixels picture;
    SHOOT(std::string("--panel ") + panel, picture);
    int drawn = 0;
    for (int y = 88; y < 608; ++y)
      for (int x = 201; x < 1304; ++x) drawn += picture.at(x, y) != 0xFF181411U ? 1 : 0;
    EXPECT_GT(drawn, 10000) << panel;
  }
}

// Removed text is left of added text, each with its own background colour.
TEST_F(PictureTest, TwoRungsStandBesideEachOther) {
  Pixels picture;
  SHOOT("--rung tile-per-cta --diff thread-per-element", picture);
  const auto count = [&](int left, int right, auto is_meant) {
    int pixels = 0;
    for (int y = 645; y < 940; ++y)
      for (int x = left; x < right; ++x) {
        const uint32_t colour = picture.at(x, y);
        pixels += is_meant(static_cast<int>(colour & 0xFF), static_cast<int>(colour >> 8 & 0xFF)) ? 1 : 0;
      }
    return pixels;
  };
  // Their backgrounds are 0x2E2026 and 0x152A27: the window's with a little vermilion, and with a little green.
  const auto removed = [](int red, int green) { return red > 0x28 && red < 0x34 && green < 0x24; };
  const auto added = [](int red, int green) { return red < 0x1C && green > 0x26 && green < 0x30; };
  constexpr int kLeft = 280, kMiddle = 697, kRight = 1280;
  EXPECT_GT(count(kLeft, kMiddle, removed), 2000);
  EXPECT_GT(count(kMiddle, kRight, added), 2000);
  EXPECT_LT(count(kLeft, kMiddle, added), 100);  // some edges of letters have this colour
  EXPECT_LT(count(kMiddle, kRight, removed), 100);
}

TEST_F(PictureTest, ARungThatCannotBeComparedWithIsRefused) {
  Pixels picture;
  for (const char* other : {"no-such-rung", "tile-per-cta"}) {
    EXPECT_EQ(shoot(std::string("--rung tile-per-cta --diff ") + other, picture), 2) << other;
    EXPECT_EQ(picture.width, 0);
  }
}

TEST_F(PictureTest, AnUnknownLabIsRefusedWithoutAPicture) {
  Pixels picture;
  EXPECT_EQ(shoot("--rung no-such-rung", picture), 2);
  EXPECT_EQ(picture.width, 0);
}

// ---- The certificate

class CertificateTest : public PictureTest {
 protected:
  /// The certificate for a profile with this progress.json.
  Pixels certify(const std::string& progress, const std::string& options) const {
    fs::create_directories(folder / "tilescope");
    std::ofstream(folder / "tilescope" / "progress.json") << progress;
    const fs::path file = folder / "certificate.png";
    fs::remove(file);
    const std::string command = "XDG_CONFIG_HOME=" + folder.string() + " " + std::string(TILESCOPE_BINARY) +
                                "/tilescope progress --certificate " + file.string() + " " + options + " >" +
                                (folder / "log").string() + " 2>&1";
    const int status = WEXITSTATUS(std::system(command.c_str()));
    EXPECT_TRUE(status == 0 || status == kUnavailable) << status;
    return fs::exists(file) ? read(file) : Pixels();
  }
  static size_t count(const Pixels& page, int top, int bottom, bool (*is)(int red, int green, int blue)) {
    size_t found = 0;
    for (int y = top; y < bottom; ++y)
      for (int x = 0; x < page.width; ++x) {
        const uint32_t pixel = page.at(x, y);
        found +=
            is(static_cast<int>(pixel & 255), static_cast<int>(pixel >> 8 & 255), static_cast<int>(pixel >> 16 & 255))
                ? 1
                : 0;
      }
    return found;
  }
};
bool is_white(int red, int green, int blue) { return red + green + blue == 3 * 255; }
bool is_dark(int red, int green, int blue) { return red + green + blue < 3 * 80; }
bool is_green(int red, int green, int blue) { return green > red + 60 && green > blue + 20; }

TEST_F(CertificateTest, IsAPageOfA4WithTheNameAndACheckForEachMark) {
  const std::string nothing = R"({"format": 1, "labs": {}})";
  const Pixels none = certify(nothing, "");
  if (none.width == 0) GTEST_SKIP() << "no window can be opened";
  EXPECT_NEAR(static_cast<double>(none.height) / none.width, std::sqrt(2.0), 0.002);
  EXPECT_GT(count(none, 0, none.height, is_white), none.values.size() * 8 / 10) << "dark on white";
  EXPECT_EQ(count(none, 0, none.height, is_green), 0U) << "nothing is earned";
  constexpr int kNameTop = 560, kNameBottom = 640;
  EXPECT_EQ(count(none, kNameTop, kNameBottom, is_dark), 0U) << "room to write a name";
  EXPECT_GT(count(certify(nothing, "--name 'Ada Lovelace'"), kNameTop, kNameBottom, is_dark), 1000U);
  EXPECT_GT(count(certify(nothing, "--name '张伟' --language zh"), kNameTop, kNameBottom, is_dark), 500U);
  const size_t one =
      count(certify(R"({"format": 1, "labs": {"softmax": {"lesson_read": true}}})", ""), 0, none.height, is_green);
  const size_t two =
      count(certify(R"({"format": 1, "labs": {"softmax": {"lesson_read": true}, "gelu": {"lesson_read": true}}})", ""),
            0, none.height, is_green);
  EXPECT_GT(one, 50U);
  EXPECT_NEAR(static_cast<double>(two), 2.0 * static_cast<double>(one), 0.1 * static_cast<double>(one));
}

}  // namespace
}  // namespace tilescope
