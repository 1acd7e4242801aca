// The editor without a window: text, undo, movement, line operations, find, and colouring of CUDA C++, PTX and Python.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "app/draw/editor/highlighter.hpp"
#include "app/draw/editor/text_buffer.hpp"
#include "app/draw/editor/tokenizer.hpp"

namespace tilescope {
namespace {

void type_all(TextBuffer& buffer, std::string_view text) {
  for (char c : text) buffer.type(std::string_view(&c, 1));
}

TEST(TextBuffer, KeepsATextAsItIs) {
  for (const char* text : {"", "\n", "a", "a\n", "a\n\nb", "int i;\n}\n"}) EXPECT_EQ(TextBuffer(text).text(), text);
}

TEST(TextBuffer, WindowsLineEndsBecomeUnixOnes) { EXPECT_EQ(TextBuffer("a\r\nb\r\n").text(), "a\nb\n"); }

TEST(TextBuffer, UndoTakesBackAWordAtATime) {
  TextBuffer buffer;
  type_all(buffer, "float x");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "float ");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "");
  EXPECT_FALSE(buffer.undo());
  buffer.redo();
  buffer.redo();
  EXPECT_EQ(buffer.text(), "float x");
  EXPECT_FALSE(buffer.redo());
}

TEST(TextBuffer, MovingTheCursorStartsANewUndoStep) {
  TextBuffer buffer("()");
  buffer.place({0, 1});
  type_all(buffer, "a");
  buffer.move(Movement::right);
  buffer.move(Movement::left);
  type_all(buffer, "b");
  EXPECT_EQ(buffer.text(), "(ab)");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "(a)");
}

TEST(TextBuffer, ErasingIsGroupedAndRestoresWhatWasThere) {
  TextBuffer buffer("abcdef");
  buffer.place({0, 5});
  buffer.erase_left();
  buffer.erase_left();
  EXPECT_EQ(buffer.text(), "abcf");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "abcdef");
  EXPECT_EQ(buffer.cursor(), (TextPosition{0, 5}));
  buffer.place({0, 1});
  buffer.erase_right();
  buffer.erase_right();
  EXPECT_EQ(buffer.text(), "adef");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "abcdef");
}

TEST(TextBuffer, TypingReplacesTheSelectionAndUndoBringsItBack) {
  TextBuffer buffer("one\ntwo\nthree");
  buffer.place({0, 1});
  buffer.place({2, 2}, true);
  EXPECT_EQ(buffer.selected_text(), "ne\ntwo\nth");
  buffer.type("X");
  EXPECT_EQ(buffer.text(), "oXree");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "one\ntwo\nthree");
  EXPECT_EQ(buffer.selected_text(), "ne\ntwo\nth");
}

TEST(TextBuffer, ANewEditAfterUndoForgetsTheRedo) {
  TextBuffer buffer;
  type_all(buffer, "a");
  buffer.undo();
  type_all(buffer, "b");
  EXPECT_FALSE(buffer.can_redo());
  EXPECT_EQ(buffer.text(), "b");
}

TEST(TextBuffer, MovementNeverStopsInsideACharacter) {
  TextBuffer buffer("a向b");  // 向 has three bytes
  buffer.move(Movement::right);
  buffer.move(Movement::right);
  EXPECT_EQ(buffer.cursor().column, 4U);
  buffer.move(Movement::left);
  EXPECT_EQ(buffer.cursor().column, 1U);
  buffer.place({0, 2});
  EXPECT_EQ(buffer.cursor().column, 1U);
  buffer.erase_right();
  EXPECT_EQ(buffer.text(), "ab");
}

TEST(TextBuffer, VerticalMovementRemembersItsColumn) {
  TextBuffer buffer("long line\nx\nlong line");
  buffer.place({0, 7});
  buffer.move(Movement::down);
  EXPECT_EQ(buffer.cursor(), (TextPosition{1, 1}));
  buffer.move(Movement::down);
  EXPECT_EQ(buffer.cursor(), (TextPosition{2, 7}));
}

TEST(TextBuffer, HomeGoesToTheIndentationThenToTheStart) {
  TextBuffer buffer("    x = 1;");
  buffer.move(Movement::line_end);
  buffer.move(Movement::line_start);
  EXPECT_EQ(buffer.cursor().column, 4U);
  buffer.move(Movement::line_start);
  EXPECT_EQ(buffer.cursor().column, 0U);
}

TEST(TextBuffer, WordMovementStopsAtWordsAndPunctuation) {
  TextBuffer buffer("out[i] = x;");
  std::vector<size_t> stops;
  while (buffer.cursor().column < 11) {
    buffer.move(Movement::word_right);
    stops.push_back(buffer.cursor().column);
  }
  EXPECT_EQ(stops, (std::vector<size_t>{3, 4, 5, 7, 9, 10, 11}));
}

