// The answers of the questions are computed from the configuration; the tests beside this one compare them with what
// runs show.
#include <gtest/gtest.h>

#include "engine/run/engine.hpp"
#include "tests/labs/predict_cases.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({.root = TILESCOPE_SOURCE});
  return *shared;
}

Config config_at(const Lab& lab, const Setting& setting) {
  Config config = default_config(lab, DeviceKind::sim);
  for (const auto& [name, value] : setting) {
    if (config.sizes.contains(name))
      config.sizes[name] = value;
    else
      config.params.at(name) = value;
  }
  return config;
}

}  // namespace

void expect_what_runs_show(const std::vector<Case>& cases) {
  if (!engine().compiler()) GTEST_SKIP() << engine().compiler().error().message;
  for (const Case& one : cases) {
    const Lab& lab = *find_lab(one.lab);
    const Predict& predict = lab.predicts.at(one.question);
    EXPECT_TRUE(predict.rungs.empty() || predict.concerns(one.rung)) << one.lab << " " << one.rung;
    EXPECT_GE(one.settings.size(), 3U) << one.lab;
    for (const Setting& setting : one.settings) {
      std::string where = one.lab + " " + one.rung + " question " + std::to_string(one.question);
      for (const auto& [name, value] : setting) where += fmt::format(" {}={}", name, value);
      SCOPED_TRACE(where);
      Request request;
      request.lab = one.lab;
      request.rung = one.rung;
      request.config = config_at(lab, setting);
      request.broken = one.broken;
      request.machine_code = false;
      const auto run = engine().run(request);
      if (!run && run.error().id == ErrorId::triton_missing) continue;
      EXPECT_TRUE(run) << run.error().message;
      if (!run) continue;
      EXPECT_TRUE(run->observed);
      EXPECT_TRUE(run->correctness.empty() || run->passed() != one.wrong);
      EXPECT_EQ(predict.answer(request.config), one.observe(*run));
    }
  }
}

namespace {

/// Questions that no run answers: a fact of the PTX ISA (the accuracy of tanh.approx), and the number of matrix
/// products of an algorithm.
const std::set<std::pair<std::string, size_t>> kNotCounted{{"gelu", 1}, {"attention-backward", 0}};
/// Compared with a calculator, with recorded counters and with the floats themselves, in predict_facts_test.cpp.
const std::set<std::pair<std::string, size_t>> kComparedElsewhere{
    {"execution-model", 2}, {"grouped-order", 1}, {"layernorm", 1}};

TEST(Predicts, EveryQuestionIsComparedWithRuns) {
  std::set<std::pair<std::string, size_t>> compared = compared_questions();
  compared.insert(kNotCounted.begin(), kNotCounted.end());
  compared.insert(kComparedElsewhere.begin(), kComparedElsewhere.end());
  for (const Lab& lab : labs())
    for (size_t question = 0; question < lab.predicts.size(); ++question)
      EXPECT_TRUE(compared.contains({lab.name, question})) << lab.name << ": " << lab.predicts[question].question.en;
}

}  // namespace
}  // namespace tilescope
