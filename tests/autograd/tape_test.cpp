// The tape: the order of both passes, what is saved, what runs again, where gradients are added, and errors by line.
#include "engine/autograd/tape.hpp"

#include <gtest/gtest.h>

#include "engine/autograd/programs.hpp"
#include "engine/autograd/tape_text.hpp"

namespace tilescope {
namespace {

TapeProgram program(const std::string& text) {
  auto read = program_from_text(text);
  EXPECT_TRUE(read) << read.error().message;
  return read ? std::move(*read) : TapeProgram();
}

/// "p h | a* | y' r'": forward steps, forward steps that run again with a star, backward steps with a prime.
std::string steps_of(const Tape& tape) {
  std::string text;
  for (const TapeStep& step : tape.steps) {
    text += (text.empty() ? "" : " ") + tape.program.values[tape.program.nodes[step.node].output].name;
    if (step.kind == TapeStep::Kind::recompute) text += "*";
    if (step.kind == TapeStep::Kind::backward) text += "'";
  }
  return text;
}

std::string kernels_of(const Tape& tape) {
  std::string text;
  for (const TapeStep& step : tape.steps)
    for (const std::string& kernel : kernels_of(tape, step)) text += (text.empty() ? "" : " ") + kernel;
  return text;
}

/// "x+ w" for the gradients that the backward step of this value writes; a plus where it adds.
std::string gradients_of(const Tape& tape, const std::string& output) {
  std::string text;
  for (const TapeStep& step : tape.steps) {
    if (step.kind != TapeStep::Kind::backward) continue;
    if (tape.program.values[tape.program.nodes[step.node].output].name != output) continue;
    for (const TapeGradient& one : step.gradients)
      text += (text.empty() ? "" : " ") + tape.program.values[one.value].name + (one.add ? "+" : "");
  }
  return text;
}

std::string error_of(const std::string& text) {
  const auto read = program_from_text(text);
  return read ? "no error" : read.error().message;
}

TEST(TapeProgramText, IsReadAndWrittenAgain) {
  for (const TapeExample& example : tape_examples())
    EXPECT_EQ(text_of(program(std::string(example.text))), example.text) << example.rung;
  const std::string chosen =
      "x: matrix\n"
      "a = gelu(x) : save=checkpoint\n"
      "y = mul(a, a) : save=inputs\n";
  EXPECT_EQ(text_of(program(chosen)), chosen);
}

TEST(TapeProgramText, CommentsAndBlankLinesCountAsLines) {
  const TapeProgram read = program("# a sum\n\nx, w: matrix   # inputs\n  y = add( x , w )  # the result\n");
  EXPECT_EQ(read.values[read.result()].line, 4U);
}

TEST(TapeProgramText, AnErrorNamesTheLineAndWhatIsWrong) {
  const std::string head = "x, w: matrix\ngamma, beta: vector\n";
  const auto line3 = [&](const std::string& line) { return error_of(head + line + "\n"); };
  EXPECT_EQ(line3("y = sin(x)"),
            "the graph's line 3: there is no operator 'sin'; the operators are add, mul, relu, gelu and layernorm");
  EXPECT_EQ(line3("y = add(x, z)"), "the graph's line 3: 'z' is not defined above this line");
  EXPECT_EQ(line3("y = add(x)"), "the graph's line 3: 'add' reads 2 values, and 1 are given");
  EXPECT_EQ(line3("y = relu(x, w)"), "the graph's line 3: 'relu' reads 1 values, and 2 are given");
  EXPECT_EQ(line3("y = add(x, gamma)"), "the graph's line 3: 'add' wants a matrix, and 'gamma' is a vector");
  EXPECT_EQ(line3("y = layernorm(x, gamma, w)"),
            "the graph's line 3: gamma and beta of 'layernorm' are vectors, and 'w' is a matrix");
  EXPECT_EQ(line3("y = relu(add(x, w))"), "the graph's line 3: write 'add(…)' in a line of its own, and its name here");
  EXPECT_EQ(line3("x = relu(w)"), "the graph's line 3: 'x' is already defined in line 1");
  EXPECT_EQ(line3("y: cube"), "the graph's line 3: 'cube' is no shape; the shapes are matrix and vector");
  EXPECT_EQ(line3("y relu(x)"), "the graph's line 3: after 'y' comes ':' or '='");
  EXPECT_EQ(line3("y = relu(x"), "the graph's line 3: it ends too early");
  EXPECT_EQ(line3("y = relu(x) : save=none"), "the graph's line 3: save is all, inputs or checkpoint, not 'none'");
  EXPECT_EQ(line3("y = relu x"), "the graph's line 3: after 'relu' comes '(' and what it reads");
  EXPECT_EQ(line3("+ y"), "the graph's line 3: '+ y' is not understood");
  EXPECT_EQ(line3("y = relu(x) extra"),
            "the graph's line 3: after an operator comes nothing, or : save=all, : save=inputs or : save=checkpoint");
}

TEST(TapeProgramText, EveryValueMustLeadToTheResult) {
  EXPECT_EQ(error_of("x, w: matrix\ny = relu(x)\n"),
            "the graph's line 1: 'w' is never read; only the last line, 'y', is the result");
  EXPECT_EQ(error_of("x: matrix\nh = gelu(x)\ny = relu(x)\n"),
            "the graph's line 2: 'h' is never read; only the last line, 'y', is the result");
  EXPECT_EQ(error_of("x: matrix\n"), "the graph's line 1: the program has no operator");
  EXPECT_EQ(error_of(""), "the graph's line 1: the program has no operator");
}

TEST(TapeProgramText, AProgramMayNotBeEndless) {
  std::string text = "x: matrix\nv0 = relu(x)\n";
  for (size_t i = 1; i < kMostTapeNodes; ++i) text += fmt::format("v{} = relu(v{})\n", i, i - 1);
  EXPECT_EQ(error_of(text), "no error");
  text += fmt::format("v{} = relu(v{})\n", kMostTapeNodes, kMostTapeNodes - 1);
  EXPECT_EQ(error_of(text), "the graph's line 42: a program has at most 40 operators");
  EXPECT_EQ(error_of("a_name_that_does_not_fit_anywhere: matrix\n"),
            "the graph's line 1: the name 'a_name_that_does_not_fit_anywhere' is longer than 24 letters");
}

TEST(Tape, TheBackwardPassOfTheChainRunsInReverse) {
  const Tape tape = make_tape(*program_of_rung("chain", Save::all));
  EXPECT_EQ(steps_of(tape), "p h a r y y' r' a' h' p'");
  EXPECT_EQ(kernels_of(tape),
            "mul add gelu_saving add layernorm_saving layernorm_backward_saved layernorm_backward_weights "
            "layernorm_backward_slabs add_backward gelu_backward_saved add_backward mul_backward");
}

TEST(Tape, TheSecondPartOfAGradientIsAdded) {
  const Tape tape = make_tape(*program_of_rung("chain", Save::all));
  EXPECT_EQ(gradients_of(tape, "r"), "a x") << "the residual is the first to reach x on the way back";
  EXPECT_EQ(gradients_of(tape, "p"), "x+ w");
  const Tape square = make_tape(program("x: matrix\ny = mul(x, x)\n"));
  EXPECT_EQ(gradients_of(square, "y"), "x x+");
}

/// 5 rows of 40 floats: a matrix has 800 bytes, the two statistics of the rows 40.
TEST(Tape, CountsWhatIsSavedOnce) {
  const auto saved = [](Save save) { return make_tape(*program_of_rung("chain", save)).saved_bytes(5, 40); };
  EXPECT_EQ(saved(Save::all), 2 * 800 + 800 + 40) << "h and r; the tanh of h; mean and 1/σ of r";
  EXPECT_EQ(saved(Save::inputs), 2 * 800);
  EXPECT_EQ(make_tape(*program_of_rung("chain", Save::all)).saved_bytes(5, 40, 2), 2 * 400 + 800 + 40)
      << "in bfloat16 the tanh stays a float";
  EXPECT_EQ(saved(Save::checkpoint), 0) << "the inputs of the program are there anyway";
  const Tape twice = make_tape(program("x: matrix\nh = gelu(x)\na = mul(h, h)\nb = gelu(h)\ny = mul(a, b)\n"));
  EXPECT_EQ(twice.saved_bytes(5, 40), 3 * 800 + 2 * 800)
      << "h, a, b; two tanhs: h is read by two operators and kept once";
}

TEST(Tape, ReluKeepsItsResultAndASumKeepsNothing) {
  const Tape relu = make_tape(program("x: matrix\nh = relu(x)\ny = add(h, x)\n"));
  ASSERT_EQ(relu.saved.size(), 1U);
  EXPECT_EQ(relu.program.values[*relu.saved[0].value].name, "h");
  EXPECT_TRUE(make_tape(*program_of_rung("add", Save::all)).saved.empty());
  const Tape last = make_tape(*program_of_rung("relu", Save::all));
  EXPECT_EQ(last.saved_bytes(5, 40), 0) << "the caller keeps the result anyway";
}

TEST(Tape, ACheckpointRunsTheForwardPassAgainUpToWhatIsNeeded) {
  const Tape chain = make_tape(*program_of_rung("chain", Save::checkpoint));
  EXPECT_EQ(steps_of(chain), "p h a r y p* h* a* r* y' r' a' h' p'");
  EXPECT_EQ(chain.recomputations(), 4U);
  const Tape part = make_tape(program(
      "x, w: matrix\np = mul(x, w)\nh = gelu(p) : save=checkpoint\na = relu(h) : save=checkpoint\ny = mul(a, x)\n"));
  EXPECT_EQ(steps_of(part), "p h a y h* a* y' a' h' p'") << "p is kept, so mul does not run again";
  EXPECT_EQ(part.saved_bytes(5, 40), 800) << "p";
}

TEST(Tape, OneChoiceForAllNodes) {
  for (const Save save : {Save::all, Save::inputs, Save::checkpoint}) {
    EXPECT_EQ(save_from(name_of(save)), save);
    for (const TapeNode& node : with_save(*program_of_rung("chain", Save::all), save).nodes) EXPECT_EQ(node.save, save);
  }
  EXPECT_FALSE(program_of_rung("no-rung", Save::all));
}

}  // namespace
}  // namespace tilescope
