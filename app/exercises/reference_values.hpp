// The expected values of an exercise: its reference.cu, a plain kernel in double precision, run in a simulator of its
// own on the inputs of the run that is compared.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/exercises/exercise.hpp"
#include "engine/executor.hpp"

namespace tilescope {

class Engine;

class ExerciseReference {
 public:
  using Buffers = std::vector<std::shared_ptr<const HostBuffer>>;

  ExerciseReference(std::shared_ptr<Engine> engine, Exercise exercise);

  /// Elements [begin, end) of an output, in the manner of Lab::reference. Thread-safe; the kernel runs once for the
  /// same inputs. Where the reference itself fails, a value that no output matches; problem() then says why.
  void fill(const ExerciseCase& one, const std::map<std::string, int64_t>& sizes, const Buffers& inputs, size_t output,
            size_t begin, size_t end, double* expected);
  std::optional<Error> problem() const;

 private:
  using Values = std::vector<std::vector<double>>;  // by output
  Result<Values> compute(const ExerciseCase& one, const std::map<std::string, int64_t>& sizes, const Buffers& inputs);

  std::shared_ptr<Engine> engine_;
  Exercise exercise_;
  std::unique_ptr<Executor> simulator_;
  mutable std::mutex mutex_;  // guards all below
  std::optional<std::string> text_;
  std::optional<std::map<std::string, int64_t>> sizes_;
  std::map<std::string, std::string> arguments_;  // those that the case replaces
  Buffers inputs_;  // of values_; they are shared, so an equal pointer means equal contents
  Values values_;
  std::optional<Error> problem_;
};

}  // namespace tilescope