TEST(TextBuffer, NewLineKeepsTheIndentationAndOpensAfterABrace) {
  TextBuffer buffer("  if (i < n) {");
  buffer.move(Movement::line_end);
  buffer.new_line();
  buffer.type("x");
  EXPECT_EQ(buffer.text(), "  if (i < n) {\n    x");
  TextBuffer braces("f() {}");
  braces.place({0, 5});
  braces.new_line();
  EXPECT_EQ(braces.text(), "f() {\n  \n}");
  EXPECT_EQ(braces.cursor(), (TextPosition{1, 2}));
}

TEST(TextBuffer, TabIsTwoSpacesAndIndentsSelectedLines) {
  TextBuffer buffer("a");
  buffer.indent();
  EXPECT_EQ(buffer.text(), "  a");
  TextBuffer lines("a\nb\n\nc");
  lines.select_all();
  lines.indent();
  EXPECT_EQ(lines.text(), "  a\n  b\n\n  c");
  lines.unindent();
  EXPECT_EQ(lines.text(), "a\nb\n\nc");
  TextBuffer pasted;
  pasted.paste("\tx");
  EXPECT_EQ(pasted.text(), "  x");
}

TEST(TextBuffer, BackspaceInTheIndentationTakesOneStep) {
  TextBuffer buffer("    x");
  buffer.place({0, 4});
  buffer.erase_left();
  EXPECT_EQ(buffer.text(), "  x");
}

TEST(TextBuffer, MovesDuplicatesAndDeletesLines) {
  TextBuffer buffer("a\nb\nc");
  buffer.place({1, 0});
  buffer.move_lines(true);
  EXPECT_EQ(buffer.text(), "a\nc\nb");
  EXPECT_EQ(buffer.cursor().line, 2U);
  buffer.move_lines(true);  // already last: nothing
  EXPECT_EQ(buffer.text(), "a\nc\nb");
  buffer.move_lines(false);
  buffer.duplicate_lines();
  EXPECT_EQ(buffer.text(), "a\nb\nb\nc");
  EXPECT_EQ(buffer.cursor().line, 2U);
  buffer.delete_lines();
  EXPECT_EQ(buffer.text(), "a\nb\nc");
  while (buffer.undo()) {
  }
  EXPECT_EQ(buffer.text(), "a\nb\nc");
}

TEST(TextBuffer, DeletingTheLastLineLeavesNoEmptyOne) {
  TextBuffer buffer("a\nb");
  buffer.place({1, 0});
  buffer.delete_lines();
  EXPECT_EQ(buffer.text(), "a");
  buffer.delete_lines();
  EXPECT_EQ(buffer.text(), "");
}

TEST(TextBuffer, CommentsAtTheCommonIndentationAndBack) {
  const std::string text = "  a;\n\n    b;";
  TextBuffer buffer(text);
  buffer.select_all();
  buffer.toggle_comment();
  EXPECT_EQ(buffer.text(), "  // a;\n\n  //   b;");
  buffer.toggle_comment();
  EXPECT_EQ(buffer.text(), text);
}

TEST(TextBuffer, FindsForwardsBackwardsAndAround) {
  const TextBuffer buffer("Block b\nblock BLOCK");
  EXPECT_EQ(buffer.find("block", {0, 0})->begin, (TextPosition{0, 0}));
  EXPECT_EQ(buffer.find("block", {0, 1})->begin, (TextPosition{1, 0}));
  EXPECT_EQ(buffer.find("BLOCK", {0, 0})->begin, (TextPosition{1, 6}));  // a capital letter makes the search
                                                                         // case-sensitive
  EXPECT_EQ(buffer.find("block", {1, 7})->begin, (TextPosition{0, 0}));
  EXPECT_EQ(buffer.find("block", {0, 0}, false)->begin, (TextPosition{1, 6}));
  EXPECT_EQ(buffer.find("block", {1, 6}, false)->begin, (TextPosition{1, 0}));
  EXPECT_FALSE(buffer.find("warp", {0, 0}));
  EXPECT_FALSE(buffer.find("", {0, 0}));
}

TEST(TextBuffer, AnyEditsUndoneToTheLastGiveTheFirstTextAgain) {
  std::mt19937 random(7);
  const std::string text = "extern \"C\" void f() {\n  int 向 = 0;\n\n}\n";
  TextBuffer buffer(text);
  for (int step = 0; step < 3000; ++step) {
    buffer.place({random() % 8, random() % 20}, random() % 3 == 0);
    switch (random() % 10) {
      case 0:
        buffer.type("x");
        break;
      case 1:
        buffer.paste("p\nq");
        break;
      case 2:
        buffer.new_line();
        break;
      case 3:
        buffer.erase_left(random() % 2 == 0);
        break;
      case 4:
        buffer.erase_right(random() % 2 == 0);
        break;
      case 5:
        buffer.indent();
        break;
      case 6:
        buffer.move_lines(random() % 2 == 0);
        break;
      case 7:
        buffer.delete_lines();
        break;
      case 8:
        buffer.toggle_comment();
        break;
      default:
        buffer.undo();
        break;
    }
  }
  const std::string last = buffer.text();
  int steps = 0;
  while (buffer.undo()) ++steps;
  EXPECT_EQ(buffer.text(), text);
  while (steps-- > 0) buffer.redo();
  EXPECT_EQ(buffer.text(), last);
}

