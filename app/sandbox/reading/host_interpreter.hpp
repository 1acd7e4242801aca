// Interprets the statements of host code in order, as far as host_reading.hpp needs.
#pragma once

#include "app/sandbox/reading/host_expression.hpp"
#include "app/sandbox/reading/host_reading.hpp"

namespace tilescope {

/// return, struct, …: does not begin the type of a declaration.
bool begins_no_type(const SourceToken& token);
bool is_qualifier(const SourceToken& token);   // const, static, …
bool is_arithmetic(const SourceToken& token);  // unsigned, int, auto, …
bool is_vector(const SourceToken& token);      // vector, device_vector, host_vector
bool is_allocation(const SourceToken& token);  // cudaMalloc, …
bool is_floating_type(const ParameterType& type);

class HostInterpreter {
 public:
  using Extents = std::array<size_t, 3>;  // variables
  /// The meaning of names at a statement of a function.
  struct Scope {
    const HostSource::Function* function = nullptr;          // null: outside all functions
    std::map<std::string, size_t> values;                    // → variables
    std::map<std::string, Extents> extents;                  // dim3
    std::map<std::string, size_t> pointers;                  // → buffers
    std::map<std::string, std::string> types;                // for numbers and arrays; for a pointer, its target type
    std::map<std::string, HostValue> lengths;                // number of elements of arrays
    std::map<std::string, std::vector<HostValue>> elements;  // arrays that are set only by an initialiser list
    std::map<std::string, std::string> type_arguments;
    std::set<std::string> guessed;   // numbers first set by a branch that may not be taken
    std::set<std::string> defaults;  // dim3 without an initial value
    std::string returned;            // the name in the last `return name;`
  };

  /// Reads the code outside functions.
  HostInterpreter(const HostSource& host, size_t most_steps);
  /// Continues from there.
  HostInterpreter(const HostInterpreter& around, size_t most_steps);

  /// Names as they are before `token` of a function, which is assumed to be called as in its first call in the file.
  Scope scope_at(const HostSource::Function& function, size_t token, int depth);
  /// Only count and position if reading takes too many steps: what was read until then may be wrong.
  HostLaunch launch_at(size_t name, size_t angles, size_t launches);
  /// Number of tokens processed.
  size_t steps() const { return steps_; }

 private:
  bool is(size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }
  bool spend(size_t steps);
  /// The token after the bracket group that opens at i.
  size_t group_end(size_t i) const { return i < tokens_.size() ? host_.group_ends_[i] : i; }
  HostPlace place_of(const Scope& scope, size_t token) const;

  // Expressions.
  HostMeaning meaning(Scope& scope);
  HostValue evaluate(Scope& scope, Tokens tokens);
  HostValue value_of(Scope& scope, const std::string& path);
  HostValue call(Scope& scope, const std::string& name, const std::vector<Tokens>& arguments);
  HostValue call_macro(Scope& scope, const HostSource::Macro& macro, const std::vector<Tokens>& arguments);
  HostValue call_expression(Scope& scope, const HostSource::Function* function, const std::vector<Tokens>& arguments);
  std::optional<int64_t> size_of(Scope& scope, Tokens tokens);
  ParameterType type_named(const Scope& scope, const std::string& text) const;
  /// Nothing if the tokens are not a number type.
  std::optional<ParameterType> number_type(const Scope& scope, Tokens tokens) const;
  /// Null if the type cannot represent it.
  HostValue held_by(const ParameterType& type, HostValue value) const;
  std::optional<size_t> pointer(Scope& scope, Tokens tokens);
  static bool is_null_pointer(Tokens tokens);
  std::optional<Extents> extents(Scope& scope, Tokens tokens, size_t at);
  std::optional<Extents> extents_of(Scope& scope, const std::vector<Tokens>& arguments, size_t at);

  // Statements from `begin` to before `end`. Blocks that enclose `target` are entered, since the launch is there.
  void run(Scope& scope, size_t begin, size_t end, size_t target);
  struct Flow;
  /// The token at which `if`, loops, directives and the like continue; i itself if none of them is at i.
  size_t control(Scope& scope, Flow& flow, size_t i);
  size_t branch(Scope& scope, Flow& flow, size_t i);
  size_t loop(Flow& flow, size_t i);
  size_t lambda(Scope& scope, Flow& flow, size_t i);
  size_t after_third_clause(Flow& flow, size_t i) const;
  size_t after_type(size_t i, size_t end) const;
  size_t after_directive(size_t i, size_t target) const;
  std::optional<bool> is_taken(const SourceToken& directive) const;
  /// The token after the statement that begins at i.
  size_t statement_end(size_t i);
  void statement(Scope& scope, const Flow& flow, size_t i);
  size_t declaration(Scope& scope, size_t i, size_t end, bool weak);
  /// One name of a declaration: its initialiser begins at `at`, with = ( { or [.
  struct Declarator {
    std::string name;
    Tokens type;
    std::string type_text;  // without qualifiers: "unsigned int"
    int stars = 0;
    size_t at = 0, end = 0;
    bool constant = false;
  };
  void declare(Scope& scope, const Declarator& one);
  void declare_extents(Scope& scope, const Declarator& one);
  void declare_vector(Scope& scope, const Declarator& one, size_t angle);
  void declare_array(Scope& scope, const Declarator& one);
  void note_elements(Scope& scope, const Declarator& one, size_t close);
  bool declare_pointer(Scope& scope, const Declarator& one);
  std::vector<Tokens> group_at(size_t open) const;
  /// How certainly a statement is executed.
  struct Certainty {
    bool weak = false;      // possibly not executed
    bool repeated = false;  // possibly executed more than once before the launch
    bool counts = false;    // the first clause of such a loop
  };
  void assignment(Scope& scope, size_t i, Certainty certainty);
  bool assign_extents(Scope& scope, const std::string& path, std::string_view operation, Tokens tokens, size_t i,
                      Certainty certainty);
  void assign_number(Scope& scope, const std::string& path, std::string_view operation, Tokens tokens, size_t i,
                     Certainty certainty);
  void increment(Scope& scope, size_t i, Certainty certainty);
  void forget(Scope& scope, const std::string& path, size_t token);
  void enumeration(Scope& scope, size_t i);
  void allocation(Scope& scope, size_t i, bool weak);
  void memory_set(Scope& scope, size_t i);
  void memory_copy(Scope& scope, size_t i);
  void symbol_copy(Scope& scope, size_t i);
  void library_call(Scope& scope, size_t i);
  void stream_input(Scope& scope, size_t i);
  void run_function(Scope& scope, size_t i);
  std::optional<Scope> call_function(Scope& scope, size_t name);
  void bind(Scope& callee, const HostSource::Function& function, Scope* caller, size_t name);
  size_t new_variable(const HostPlace& place, const std::string& name, HostValue value, bool floating);
  size_t define(Scope& scope, const std::string& name, HostValue value, bool floating, size_t token);
  std::vector<std::string> template_arguments(Scope& scope, Tokens tokens, std::set<size_t>& variables);
  size_t new_buffer(const std::string& type);
  size_t end_of_initialiser(size_t i, size_t end) const;
  Tokens between(size_t begin, size_t end) const;

  const HostSource& host_;
  const std::vector<SourceToken>& tokens_;
  HostVariables variables_;
  std::vector<HostMemory> buffers_;
  std::map<std::string, HostSymbol> symbols_;
  Scope global_;
  std::set<std::string> open_macros_;
  int depth_ = 0;  // nesting of calls and macros
  size_t most_steps_;
  size_t steps_ = 0;
};

}  // namespace tilescope
