// Central differences against derivatives that are known: by hand, and by the formulas.
#include "engine/autograd/differences.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/autograd/programs.hpp"
#include "engine/autograd/tape_text.hpp"

namespace tilescope {
namespace {

/// A program with inputs of its own.
struct Example {
  TapeProgram program;
  std::vector<std::vector<float>> contents;
  std::vector<float> upstream;
  TapeProblem problem;

  Example(const std::string& text, size_t rows, size_t columns, uint32_t seed = 1) {
    program = program_from_text(text).value();
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    const auto fill = [&](std::vector<float>& values, size_t count) {
      values.resize(count);
      for (float& value : values) value = normal(generator);
    };
    contents.resize(program.values.size());
    problem.rows = rows;
    problem.columns = columns;
    for (size_t value = 0; value < contents.size(); ++value)
      if (!program.values[value].node)
        fill(contents[value], program.values[value].shape == TapeShape::matrix ? rows * columns : columns);
    fill(upstream, rows * columns);
    show();
  }
  Example(const std::string& text, const std::vector<float>& x) : Example(text, 1, x.size()) {
    contents[0] = x;
    std::fill(upstream.begin(), upstream.end(), 1.0F);
    show();
  }
  void show() {
    problem.inputs.assign(contents.begin(), contents.end());
    problem.upstream = upstream;
  }
  Difference of(const std::string& name, size_t element) const {
    return TapeDifferences(program, problem).difference(*program.find(name), element);
  }
};

const std::string kChain(tape_examples().back().text);

TEST(Differences, OfAProductAreTheOtherFactor) {
  const Example run("x, w: matrix\ny = mul(x, w)\n", 3, 7);
  for (size_t i = 0; i < 21; ++i) {
    EXPECT_NEAR(run.of("x", i).value, double{run.upstream[i]} * double{run.contents[1][i]}, 1e-9);
    EXPECT_NEAR(run.of("w", i).value, double{run.upstream[i]} * double{run.contents[0][i]}, 1e-9);
  }
}

/// GELU's slope is ½ at 0, 1 far to the right and 0 far to the left; at 1 it is 1.0829640838, by hand:
/// u = √(2/π) · 1.044715, t = tanh u = 0.6823833, ½ (1 + t) + ½ (1 − t²) √(2/π) (1 + 3 · 0.044715).
TEST(Differences, OfGeluAreItsKnownSlopes) {
  const Example run("x: matrix\ny = gelu(x)\n", std::vector<float>{0, 1, 10, -10});
  const double u = std::sqrt(2 / std::acos(-1.0)) * 1.044715, t = std::tanh(u);
  const double at_one = 0.5 * (1 + t) + 0.5 * (1 - t * t) * std::sqrt(2 / std::acos(-1.0)) * (1 + 3 * 0.044715);
  EXPECT_NEAR(at_one, 1.08296, 1e-5);
  EXPECT_NEAR(run.of("x", 0).value, 0.5, 1e-10);
  EXPECT_NEAR(run.of("x", 1).value, at_one, 1e-10);
  EXPECT_NEAR(run.of("x", 2).value, 1, 1e-9);
  EXPECT_NEAR(run.of("x", 3).value, 0, 1e-9);
}

TEST(Differences, StayOnOneSideOfAKink) {
  const Example run("x: matrix\ny = relu(x)\n", std::vector<float>{1, -1, 1e-6F, -1e-6F, 1e-12F, -1e-12F, 0});
  const std::vector<double> expected{1, 0, 1, 0, 1, 0, 0};
  for (size_t i = 0; i < expected.size(); ++i) {
    const Difference one = run.of("x", i);
    EXPECT_NEAR(one.value, expected[i], 1e-6) << i;
    EXPECT_EQ(one.kink, i >= 2) << i;
  }
}

/// Across the kink of ReLU the slope would be a half, which is neither side's.
TEST(Differences, AcrossAKinkMeanNothing) {
  const Example run("x: matrix\ny = relu(x)\n", std::vector<float>{1e-6F});
  const Difference across = TapeDifferences(run.program, run.problem).difference(0, 0, 1e-3);
  EXPECT_NEAR(across.value, 0.5, 1e-3);
}

TEST(Differences, OfAnInputThatIsReadTwiceHaveBothParts) {
  const Example run("x: matrix\nh = mul(x, x)\ny = add(h, x)\n", std::vector<float>{3, -2});
  EXPECT_NEAR(run.of("x", 0).value, 7, 1e-8);
  EXPECT_NEAR(run.of("x", 1).value, -3, 1e-8);
}

/// The gradient of LayerNorm with respect to x adds up to 0 over a row: a constant that is added to the row changes
/// nothing. Nor does a factor, but for ε.
TEST(Differences, OfLayerNormHaveNoPartAlongAConstant) {
  const Example run("x: matrix\ngamma, beta: vector\ny = layernorm(x, gamma, beta)\n", 2, 50);
  for (size_t row = 0; row < 2; ++row) {
    double sum = 0, along = 0;
    for (size_t c = 0; c < 50; ++c) {
      const double gradient = run.of("x", row * 50 + c).value;
      sum += gradient;
      along += gradient * double{run.contents[0][row * 50 + c]};
    }
    EXPECT_NEAR(sum, 0, 1e-7);
    EXPECT_NEAR(along, 0, 1e-2);
  }
}

/// Brute force: the whole program for each side of each difference.
TEST(Differences, OfARowAreThoseOfTheWholeProgram) {
  const Example run(
      "x, w: matrix\ngamma, beta: vector\nh = mul(x, w)\nn = layernorm(h, gamma, beta)\na = gelu(n)\n"
      "r = relu(a)\ny = layernorm(r, beta, gamma)\n",
      3, 17, 4);
  const auto loss = [&](size_t input, size_t element, double step) {
    TapeNumbers values(run.program.values.size());
    std::vector<std::vector<float>> contents = run.contents;
    TapeProblem problem = run.problem;
    // A step that a float holds: 2^-10 of numbers about 1.
    contents[input][element] = static_cast<float>(double{contents[input][element]} + step);
    problem.inputs.assign(contents.begin(), contents.end());
    const TapeNumbers all = run_forward(run.program, problem);
    double sum = 0;
    for (size_t i = 0; i < run.upstream.size(); ++i) sum += double{run.upstream[i]} * all[run.program.result()][i];
    return sum;
  };
  for (const char* name : {"x", "w", "gamma", "beta"}) {
    const size_t input = *run.program.find(name);
    for (size_t element = 0; element < run.contents[input].size(); element += 5) {
      const double x = double{run.contents[input][element]};
      const double high = double{static_cast<float>(x + 0x1p-10)}, low = double{static_cast<float>(x - 0x1p-10)};
      const double whole = (loss(input, element, 0x1p-10) - loss(input, element, -0x1p-10)) / (high - low);
      EXPECT_NEAR(run.of(name, element).value, whole, 1e-4 * std::max(1.0, std::abs(whole))) << name << " " << element;
    }
  }
}

TEST(Differences, AgreeWithTheFormulasOfEveryProgramAndEveryChoiceOfWhatIsSaved) {
  std::vector<std::string> texts;
  for (const TapeExample& example : tape_examples()) texts.emplace_back(example.text);
  texts.emplace_back(
      "x: matrix\ngamma, beta: vector\nh = mul(x, x)\nn = layernorm(h, gamma, beta)\na = gelu(n)\n"
      "s = add(a, h)\nr = relu(s)\nz = mul(r, x)\ny = layernorm(z, beta, gamma)\n");
  for (const std::string& text : texts) {
    const Example run(text, 4, 33, 7);
    const TapeNumbers values = run_forward(run.program, run.problem);
    for (const Save save : {Save::all, Save::inputs, Save::checkpoint}) {
      const TapeNumbers gradients = run_backward(make_tape(with_save(run.program, save)), run.problem, values);
      for (size_t value = 0; value < run.contents.size(); ++value) {
        for (size_t i = 0; i < run.contents[value].size(); ++i) {
          const Difference one = run.of(run.program.values[value].name, i);
          EXPECT_NEAR(gradients[value][i], one.value, 1e-7) << text << run.program.values[value].name << " " << i;
        }
      }
    }
  }
}

/// What Difference::error says is not far below what the formulas show.
TEST(Differences, SayHowFarOffTheyAre) {
  const Example run(kChain, 6, 64, 3);
  const TapeNumbers gradients =
      run_backward(make_tape(run.program), run.problem, run_forward(run.program, run.problem));
  double largest = 0, estimate = 0;
  for (size_t i = 0; i < run.contents[0].size(); ++i) {
    const Difference one = run.of("x", i);
    largest = std::max(largest, std::abs(one.value - gradients[0][i]));
    estimate = std::max(estimate, one.error());
  }
  EXPECT_LT(largest, estimate);
  EXPECT_GT(largest, estimate / 100);
  EXPECT_LT(estimate, 1e-7);
}

/// A step that is 100 times too large or too small is worse than the usual one: truncation on one side, rounding on the
/// other.
TEST(Differences, TheUsualStepIsBetweenTruncationAndRounding) {
  const Example run("x: matrix\ny = gelu(x)\n", 1, 200, 5);
  const TapeDifferences differences(run.program, run.problem);
  const TapeNumbers gradients =
      run_backward(make_tape(run.program), run.problem, run_forward(run.program, run.problem));
  const auto largest = [&](double factor) {
    double error = 0;
    for (size_t i = 0; i < 200; ++i) {
      const double step = factor * usual_step(double{run.contents[0][i]});
      error = std::max(error, std::abs(differences.difference(0, i, step).value - gradients[0][i]));
    }
    return error;
  };
  EXPECT_GT(largest(100), 30 * largest(1));
  EXPECT_GT(largest(0.01), 30 * largest(1));
}

TEST(Differences, OfRangesAreThoseOfTheElements) {
  const Example run(kChain, 3, 20);
  const TapeDifferences differences(run.program, run.problem);
  for (const char* name : {"x", "gamma"}) {
    const size_t input = *run.program.find(name);
    std::vector<double> range(9);
    differences.gradients(input, 8, 17, range.data());
    for (size_t i = 0; i < range.size(); ++i) EXPECT_EQ(range[i], run.of(name, 8 + i).value) << name;
  }
  std::vector<double> results(25);
  differences.forward(15, 40, results.data());
  const TapeNumbers values = run_forward(run.program, run.problem);
  for (size_t i = 0; i < results.size(); ++i) EXPECT_DOUBLE_EQ(results[i], values[run.program.result()][15 + i]);
}

}  // namespace
}  // namespace tilescope