TokenKind kind_of(Syntax syntax, std::string_view line, std::string_view word) {
  LineState state = LineState::plain;
  for (const Token& token : tokenize(syntax, line, &state))
    if (line.substr(token.begin, token.end - token.begin) == word) return token.kind;
  ADD_FAILURE() << "no token '" << word << "' in " << line;
  return TokenKind::text;
}

TEST(Tokenizer, CudaWords) {
  const std::string_view line = "extern \"C\" __global__ void add(const float* a, int n) {  // 向量";
  EXPECT_EQ(kind_of(Syntax::cuda, line, "extern"), TokenKind::keyword);
  EXPECT_EQ(kind_of(Syntax::cuda, line, "\"C\""), TokenKind::string);
  EXPECT_EQ(kind_of(Syntax::cuda, line, "__global__"), TokenKind::builtin);
  EXPECT_EQ(kind_of(Syntax::cuda, line, "void"), TokenKind::type);
  EXPECT_EQ(kind_of(Syntax::cuda, line, "add"), TokenKind::identifier);
  EXPECT_EQ(kind_of(Syntax::cuda, line, "// 向量"), TokenKind::comment);
  EXPECT_EQ(kind_of(Syntax::cuda, "int i = blockIdx.x * 0x1F + 1.5e-3f;", "blockIdx"), TokenKind::builtin);
  EXPECT_EQ(kind_of(Syntax::cuda, "int i = blockIdx.x * 0x1F + 1.5e-3f;", "0x1F"), TokenKind::number);
  EXPECT_EQ(kind_of(Syntax::cuda, "int i = blockIdx.x * 0x1F + 1.5e-3f;", "1.5e-3f"), TokenKind::number);
  EXPECT_EQ(kind_of(Syntax::cuda, "#pragma unroll", "#pragma unroll"), TokenKind::preprocessor);
  EXPECT_EQ(kind_of(Syntax::cuda, "x = 0x1e+y;", "0x1e"), TokenKind::number);
  EXPECT_EQ(kind_of(Syntax::cuda, "s = \"a\\\"b\";", "\"a\\\"b\""), TokenKind::string);
}

TEST(Tokenizer, PtxWords) {
  const std::string_view load = "  @%p1 ld.global.nc.v4.f32 {%f1, %f2}, [%rd4+16];";
  EXPECT_EQ(kind_of(Syntax::ptx, load, "ld"), TokenKind::keyword);
  EXPECT_EQ(kind_of(Syntax::ptx, load, ".global"), TokenKind::type);
  EXPECT_EQ(kind_of(Syntax::ptx, load, "%rd4"), TokenKind::identifier);
  EXPECT_EQ(kind_of(Syntax::ptx, load, "16"), TokenKind::number);
  EXPECT_EQ(kind_of(Syntax::ptx, "\tmov.u32 \t%r1, %ctaid.x;", "%ctaid"), TokenKind::builtin);
  EXPECT_EQ(kind_of(Syntax::ptx, ".loc 1 12 5", ".loc"), TokenKind::preprocessor);
}

TEST(Tokenizer, PythonWords) {
  EXPECT_EQ(kind_of(Syntax::python, "@triton.jit", "@triton.jit"), TokenKind::preprocessor);
  EXPECT_EQ(kind_of(Syntax::python, "def add(x):  # sum", "def"), TokenKind::keyword);
  EXPECT_EQ(kind_of(Syntax::python, "def add(x):  # sum", "# sum"), TokenKind::comment);
  EXPECT_EQ(kind_of(Syntax::python, "i = tl.program_id(0)", "tl"), TokenKind::builtin);
  EXPECT_EQ(kind_of(Syntax::python, "i = tl.program_id(0)", "program_id"), TokenKind::builtin);
  EXPECT_EQ(kind_of(Syntax::python, "x = tl.math.exp(y)", "exp"), TokenKind::builtin);
  EXPECT_EQ(kind_of(Syntax::python, "x = y.exp(z)", "exp"), TokenKind::identifier);
  EXPECT_EQ(kind_of(Syntax::python, "x = -float(\"inf\") + 1e-6", "\"inf\""), TokenKind::string);
  EXPECT_EQ(kind_of(Syntax::python, "x = -float(\"inf\") + 1e-6", "1e-6"), TokenKind::number);
  EXPECT_EQ(kind_of(Syntax::python, "print(f\"{x}\", rb'y')", "f\"{x}\""), TokenKind::string);
  EXPECT_EQ(kind_of(Syntax::python, "a = b // c", "c"), TokenKind::identifier) << "a division is no comment";
}

