#include "engine/compile/source_parts.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;

template <size_t N>
bool is_one_of(const SourceToken& token, const std::array<std::string_view, N>& words) {
  return token.kind == Kind::name && std::find(words.begin(), words.end(), token.text) != words.end();
}

constexpr std::array<std::string_view, 5> kDeviceWords{"__global__", "__device__", "__constant__", "__shared__",
                                                       "__managed__"};
constexpr std::array<std::string_view, 4> kTypeWords{"class", "struct", "union", "enum"};
/// Names that a parenthesis may follow without being the declared function; so may all names such as __launch_bounds__.
constexpr std::array<std::string_view, 5> kAttributeWords{"alignas", "__declspec", "decltype", "noexcept", "requires"};
/// Declarations that begin with one of these are kept unchanged.
constexpr std::array<std::string_view, 7> kKeptWords{"using", "typedef",   "static_assert", "friend",
                                                     "asm",   "namespace", "concept"};

bool is_attribute(const SourceToken& token) {
  return is_one_of(token, kAttributeWords) ||
         (token.kind == Kind::name && token.text.starts_with("__") && token.text.ends_with("__"));
}

/// Names of macros that expand to __device__ or __global__, in this source or by convention ("HOST_DEVICE").
std::set<std::string_view> device_macros(const std::vector<SourceToken>& tokens) {
  std::set<std::string_view> macros;
  for (bool grew = true; grew;) {
    grew = false;
    for (const SourceToken& token : tokens) {
      if (directive_name(token) != "define") continue;
      const auto words = source_tokens(directive_rest(token));
      if (words.empty() || macros.contains(words.front().text)) continue;
      const bool on_device = std::any_of(words.begin() + 1, words.end(), [&](const SourceToken& word) {
        return is_one_of(word, kDeviceWords) || (word.kind == Kind::name && macros.contains(word.text));
      });
      if (!on_device) continue;
      // The token's own text, because `words` has views into the same source.
      macros.insert(words.front().text);
      grew = true;
    }
  }
  return macros;
}

bool is_device_name_by_custom(std::string_view name) {
  const bool capital = std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return capital && (name.find("DEVICE") != std::string_view::npos || name.find("GLOBAL") != std::string_view::npos);
}

class PartFinder {
 public:
  explicit PartFinder(std::string_view text) : text_(text) {
    result_.tokens = source_tokens(text);
    for (const SourceToken& token : result_.tokens) {
      if (token.kind == Kind::name) result_.names.insert(token.text);
      if (token.kind != Kind::directive) continue;
      for (const SourceToken& word : source_tokens(directive_rest(token)))
        if (word.kind == Kind::name) result_.names.insert(word.text);
    }
    macros_ = device_macros(result_.tokens);
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') line_ends_.push_back(i);
  }

  SourceParts find() {
    read_scope(0, size(), false);
    return std::move(result_);
  }

 private:
  /// What is known about one declaration while it is read.
  struct Declaration {
    SourcePart part;
    size_t name_at = 0;             // token of the declared name
    size_t open = 0;                // token of the parenthesis after it; 0: none
    size_t body = 0, body_end = 0;  // tokens of a class's braces; 0: none
    bool has_parameters = false;    // a name with a parenthesis: a function, or an object with arguments
    bool has_initialiser = false, is_kept = false, is_instantiation = false;
    bool is_friend = false, is_static = false;
  };

  size_t size() const { return result_.tokens.size(); }
  const SourceToken& at(size_t i) const { return result_.tokens[i]; }
  bool is(size_t i, std::string_view text) const { return i < size() && at(i).is(text); }
  uint32_t line_of(size_t offset) const {
    return static_cast<uint32_t>(std::lower_bound(line_ends_.begin(), line_ends_.end(), offset) - line_ends_.begin()) +
           1;
  }

  /// The declarations in [i, end) of the source, of a namespace, or of a class.
  void read_scope(size_t i, size_t end, bool in_class) {
    const size_t depth = scopes_.size();
    while (i < end) {
      if (at(i).kind == Kind::directive) {
        follow_conditional(at(i));
        ++i;
      } else if (is(i, ";") || is(i, "{")) {
        ++i;
      } else if (is(i, "}")) {
        if (scopes_.size() > depth) scopes_.pop_back();
        ++i;
      } else if (in_class && i + 1 < end && is(i + 1, ":") &&
                 (is(i, "public") || is(i, "private") || is(i, "protected"))) {
        i += 2;
      } else if (const size_t inside = namespace_body(i); inside != 0) {
        i = inside;
      } else {
        i = read_declaration(i, end, in_class);
      }
    }
    scopes_.resize(std::min(depth, scopes_.size()));
  }

