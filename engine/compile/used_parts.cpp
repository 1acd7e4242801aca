#include "engine/compile/used_parts.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/compile/source_parts.hpp"

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;
using KernelNames = std::set<std::string, std::less<>>;

std::string_view last_component(std::string_view name) {
  const size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

/// "scale" for "ns::scale<float>".
std::string_view kernel_name_of(std::string_view kernel) { return last_component(kernel.substr(0, kernel.find('<'))); }

/// Declarations that share a line, with the names that they declare and mention.
struct Unit {
  UsedPart part;
  size_t begin = 0, end = 0;              // bytes of the source
  KernelNames declares, mentions, calls;  // calls: mentions that may refer to a function
  bool is_operator = false;               // never called by name
  bool is_macro_call = false;
  bool is_used = false;
};

/// KernelNames introduced by a declaration of variables: those before an initial value, a bound or a comma.
void add_declared_names(std::span<const SourceToken> tokens, KernelNames& names) {
  int depth = 0;
  bool declares = true;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const SourceToken& token = tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}")) --depth;
    if (depth != 0) continue;
    if (token.is("=")) declares = false;
    if (token.is(",")) declares = true;
    const SourceToken& next = tokens[i + 1];
    const bool ends = next.is("=") || next.is(",") || next.is(";") || next.is("[") || next.is("{") || next.is("(");
    if (declares && token.kind == Kind::name && ends) names.emplace(token.text);
  }
}

/// For an enum the names inside its braces, for anything else the name of its part.
void add_type_names(std::span<const SourceToken> tokens, KernelNames& names) {
  const bool is_enum = !tokens.empty() && tokens.front().is("enum");
  for (size_t i = 0; is_enum && i + 1 < tokens.size(); ++i)
    if (tokens[i].kind == Kind::name && (tokens[i + 1].is(",") || tokens[i + 1].is("=") || tokens[i + 1].is("}")))
      names.emplace(tokens[i].text);
}

/// The tokens after "template <class T>"; all of them where that does not begin them.
std::span<const SourceToken> without_template(std::span<const SourceToken> tokens) {
  if (!tokens.front().is("template")) return tokens;
  int depth = 0;
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("<")) ++depth;
    if (tokens[i].is(">") && --depth == 0) return tokens.subspan(i + 1);
  }
  return tokens;
}

