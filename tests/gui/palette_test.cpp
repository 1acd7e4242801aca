// Commands of the palette that act on the source panel, wherever that panel is when they are chosen.
#include "app/window/palette.hpp"

#include <set>
#include <string>

#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

class PaletteTest : public testing::ScreenTest {
 protected:
  bool has(const std::string& name) const { return screen->marks().contains(name); }
  void choose(const char* key) {
    press(Key::p, /*control=*/true);
    frames(2);
    type(screen->strings(key).c_str());
    press(Key::enter);
    frames(3);
  }
  std::vector<PaletteEntry> entries() {
    PanelContext context{{screen->view, screen->strings, screen->theme(), screen->fonts},
                         screen->session,
                         screen->view,
                         nullptr,
                         nullptr,
                         &screen->sandbox};
    return palette_entries(context, *screen);
  }
};

TEST_F(PaletteTest, FindReplaceAndGoToLineOpenTheirBars) {
  choose("palette.find");
  EXPECT_TRUE(has("find.pattern"));
  EXPECT_FALSE(has("find.replacement"));
  choose("palette.go_to_line");
  EXPECT_TRUE(has("find.line"));
  choose("palette.replace");
  EXPECT_TRUE(has("find.pattern") && has("find.replacement"));
  type("zzz");
  frames(40);
  EXPECT_FALSE(screen->session.request().edited_source) << "the bar has the keyboard, not the text";
}

TEST_F(PaletteTest, ACommandOfTheSourceBringsItIntoSight) {
  screen->view.lower_hidden = true;
  choose("palette.go_to_line");
  EXPECT_FALSE(screen->view.lower_hidden);
  EXPECT_TRUE(has("find.line"));
  window = {1280, 800};  // source and speed are tabs
  screen->view.bottom_speed = true;
  choose("palette.find");
  EXPECT_FALSE(screen->view.bottom_speed);
  EXPECT_TRUE(has("find.pattern"));
}

TEST_F(PaletteTest, MaximisesTheSourceAndHidesTheLowerPart) {
  const float usual = screen->marks().at("source.text").high.y - screen->marks().at("source.text").low.y;
  choose("palette.maximise");
  EXPECT_TRUE(screen->view.source_maximised);
  EXPECT_GT(screen->marks().at("source.text").high.y - screen->marks().at("source.text").low.y, usual);
  choose("palette.restore");
  EXPECT_FALSE(screen->view.source_maximised);
  choose("palette.hide_lower");
  EXPECT_FALSE(has("source.text"));
  choose("palette.show_lower");
  EXPECT_TRUE(has("source.text"));
}

TEST_F(PaletteTest, ComparesRungsAsItsKeyDoes) {
  screen->view.lower_hidden = true;
  choose("palette.diff");
  EXPECT_TRUE(screen->view.diff);
  EXPECT_FALSE(screen->view.lower_hidden);
}

TEST_F(PaletteTest, NamesEveryCommandWithItsKeyInBothLanguages) {
  for (const Language language : {Language::en, Language::zh}) {
    screen->strings.language = language;
    std::set<std::string> keys;
    for (const PaletteEntry& entry : entries()) {
      EXPECT_FALSE(entry.title.empty() || entry.title.starts_with("palette.")) << entry.title;
      keys.insert(entry.detail);
    }
    for (const char* key : {"Ctrl+E", "Ctrl+F", "Ctrl+H", "Ctrl+G", "Ctrl+S", "Ctrl+Shift+E", "Ctrl+J", "Ctrl+O"})
      EXPECT_TRUE(keys.contains(key)) << key;
  }
}

TEST_F(PaletteTest, ReplaceEndsWithTheEditing) {
  choose("palette.replace");
  ASSERT_TRUE(has("find.replacement"));
  choose("palette.edit");  // editing was on, and ends
  EXPECT_TRUE(has("find.pattern"));
  EXPECT_FALSE(has("find.replacement")) << "a text that cannot be edited cannot be replaced in";
}

}  // namespace
}  // namespace tilescope
