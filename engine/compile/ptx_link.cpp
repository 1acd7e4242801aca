#include "engine/compile/ptx_link.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "engine/compile/kernel_names.hpp"
#include "engine/compile/ptx_text.hpp"

namespace tilescope {
namespace {

/// Functions that the driver provides.
bool is_of_the_driver(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames{"vprintf", "__assertfail", "malloc", "free"};
  return std::ranges::find(kNames, name) != kNames.end() || name.starts_with("cuda") || name.starts_with("__cuda");
}

enum class Linkage { own, visible, weak, external };
enum class Sort { header, declaration, variable, function, other };

/// One top-level statement of a module.
struct Item {
  std::string_view text;
  Sort sort = Sort::other;
  Linkage linkage = Linkage::own;
  std::string name;
  bool is_entry = false, is_shared = false;
  size_t module = 0;
};

/// Splits a module into its statements; comments between them are dropped.
class ItemReader {
 public:
  ItemReader(std::string_view ptx, size_t module) : text_(ptx), module_(module) {}

  std::vector<Item> read() {
    std::vector<Item> items;
    while (skip_blanks()) {
      Item item;
      item.module = module_;
      item.text = text_.substr(at_, end_of_item() - at_);
      at_ += item.text.size();
      classify(item);
      items.push_back(std::move(item));
    }
    return items;
  }

 private:
  bool skip_blanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return true;
      }
    }
    return false;
  }

  size_t end_of_item() const {
    for (const std::string_view line : {".version", ".target", ".address_size", ".file"})
      if (text_.substr(at_).starts_with(line)) return std::min(text_.find('\n', at_), text_.size());
    int depth = 0;
    const bool initialised =
        text_.substr(at_, text_.find_first_of(";{", at_) - at_).find('=') != std::string_view::npos;
    for (size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '/' && text_.substr(i).starts_with("//")) i = std::min(text_.find('\n', i), text_.size()) - 1;
      if (c == '"') i = std::min(text_.find('"', i + 1), text_.size());
      if (c == '{') ++depth;
      if (c == '}' && --depth == 0 && !initialised) return i + 1;
      if (c == ';' && depth == 0) return i + 1;
    }
    return text_.size();
  }

  static void classify(Item& item) {
    std::string_view rest = item.text;
    const auto next_word = [&rest] {
      while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.front())) != 0) rest.remove_prefix(1);
      size_t end = 0;
      while (end < rest.size() && std::isspace(static_cast<unsigned char>(rest[end])) == 0) ++end;
      const std::string_view word = rest.substr(0, end);
      rest.remove_prefix(end);
      return word;
    };
    std::string_view word = next_word();
    if (word == ".version" || word == ".target" || word == ".address_size") {
      item.sort = Sort::header;
      return;
    }
    if (word == ".file" || word == ".section") return;
    for (; word == ".visible" || word == ".weak" || word == ".extern" || word == ".common"; word = next_word())
      item.linkage = word == ".extern" ? Linkage::external : word == ".visible" ? Linkage::visible : Linkage::weak;
    if (word == ".func" || word == ".entry") {
      item.is_entry = word == ".entry";
      item.sort = item.text.back() == ';' ? Sort::declaration : Sort::function;
      item.name = name_of_function(rest);
    } else {
      item.sort = Sort::variable;
      item.is_shared = word == ".shared";
      item.name = name_of_variable(item.text);
    }
  }

  /// The name follows the result in parentheses, if there is one.
  static std::string name_of_function(std::string_view rest) {
    size_t at = rest.find_first_not_of(" \t\n");
    if (at != std::string_view::npos && rest[at] == '(') at = rest.find_first_not_of(" \t\n", rest.find(')', at) + 1);
    if (at == std::string_view::npos) return {};
    size_t end = at;
    while (end < rest.size() && is_ptx_name_character(rest[end])) ++end;
    return std::string(rest.substr(at, end - at));
  }

  /// The last name before a bound, an initial value or the end.
  static std::string name_of_variable(std::string_view text) {
    size_t end = std::min(text.find_first_of("[=;"), text.size());
    while (end > 0 && !is_ptx_name_character(text[end - 1])) --end;
    size_t begin = end;
    while (begin > 0 && is_ptx_name_character(text[begin - 1])) --begin;
    return std::string(text.substr(begin, end - begin));
  }

  std::string_view text_;
  size_t module_;
  size_t at_ = 0;
};