class UsedPartFinder {
 public:
  explicit UsedPartFinder(std::string_view text) : source_(parts_of_source(text)) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      lines_.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    for (const SourcePart& part : source_.parts)
      if (part.kind == SourcePart::Kind::type) types_.emplace(last_component(part.name));
    for (const SourcePart& part : source_.parts)
      if (!part.is_member) add(part);
    for (const SourceToken& token : source_.tokens)
      if (directive_name(token) == "define") add_macro(token);
    std::ranges::sort(units_, {}, &Unit::begin);
    join_lines();
    for (Unit& unit : units_) take_comment(unit);
  }

  std::vector<UsedPart> find(std::span<const std::string> kernels) {
    for (const std::string& kernel : kernels) use_kernel(kernel_name_of(kernel));
    while (!waiting_.empty()) {
      const size_t index = waiting_.back();
      waiting_.pop_back();
      for (size_t i = 0; i < units_.size(); ++i)
        if (reaches(units_[index], units_[i])) use(i);
    }
    std::vector<UsedPart> used;
    for (const Unit& unit : units_)
      if (unit.is_used) used.push_back(unit.part);
    return used;
  }

 private:
  std::span<const SourceToken> tokens_of(size_t begin, size_t end) const {
    const auto first = std::ranges::lower_bound(source_.tokens, begin, {}, &SourceToken::offset);
    const auto last = std::ranges::lower_bound(source_.tokens, end, {}, &SourceToken::offset);
    return {first, last};
  }

  /// Whether the name at i is called, has template arguments, or is passed as an argument.
  static bool can_be_call(std::span<const SourceToken> tokens, size_t i) {
    const auto is_one_of = [](const SourceToken& token, std::initializer_list<std::string_view> signs) {
      return std::ranges::any_of(signs, [&](std::string_view sign) { return token.is(sign); });
    };
    if (i + 1 == tokens.size()) return true;  // the end of a macro
    if (is_one_of(tokens[i + 1], {"(", "<"})) return true;
    return i > 0 && is_one_of(tokens[i - 1], {"(", "<", ",", "&", "="}) &&
           is_one_of(tokens[i + 1], {")", ">", ",", ";"});
  }

  static void add_mentions(std::span<const SourceToken> tokens, Unit& unit) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
      if (tokens[i].kind != Kind::name || member) continue;
      unit.mentions.emplace(tokens[i].text);
      if (can_be_call(tokens, i)) unit.calls.emplace(tokens[i].text);
    }
  }

  void add(const SourcePart& part) {
    const std::span<const SourceToken> tokens = tokens_of(part.begin, part.end);
    if (tokens.empty()) return;
    const std::span<const SourceToken> declaration = without_template(tokens);
    const bool alias = declaration.front().is("using") || declaration.front().is("typedef");
    Unit unit{.begin = part.begin, .end = part.end};
    unit.is_macro_call = part.kind == SourcePart::Kind::other && !alias;
    if (unit.is_macro_call && tokens.front().is("static_assert")) return;
    unit.part = {kind_of(part), std::string(last_component(part.name)), part.first_line, part.last_line};
    if (part.kind == SourcePart::Kind::variable) add_declared_names(tokens, unit.declares);
    if (part.kind == SourcePart::Kind::type) add_type_names(tokens, unit.declares);
    if (part.kind != SourcePart::Kind::variable && !unit.is_macro_call) unit.declares.insert(unit.part.name);
    // A member defined outside its class is used together with the class.
    for (std::string_view scope = part.name; scope.find("::") != std::string_view::npos;) {
      scope = scope.substr(0, scope.rfind("::"));
      if (types_.contains(last_component(scope))) unit.declares.emplace(last_component(scope));
    }
    if (alias && declaration.size() > 1 && declaration.front().is("using")) unit.declares.emplace(declaration[1].text);
    unit.is_operator = unit.part.name == "operator";
    unit.declares.erase("");
    add_mentions(tokens, unit);
    units_.push_back(std::move(unit));
  }

  static UsedPart::Kind kind_of(const SourcePart& part) {
    if (part.is_kernel) return UsedPart::Kind::kernel;
    if (part.kind == SourcePart::Kind::function) return UsedPart::Kind::function;
    return part.kind == SourcePart::Kind::type ? UsedPart::Kind::type : UsedPart::Kind::constant;
  }

  void add_macro(const SourceToken& token) {
    const std::vector<SourceToken> words = source_tokens(directive_rest(token));
    if (words.empty()) return;
    Unit unit{.begin = token.offset, .end = token.end()};
    const auto line_of = [&](size_t offset) {
      const auto after = std::ranges::upper_bound(lines_, offset, {}, [&](std::string_view line) {
        return static_cast<size_t>(line.data() - lines_[0].data());
      });
      return static_cast<uint32_t>(after - lines_.begin());
    };
    unit.part = {UsedPart::Kind::constant, std::string(words.front().text), line_of(unit.begin), line_of(unit.end - 1)};
    unit.declares.insert(unit.part.name);
    add_mentions(std::span(words).subspan(1), unit);
    units_.push_back(std::move(unit));
  }

  void join_lines() {
    std::vector<Unit> joined;
    for (Unit& unit : units_) {
      if (joined.empty() || unit.part.first_line > joined.back().part.last_line) {
        joined.push_back(std::move(unit));
        continue;
      }
      Unit& before = joined.back();
      before.part.last_line = std::max(before.part.last_line, unit.part.last_line);
      if (unit.part.kind == UsedPart::Kind::kernel) before.part.kind = unit.part.kind;
      before.declares.merge(unit.declares);
      before.mentions.merge(unit.mentions);
      before.calls.merge(unit.calls);
      before.is_operator = before.is_operator || unit.is_operator;
    }
    units_ = std::move(joined);
  }

  void take_comment(Unit& unit) {
    const auto is_comment = [&](uint32_t line) {  // 1-based
      std::string_view text = lines_[line - 1];
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      return text.starts_with("//") || text.starts_with("/*") || text.starts_with("*");
    };
    while (unit.part.first_line > 1 && is_comment(unit.part.first_line - 1)) --unit.part.first_line;
  }

  void use(size_t index) {
    if (std::exchange(units_[index].is_used, true)) return;
    waiting_.push_back(index);
  }

  void use_kernel(std::string_view name) {
    bool found = false;
    for (size_t i = 0; i < units_.size(); ++i)
      if (units_[i].declares.contains(name) && units_[i].part.kind == UsedPart::Kind::kernel) {
        use(i);
        found = true;
      }
    // A macro may have declared it.
    for (size_t i = 0; !found && i < units_.size(); ++i)
      if (units_[i].is_macro_call && units_[i].mentions.contains(name)) use(i);
  }

  static bool reaches(const Unit& from, const Unit& to) {
    if (to.is_used || to.part.kind == UsedPart::Kind::kernel) return false;
    const auto in = [](const KernelNames& names) {
      return [&names](const std::string& one) { return names.contains(one); };
    };
    if (to.is_operator)
      return from.part.kind == UsedPart::Kind::type && std::ranges::any_of(from.declares, in(to.mentions));
    return std::ranges::any_of(to.declares, in(to.part.kind == UsedPart::Kind::function ? from.calls : from.mentions));
  }

  SourceParts source_;
  std::vector<std::string_view> lines_;
  KernelNames types_;
  std::vector<Unit> units_;
  std::vector<size_t> waiting_;  // used, but not examined for their mentions yet
};

}  // namespace

std::vector<UsedPart> used_parts(std::string_view text, std::span<const std::string> kernels) {
  return UsedPartFinder(text).find(kernels);
}

}  // namespace tilescope