  /// #else continues in the scope of its #if, so that both branches may open the same namespace.
  void follow_conditional(const SourceToken& token) {
    const std::string_view name = directive_name(token);
    if (name.starts_with("if")) {
      conditionals_.push_back(scopes_);
    } else if (name.starts_with("el") && !conditionals_.empty()) {
      if (scopes_.size() != conditionals_.back().size()) scopes_ = conditionals_.back();
    } else if (name == "endif" && !conditionals_.empty()) {
      conditionals_.pop_back();
    }
  }

  /// The token after the brace of `namespace a::b {` or `extern "C" {`; 0 for anything else.
  size_t namespace_body(size_t i) {
    if (is(i, "extern") && i + 2 < size() && at(i + 1).kind == Kind::string && is(i + 2, "{")) {
      scopes_.emplace_back();
      return i + 3;
    }
    if (is(i, "inline") && is(i + 1, "namespace")) ++i;
    if (!is(i, "namespace")) return 0;
    std::string name;
    for (++i; i < size() && (at(i).kind == Kind::name || is(i, "::")); ++i) name += at(i).text;
    if (!is(i, "{")) return 0;
    scopes_.push_back(name.empty() ? "(anonymous namespace)" : name);
    return i + 1;
  }

  /// The token after the group that opens at i. A group with a conditional inside may open twice and close once.
  size_t skip_group(size_t i) const {
    const std::string_view closing = is(i, "(") ? ")" : is(i, "[") ? "]" : "}";
    int depth = 0;
    std::vector<int> conditionals;
    for (; i < size(); ++i) {
      const SourceToken& token = at(i);
      if (token.kind == Kind::directive) {
        const std::string_view name = directive_name(token);
        if (name.starts_with("if")) conditionals.push_back(depth);
        // Without an #if inside, the group was opened in a branch, and opens again in this one.
        if (name.starts_with("el")) depth = conditionals.empty() ? 0 : conditionals.back();
        if (name == "endif" && !conditionals.empty()) conditionals.pop_back();
      } else if (token.is("(") || token.is("[") || token.is("{")) {
        ++depth;
      } else if (token.is(")") || token.is("]") || token.is("}")) {
        if (--depth == 0 && token.is(closing)) return i + 1;
      }
    }
    return size();
  }

  /// The token after <…>, or i if it is not a list of template arguments.
  size_t skip_angles(size_t i) const {
    if (!is(i, "<")) return i;
    int depth = 0;
    for (size_t j = i; j < size(); ++j) {
      if (is(j, "<")) ++depth;
      if (is(j, ">")) --depth;
      if (is(j, ">>>")) depth -= 3;
      if (depth <= 0) return j + 1;
      if (is(j, ";") || is(j, "{") || is(j, "}") || is(j, "<<<")) return i;
      if (is(j, "(") || is(j, "[")) j = skip_group(j) - 1;
    }
    return i;
  }

  bool is_device_word(const SourceToken& token) const {
    return token.kind == Kind::name &&
           (is_one_of(token, kDeviceWords) || macros_.contains(token.text) || is_device_name_by_custom(token.text));
  }

  size_t read_declaration(size_t i, size_t end, bool in_class) {
    Declaration declaration;
    const size_t first = i;
    while (is(i, "template")) {
      if (!is(i + 1, "<")) declaration.is_instantiation = true;
      if (is(i + 1, "<")) declaration.part.is_template = true;
      i = std::max(skip_angles(i + 1), i + 1);
    }
    declaration.is_kept = i < end && (is_one_of(at(i), kKeptWords));
    declaration.is_friend = is(i, "friend");
    if (is_macro_call(i, end)) {
      i = skip_group(i + 1);
      if (is(i, ";")) ++i;
    } else {
      i = read_to_its_end(i, end, declaration);
    }
    finish(declaration, first, std::max(i, first + 1), in_class);
    return std::max(i, first + 1);
  }

