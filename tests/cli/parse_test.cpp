#include "app/commands/parse.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

Result<Invocation> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "tilescope");
  return parse_command_line(static_cast<int>(words.size()), words.data(), {"tiles", "order"});
}

TEST(Parse, NoWordsOpenTheWindow) { EXPECT_TRUE(std::holds_alternative<WindowOptions>(*parse({}))); }

TEST(Parse, RepeatedOptionsAreAllKept) {
  const auto parsed = parse({"run", "vector-add", "--set", "BLOCK=64", "--set", "TILES=2", "--size", "n=7"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto& options = std::get<RunOptions>(*parsed);
  EXPECT_EQ(options.set, (std::vector<std::string>{"BLOCK=64", "TILES=2"}));
  EXPECT_EQ(options.size, (std::vector<std::string>{"n=7"}));
}

TEST(Parse, ALaunchIsChosenForRunAndShot) {
  EXPECT_EQ(std::get<RunOptions>(*parse({"run", "softmax", "--launch", "3"})).launch, "3");
  EXPECT_EQ(std::get<ShotCommandOptions>(*parse({"shot", "softmax", "--launch", "2", "--out", "x.png"})).run.launch,
            "2");
}

TEST(Parse, ExecTakesItsArgumentsInOrder) {
  const auto parsed = parse({"exec", "x.cu", "--kernel", "k", "--grid", "2", "--block", "32,2", "--arg", "i32:1",
                             "--arg", "buf:f32:8:zero:x", "--json"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto& options = std::get<ExecOptions>(*parsed);
  EXPECT_EQ(options.arguments, (std::vector<std::string>{"i32:1", "buf:f32:8:zero:x"}));
  EXPECT_EQ(options.block, "32,2");
  EXPECT_TRUE(options.json);
}

TEST(Parse, HelpAndVersionAreTexts) {
  EXPECT_NE(std::get<PrintText>(*parse({"--help"})).text.find("exec"), std::string::npos);
  EXPECT_NE(std::get<PrintText>(*parse({"run", "--help"})).text.find("--rung"), std::string::npos);
  const std::string version = std::get<PrintText>(*parse({"--version"})).text;
  EXPECT_TRUE(version.starts_with("tilescope " TILESCOPE_VERSION "\nTriton: ")) << version;
}

TEST(Parse, WhatTheWindowStartsByItselfIsNotOffered) {
  EXPECT_TRUE(std::holds_alternative<InteropTrialOptions>(*parse({"interop-trial"})));
  EXPECT_EQ(std::get<PrintText>(*parse({"--help"})).text.find("interop"), std::string::npos);
}

TEST(Parse, BadUsageIsOneSentence) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"fly"},
                                                                 {"run"},
                                                                 {"run", "vector-add", "--fast"},
                                                                 {"exec"},
                                                                 {"shot", "vector-add", "--panel", "x", "--out", "y"},
                                                                 {"bench", "--seconds", "-1"}}) {
    const auto parsed = parse(words);
    ASSERT_FALSE(parsed) << words.front();
    EXPECT_EQ(parsed.error().id, ErrorId::usage);
    EXPECT_EQ(parsed.error().message.find('\n'), std::string::npos) << parsed.error().message;
  }
}

}  // namespace
}  // namespace tilescope