/// Calls back for every name in a text, except inside strings and comments.
template <class Function>
void for_each_name(std::string_view text, Function&& function) {
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i = std::min(text.find('"', i + 1), text.size() - 1) + 1;
    } else if (c == '/' && text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (is_ptx_name_character(c)) {
      size_t end = i;
      while (end < text.size() && is_ptx_name_character(text[end])) ++end;
      function(text.substr(i, end - i), i);
      i = end;
    } else {
      ++i;
    }
  }
}

class Linker {
 public:
  Linker(std::span<const LinkInput> modules, const std::vector<std::string>& kernels)
      : modules_(modules), kernels_(kernels) {
    for (size_t i = 0; i < modules.size(); ++i)
      for (Item& item : ItemReader(modules[i].ptx, i).read()) items_.push_back(std::move(item));
  }

  Result<LinkedPtx> link() {
    for (const Item& item : items_)
      if (auto good = define(item); !good) return forward(good);
    find_clashes();
    number_files();
    LinkedPtx linked;
    for (const Item& item : items_)
      if (item.sort == Sort::header && item.module == 0) linked.ptx += std::string(item.text) + "\n";
    for (const Sort sort : {Sort::declaration, Sort::variable, Sort::function, Sort::other})
      for (const Item& item : items_)
        if (item.sort == sort && is_kept(item)) linked.ptx += text_of(item) + "\n\n";
    linked.undefined = undefined();
    return linked;
  }

 private:
  static bool is_definition(const Item& item) {
    return (item.sort == Sort::function || item.sort == Sort::variable) && item.linkage != Linkage::external;
  }

  Result<void> define(const Item& item) {
    if (!is_definition(item)) return {};
    if (item.linkage == Linkage::own) {
      own_[item.name].insert(item.module);
      return {};
    }
    const Item*& known = shared_[item.name];
    if (known != nullptr && known->linkage == Linkage::visible && item.linkage == Linkage::visible)
      return fail(ErrorId::link_failed, modules_[0].file,
                  phrase("'{}' is defined in {} and in {}", kernel_signature(item.name), modules_[known->module].file,
                         modules_[item.module].file));
    if (known == nullptr || (known->linkage == Linkage::weak && item.linkage == Linkage::visible)) known = &item;
    return {};
  }

  /// Finds names that are local to one module but also used in a different one.
  void find_clashes() {
    for (const auto& [name, modules] : own_)
      if (modules.size() > 1 || shared_.contains(name)) clashing_.insert(name);
  }

  void number_files() {
    first_file_.assign(modules_.size() + 1, 0);
    for (size_t i = 0; i < modules_.size(); ++i) {
      uint32_t largest = 0;
      for (const Item& item : items_)
        if (item.module == i && item.text.starts_with(".file")) largest = std::max(largest, number_after(item.text, 5));
      first_file_[i + 1] = first_file_[i] + largest;
    }
  }

  static uint32_t number_after(std::string_view text, size_t at) {
    at = std::min(text.find_first_not_of(" \t", at), text.size());
    uint32_t value = 0;
    std::from_chars(text.data() + at, text.data() + text.size(), value);
    return value;
  }

  bool is_kept(const Item& item) {
    if (item.sort == Sort::other) return true;
    if (item.linkage == Linkage::own && item.sort != Sort::declaration) return true;
    const auto defined = shared_.find(item.name);
    if (item.sort == Sort::declaration) return declared_.insert(new_name(item.name, item.module)).second;
    if (item.linkage != Linkage::external) return defined->second == &item;
    // A variable of a different module: defined here, or declared once.
    return defined == shared_.end() && declared_.insert(item.name).second;
  }