TEST(Tokenizer, MlirWords) {
  const std::string_view load = "%a_48 = tt.load %a#0 : tensor<64x!tt.ptr<f16>, #blocked> // x";
  EXPECT_EQ(kind_of(Syntax::mlir, load, "tt.load"), TokenKind::keyword);
  EXPECT_EQ(kind_of(Syntax::mlir, load, "%a#0"), TokenKind::identifier);
  EXPECT_EQ(kind_of(Syntax::mlir, load, "tensor"), TokenKind::type);
  EXPECT_EQ(kind_of(Syntax::mlir, load, "!tt.ptr"), TokenKind::type);
  EXPECT_EQ(kind_of(Syntax::mlir, load, "f16"), TokenKind::type);
  EXPECT_EQ(kind_of(Syntax::mlir, load, "#blocked"), TokenKind::builtin);
  EXPECT_EQ(kind_of(Syntax::mlir, load, "// x"), TokenKind::comment);
}

TEST(Tokenizer, APythonStringInThreeQuotesReachesAcrossLines) {
  LineState state = LineState::plain;
  tokenize(Syntax::python, "x = r\"\"\"one", &state);
  EXPECT_EQ(state, LineState::python_double_quotes);
  const auto tokens = tokenize(Syntax::python, "two\"\"\" + y", &state);
  EXPECT_EQ(state, LineState::plain);
  EXPECT_EQ(tokens.front().kind, TokenKind::string);
}

TEST(Tokenizer, TokensCoverAnyLineWithoutGaps) {
  std::mt19937 random(3);
  const std::string_view alphabet = "ab0.\"'/*%@#$_ {}[]+-\\\xE5\x90\x91\t:";
  for (int round = 0; round < 4000; ++round) {
    std::string line;
    for (size_t length = random() % 24; length > 0; --length) line += alphabet[random() % alphabet.size()];
    for (Syntax syntax : {Syntax::none, Syntax::cuda, Syntax::ptx, Syntax::python, Syntax::mlir}) {
      auto state = static_cast<LineState>(random() % 4);
      uint32_t at = 0;
      for (const Token& token : tokenize(syntax, line, &state)) {
        ASSERT_EQ(token.begin, at) << line;
        ASSERT_GT(token.end, token.begin) << line;
        at = token.end;
      }
      ASSERT_EQ(at, line.size()) << line;
    }
  }
}

TEST(Highlighter, ABlockCommentReachesAcrossLinesAndIsReadAgainWhenItCloses) {
  TextBuffer buffer("a\n/* b\nc\nd */ e\nf");
  Highlighter highlighter(Syntax::cuda);
  buffer.take_changes();
  highlighter.reset(buffer.lines());
  EXPECT_EQ(highlighter.tokens(2)[0].kind, TokenKind::comment);
  EXPECT_EQ(highlighter.tokens(4)[0].kind, TokenKind::identifier);
  buffer.place({1, 4});
  buffer.type(" */");
  const size_t read = highlighter.update(buffer.lines(), buffer.take_changes());
  EXPECT_EQ(highlighter.tokens(2)[0].kind, TokenKind::identifier);
  EXPECT_EQ(read, 3U);  // the edited line, c and d; the state at line f is unchanged
}

TEST(Highlighter, AfterManyEditsItAgreesWithATextReadAfresh) {
  std::mt19937 random(11);
  TextBuffer buffer("int a;\n/* x */\nfloat b;\n");
  Highlighter highlighter(Syntax::cuda);
  for (int step = 0; step < 500; ++step) {
    buffer.place({random() % 12, random() % 10}, random() % 4 == 0);
    const std::string_view pieces[] = {"/*", "*/", "\n", "int", "\"", "//", " "};
    if (random() % 4 == 0)
      buffer.undo();
    else
      buffer.paste(pieces[random() % std::size(pieces)]);
    if (random() % 3 == 0) continue;  // so that several changes are pending
    highlighter.update(buffer.lines(), buffer.take_changes());
    Highlighter fresh(Syntax::cuda);
    fresh.reset(buffer.lines());
    ASSERT_EQ(highlighter.line_count(), fresh.line_count());
    for (size_t line = 0; line < fresh.line_count(); ++line)
      ASSERT_EQ(highlighter.tokens(line), fresh.tokens(line)) << step;
  }
}

}  // namespace
}  // namespace tilescope
