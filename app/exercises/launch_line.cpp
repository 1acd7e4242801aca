#include "app/exercises/launch_line.hpp"

#include <algorithm>

#include "app/sandbox/reading/expression.hpp"
#include "engine/text.hpp"

namespace tilescope {
namespace {

constexpr std::string_view kWord = "Launch:";

std::string_view comment_mark(KernelLanguage language) { return language == KernelLanguage::triton ? "#" : "//"; }

/// What stands behind "// Launch:"; nothing for any other line.
std::optional<std::string_view> launch_of(std::string_view line, KernelLanguage language) {
  line = trimmed(line);
  const std::string_view mark = comment_mark(language);
  if (!line.starts_with(mark)) return std::nullopt;
  line = trimmed(line.substr(mark.size()));
  if (!line.starts_with(kWord)) return std::nullopt;
  return trimmed(line.substr(kWord.size()));
}

/// The index behind the bracket that closes the one at `open`; npos if it stays open.
size_t behind_bracket(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if ((text[at] == ')' || text[at] == ']') && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

/// "(a, b)", "dim3(a, b)", "a" → "a, b" or "a". A formula such as (n + 1) / 2 keeps its brackets.
std::string extents_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("dim3")) text = trimmed(text.substr(4));
  if (!text.starts_with('(') || behind_bracket(text, 0) != text.size()) return std::string(text);
  text = trimmed(text.substr(1, text.size() - 2));
  if (text.ends_with(',')) text = trimmed(text.substr(0, text.size() - 1));  // a tuple of one, as Python writes it
  return std::string(text);
}

class LaunchReader {
 public:
  LaunchReader(std::string_view text, uint32_t line) : text_(text) { launch_.line = line; }

  Result<LaunchLine> read_cuda() {
    const size_t open = text_.find("<<<"), close = text_.find(">>>");
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      return bad(phrase("it has no <<<grid, block>>>"));
    launch_.kernel = trimmed(text_.substr(0, open));
    const auto configuration = split_at_commas(text_.substr(open + 3, close - open - 3));
    if (configuration.size() < 2 || configuration.size() > 3)
      return bad(phrase("between <<< and >>> stand the grid, the block, and, where needed, bytes of shared memory"));
    launch_.grid = extents_of(configuration[0]);
    launch_.block = extents_of(configuration[1]);
    if (configuration.size() == 3) launch_.shared = trimmed(configuration[2]);
    return read_arguments(trimmed(text_.substr(close + 3)), false);
  }

  Result<LaunchLine> read_triton() {
    const size_t open = text_.find('[');
    const size_t close = open == std::string_view::npos ? open : behind_bracket(text_, open);
    if (close == std::string_view::npos) return bad(phrase("it has no [grid]"));
    launch_.kernel = trimmed(text_.substr(0, open));
    launch_.grid = extents_of(text_.substr(open + 1, close - open - 2));
    return read_arguments(trimmed(text_.substr(close)), true);
  }

 private:
  tl::unexpected<Error> bad(const Phrase& what) const {
    return fail(ErrorId::bad_launch_line, phrase("line {}: {}", launch_.line, what));
  }

  Result<LaunchLine> read_arguments(std::string_view text, bool keywords) {
    if (launch_.kernel.empty()) return bad(phrase("it names no kernel"));
    if (text.ends_with(';')) text = trimmed(text.substr(0, text.size() - 1));
    if (!text.starts_with('(') || behind_bracket(text, 0) != text.size())
      return bad(phrase("the arguments stand in brackets at its end"));
    const std::string_view list = trimmed(text.substr(1, text.size() - 2));
    if (list.empty()) return std::move(launch_);
    for (const std::string& one : split_at_commas(list)) {
      const std::string_view argument = trimmed(one);
      const size_t sign = argument.find('=');
      if (sign == std::string_view::npos)
        launch_.arguments.emplace_back(argument);
      else if (keywords)
        launch_.keywords.push_back(
            {std::string(trimmed(argument.substr(0, sign))), std::string(trimmed(argument.substr(sign + 1)))});
      else
        return bad(phrase("CUDA has no arguments by name: {}", std::string(argument)));
    }
    return std::move(launch_);
  }

  std::string_view text_;
  LaunchLine launch_;
};

template <class Each>
void each_line(std::string_view text, const Each& function) {
  uint32_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    function(text.substr(begin, end - begin), ++number);
    begin = end + 1;
  }
}

bool has_several_axes(std::string_view extents) { return split_at_commas(extents).size() > 1; }
std::string bracketed(const std::string& extents) { return has_several_axes(extents) ? "(" + extents + ")" : extents; }

}  // namespace

Result<std::vector<LaunchLine>> read_launch_lines(std::string_view text, KernelLanguage language) {
  std::vector<LaunchLine> launches;
  std::optional<Error> problem;
  each_line(text, [&](std::string_view line, uint32_t number) {
    const auto written = launch_of(line, language);
    if (!written || problem) return;
    LaunchReader reader(*written, number);
    auto launch = language == KernelLanguage::triton ? reader.read_triton() : reader.read_cuda();
    if (launch)
      launches.push_back(std::move(*launch));
    else
      problem = launch.error();
  });
  if (problem) return tl::unexpected<Error>(*problem);
  if (launches.empty())
    return fail(ErrorId::bad_launch_line, phrase("the file has none, so the kernel is not launched"));
  return launches;
}

std::string launch_text(const LaunchLine& launch, KernelLanguage language) {
  std::string arguments;
  for (const std::string& one : launch.arguments) arguments += (arguments.empty() ? "" : ", ") + one;
  for (const Define& one : launch.keywords) arguments += (arguments.empty() ? "" : ", ") + one.name + "=" + one.value;
  if (language == KernelLanguage::triton)
    return fmt::format("# Launch: {}[{}]({})", launch.kernel, bracketed(launch.grid), arguments);
  return fmt::format("// Launch: {}<<<{}, {}{}{}>>>({})", launch.kernel, bracketed(launch.grid),
                     bracketed(launch.block), launch.shared.empty() ? "" : ", ", launch.shared, arguments);
}

std::string with_launch(std::string_view text, const LaunchLine& launch, KernelLanguage language) {
  std::string rewritten;
  each_line(text, [&](std::string_view line, uint32_t number) {
    rewritten += number == launch.line ? launch_text(launch, language) : std::string(line);
    rewritten += '\n';
  });
  if (!text.ends_with('\n') && !rewritten.empty()) rewritten.pop_back();
  return rewritten;
}

}  // namespace tilescope