  /// NAME(…) with no declaration before it and no body after it.
  bool is_macro_call(size_t i, size_t end) const {
    if (i + 1 >= end || at(i).kind != Kind::name || !is(i + 1, "(") || is_device_word(at(i))) return false;
    if (is_attribute(at(i)) || is_one_of(at(i), kKeptWords)) return false;
    const size_t after = skip_group(i + 1);
    return after >= end || is(after, ";") || is(after, "}") || at(after).kind == Kind::directive ||
           (at(after).kind == Kind::name && line_of(at(after).offset) > line_of(at(after - 1).offset));
  }

  size_t read_to_its_end(size_t i, size_t end, Declaration& declaration) {
    bool is_type = false, in_member_initialisers = false;
    for (size_t last = i; i < end; last = i - 1) {
      const SourceToken& token = at(i);
      if (token.is(";")) return i + 1;
      if (token.is("}")) return i;
      if (token.is("operator")) {
        i = read_operator(i, declaration);
      } else if (token.is("(")) {
        note_parameters(i, last, declaration);
        i = skip_group(i);
      } else if (token.is("[")) {
        i = skip_group(i);
      } else if (token.is("{")) {
        const size_t after = skip_group(i);
        const bool member_value = in_member_initialisers && (at(last).kind == Kind::name || is(last, ">"));
        declaration.part.is_definition = true;
        if (is_type && !declaration.has_parameters && declaration.body == 0) {
          declaration.body = i;
          declaration.body_end = after;
        } else if (declaration.has_parameters && !declaration.has_initialiser && !member_value) {
          return after;
        }
        i = after;
      } else if (token.is("<")) {
        i = std::max(skip_angles(i), i + 1);
      } else {
        if (token.is("=")) declaration.has_initialiser = declaration.part.is_definition = true;
        if (token.is(":") && declaration.has_parameters) in_member_initialisers = true;
        if (is_one_of(token, kTypeWords) && !declaration.has_parameters) is_type = true;
        note_word(i, declaration);
        ++i;
      }
      if (is_type && declaration.body == 0) declaration.part.kind = SourcePart::Kind::type;
    }
    return i;
  }

  size_t read_operator(size_t i, Declaration& declaration) const {
    declaration.name_at = i;
    declaration.has_parameters = true;
    for (++i; i < size() && !is(i, "("); ++i)
      if (is(i, ";") || is(i, "{")) return i;
    if (is(i, "(") && is(i + 1, ")") && is(i + 2, "(")) i += 2;  // operator()(…)
    return i;
  }

  void note_parameters(size_t open, size_t last, Declaration& declaration) const {
    if (declaration.has_initialiser || declaration.body != 0 || last >= open) return;
    // `void BOUNDS(256) kernel(…)`: the presumed function was a macro.
    const bool after_macro = last > 0 && at(last).kind == Kind::name && is(last - 1, ")");
    if (declaration.has_parameters && !after_macro) return;
    size_t name = last;
    if (is(last, ">")) {  // f<int>(…)
      for (int depth = 0; name > 0; --name) {
        if (is(name, ">")) ++depth;
        if (is(name, "<") && --depth == 0) break;
      }
      if (name > 0) --name;
    }
    if (at(name).kind != Kind::name || is_attribute(at(name))) return;
    if (name > 0 && is_one_of(at(name - 1), kTypeWords)) return;  // struct ALIGNED(16) Pair {
    declaration.has_parameters = true;
    declaration.name_at = name;
    declaration.open = open;
  }

  void note_word(size_t i, Declaration& declaration) const {
    const SourceToken& token = at(i);
    if (token.kind != Kind::name) return;
    SourcePart& part = declaration.part;
    if (token.is("__global__")) part.is_kernel = true;
    if (is_device_word(token)) part.on_device = true;
    if (token.is("__host__")) part.host_only = true;
    if (token.is("static")) declaration.is_static = true;
    if (token.is("constexpr") || token.is("consteval")) part.is_constexpr = true;
    // `const` after the parameters qualifies a member function, not a value.
    if (token.is("const") && !declaration.has_parameters) part.is_const = true;
    if (!declaration.has_parameters && !declaration.has_initialiser && declaration.body == 0) declaration.name_at = i;
  }