  bool is_own(const std::string& name, size_t module) const {
    const auto own = own_.find(name);
    return own != own_.end() && own->second.contains(module);
  }
  std::string new_name(const std::string& name, size_t module) const {
    if (module == 0 || !clashing_.contains(name) || !is_own(name, module)) return name;
    return name + "$" + std::to_string(module + 1);
  }

  std::string text_of(const Item& item) const {
    std::string text;
    size_t done = 0;
    std::string_view before;  // the preceding word: a number after .loc, .file and inlined_at is a file number
    for_each_name(item.text, [&](std::string_view word, size_t at) {
      const bool is_directive = at > 0 && item.text[at - 1] == '.';
      std::string replacement(word);
      if (is_directive) {
        const bool defined = item.sort == Sort::declaration && shared_.contains(item.name);
        if (word == "extern" && defined) replacement = "visible";
      } else if (word.starts_with("$L__info_string")) {
        replacement += "_" + std::to_string(item.module);
      } else if (before == ".loc" || before == ".file" || before == "inlined_at") {
        uint32_t file = 0;
        std::from_chars(word.data(), word.data() + word.size(), file);
        replacement = std::to_string(file + first_file_[item.module]);
      } else {
        replacement = new_name(replacement, item.module);
      }
      text.append(item.text, done, at - done);
      text += replacement;
      done = at + word.size();
      before = is_directive ? item.text.substr(at - 1, word.size() + 1) : word;
    });
    text.append(item.text, done);
    return text;
  }

  /// Names that the wanted kernels reach but nothing defines.
  std::vector<std::string> undefined() const {
    std::map<std::pair<std::string, size_t>, const Item*> by_name;  // local ones by their module
    for (const Item& item : items_)
      if (is_definition(item)) by_name[{item.name, item.linkage == Linkage::own ? item.module : kAnyModule}] = &item;
    std::set<std::string> external;
    for (const Item& item : items_)
      if (item.linkage == Linkage::external && !item.is_shared && !is_of_the_driver(item.name) &&
          !shared_.contains(item.name))
        external.insert(item.name);
    std::vector<const Item*> waiting;
    std::set<const Item*> seen;
    const auto reach = [&](const Item* item) {
      if (seen.insert(item).second) waiting.push_back(item);
    };
    for (const Item& item : items_)
      if (item.is_entry && is_wanted(item.name)) reach(&item);
    std::set<std::string> missing;
    while (!waiting.empty()) {
      const Item* item = waiting.back();
      waiting.pop_back();
      for_each_name(item->text, [&](std::string_view word, size_t) {
        const std::string name(word);
        if (external.contains(name)) missing.insert(name);
        auto found = by_name.find({name, item->module});
        if (found == by_name.end()) found = by_name.find({name, kAnyModule});
        if (found != by_name.end()) reach(found->second);
      });
    }
    return {missing.begin(), missing.end()};
  }

  bool is_wanted(const std::string& entry) const {
    return kernels_.empty() || std::ranges::find(kernels_, bare_kernel_name(entry)) != kernels_.end();
  }

  static constexpr size_t kAnyModule = SIZE_MAX;

  std::span<const LinkInput> modules_;
  const std::vector<std::string>& kernels_;
  std::vector<Item> items_;
  std::map<std::string, const Item*> shared_;    // definitions visible to all modules
  std::map<std::string, std::set<size_t>> own_;  // modules with a local definition
  std::set<std::string> clashing_, declared_;
  std::vector<uint32_t> first_file_;
};

}  // namespace

Result<LinkedPtx> link_ptx(std::span<const LinkInput> modules, const std::vector<std::string>& kernels) {
  return Linker(modules, kernels).link();
}

}  // namespace tilescope