  void finish(Declaration& declaration, size_t first, size_t end, bool in_class) {
    SourcePart& part = declaration.part;
    part.begin = at(first).offset;
    part.end = at(end - 1).end();
    part.first_line = line_of(part.begin);
    part.last_line = line_of(part.end - 1);
    part.is_member = in_class;
    if (in_class) part.is_loose = declaration.is_friend;
    part.is_complete = at(end - 1).is(";") || at(end - 1).is("}") || at(end - 1).is(")");
    if (declaration.open != 0) {
      const size_t from = at(declaration.open).end();
      part.parameters = text_.substr(from, at(skip_group(declaration.open) - 1).offset - from);
    }
    if (declaration.is_kept || declaration.is_instantiation) {
      part.kind = SourcePart::Kind::other;
    } else if (declaration.body != 0) {
      part.kind = SourcePart::Kind::type;
    } else if (declaration.has_parameters) {
      part.kind = SourcePart::Kind::function;
    } else if (part.kind != SourcePart::Kind::type && declaration.name_at > first && part.is_complete) {
      part.kind = SourcePart::Kind::variable;
      part.is_loose = in_class && declaration.is_static;
    }
    const std::string own_name = name_of(declaration);
    part.name = qualified(own_name);
    if (part.on_device) part.host_only = false;
    const size_t index = result_.parts.size();
    result_.parts.push_back(part);
    if (declaration.body == 0) return;
    scopes_.push_back(own_name);
    read_scope(declaration.body + 1, declaration.body_end - 1, true);
    scopes_.pop_back();
    for (size_t i = index + 1; i < result_.parts.size(); ++i)
      if (result_.parts[i].on_device) result_.parts[index].on_device = true;
  }

  /// The declared name with its qualifiers: "Tree::insert".
  std::string name_of(const Declaration& declaration) const {
    size_t i = declaration.name_at;
    if (declaration.body != 0) {  // the name of a class precedes its bases
      for (size_t j = declaration.body; j-- > 0;)
        if (is_one_of(at(j), kTypeWords)) {
          i = j + 1;
          while (i < declaration.body && (is_attribute(at(i)) || is(i, "class") || is(i, "struct") || is(i + 1, "(")))
            i = is(i + 1, "(") ? skip_group(i + 1) : i + 1;
          break;
        }
    }
    if (i >= size() || at(i).kind != Kind::name) return {};
    size_t first = i;
    while (first >= 2 && is(first - 1, "::") && at(first - 2).kind == Kind::name) first -= 2;
    std::string name;
    for (size_t j = first; j <= i; ++j) name += at(j).text;
    return name;
  }

  std::string qualified(const std::string& name) const {
    std::string whole;
    for (const std::string& scope : scopes_)
      if (!scope.empty()) whole += scope + "::";
    return whole + name;
  }

  std::string_view text_;
  SourceParts result_;
  std::set<std::string_view> macros_;
  std::vector<size_t> line_ends_;
  std::vector<std::string> scopes_;
  std::vector<std::vector<std::string>> conditionals_;
};

}  // namespace

SourceParts parts_of_source(std::string_view text) { return PartFinder(text).find(); }

std::vector<SourceLaunch> launches_of_source(const SourceParts& source, std::string_view text) {
  std::vector<SourceLaunch> launches;
  const auto& tokens = source.tokens;
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (!tokens[i].is("<<<")) continue;
    size_t name = i - 1;
    int depth = 0;
    for (; name > 0 && (depth > 0 || tokens[name].is(">")); --name) {
      if (tokens[name].is(">")) ++depth;
      if (tokens[name].is("<")) --depth;
    }
    if (tokens[name].kind != Kind::name) continue;
    size_t first = name;
    while (first >= 2 && tokens[first - 1].is("::") && tokens[first - 2].kind == Kind::name) first -= 2;
    SourceLaunch launch;
    launch.kernel = text.substr(tokens[first].offset, tokens[name].end() - tokens[first].offset);
    launch.expression = text.substr(tokens[first].offset, tokens[i - 1].end() - tokens[first].offset);
    launch.line = static_cast<uint32_t>(
                      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(tokens[i].offset), '\n')) +
                  1;
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace tilescope
