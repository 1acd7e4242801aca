#include "app/observed/source_model.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>

#include "app/draw/sentences.hpp"
#include "engine/compile/compile_log.hpp"
#include "engine/compile/python_parts.hpp"
#include "engine/compile/triton/mlir_locations.hpp"
#include "engine/sim/ptx/inlining_comment.hpp"
#include "engine/text.hpp"

namespace tilescope {
namespace {

/// Collects absolute paths: placeholders of the phrase, and the files in a compile log.
void add_paths(const Phrase& phrase, std::set<std::string>& paths) {
  for (const Phrase& place : phrase.places()) add_paths(place, paths);
  if (!phrase.places().empty()) return;
  const auto messages = parse_compile_messages(phrase.form());
  for (const CompileMessage& message : messages)
    if (message.file.starts_with('/')) paths.insert(message.file);
  if (messages.empty() && phrase.form().starts_with('/') && phrase.form().find('\n') == std::string::npos)
    paths.insert(phrase.form());
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether the line contains the kernel's name as a word, followed by an opening bracket.
bool declares(std::string_view line, std::string_view kernel) {
  for (size_t at = line.find(kernel); at != std::string_view::npos; at = line.find(kernel, at + 1)) {
    const size_t end = at + kernel.size();
    const bool whole = (at == 0 || !is_word(line[at - 1])) && end < line.size() && line[end] == '(';
    if (whole && line.find("//") > at) return true;
  }
  return false;
}

std::string_view without_indent(std::string_view text);

/// Whether the declaration of the next line begins on this one: "template <int N>", "__launch_bounds__(256)".
bool begins_declaration(std::string_view line) {
  line = without_indent(line);
  constexpr std::array<std::string_view, 5> kBeginnings{"template", "extern", "__global__", "__device__", "static"};
  const bool begins = std::ranges::any_of(kBeginnings, [&](std::string_view word) { return line.starts_with(word); });
  return begins && line.find_first_of(";{}") == std::string_view::npos;
}

/// The name of the function whose call is the kernel's only statement: "multiply" of "{ multiply<true>(a, b); }".
std::optional<std::string> only_call(const std::vector<std::string>& lines, const KernelLines& kernel) {
  std::string body;
  for (uint32_t line = kernel.signature; line <= kernel.last; ++line) body.append(lines[line - 1]).append(" ");
  const size_t open = body.find('{'), close = body.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const std::string_view inside = without_indent(std::string_view(body).substr(open + 1, close - open - 1));
  const auto end = std::ranges::find_if_not(inside, is_word);
  const std::string_view name(inside.begin(), end);
  const bool one_statement = inside.find(';') == inside.find_last_not_of(" \t");
  const std::string_view rest = inside.substr(name.size());
  if (name.empty() || !one_statement || !(rest.starts_with('(') || rest.starts_with('<'))) return std::nullopt;
  return std::string(name);
}

std::string_view without_indent(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

uint32_t number_at(std::string_view text, size_t word) {
  for (; word > 0; --word) {
    const size_t space = text.find_first_of(" \t");
    if (space == std::string_view::npos) return 0;
    text = without_indent(text.substr(space));
  }
  uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The Python function of that name.
std::optional<KernelLines> find_function(const std::vector<std::string>& lines, std::string_view name) {
  std::string text;
  for (const std::string& line : lines) text.append(line).append("\n");
  for (const PythonDefinition& one : python_definitions(text))
    if (one.name == name) return KernelLines{one.first_line, one.line, one.last_line};
  return std::nullopt;
}

/// Calls `take` with every line of a text.
template <class Take>
void for_each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

/// Two spaces for a leading tab, one for any run of spaces and tabs inside.
std::string laid_out(std::string_view line) {
  std::string text(line.starts_with('\t') || line.starts_with(' ') ? "  " : "");
  for (const char c : without_indent(line)) {
    const bool space = c == ' ' || c == '\t';
    if (!space)
      text += c;
    else if (!text.ends_with(' '))
      text += ' ';
  }
  return text;
}

/// The numbers that `.file` directives give to a file. Inlined code from other files keeps only the line that called
/// it.
std::vector<uint32_t> file_numbers(std::string_view ptx, std::string_view file) {
  std::vector<uint32_t> numbers;
  for_each_line(ptx, [&](std::string_view line) {
    line = without_indent(line);
    if (!line.starts_with(".file")) return;
    const size_t open = line.find('"'), close = line.rfind('"');
    if (open < close && file_name_of(line.substr(open + 1, close - open - 1)) == file_name_of(file))
      numbers.push_back(number_at(line, 1));
  });
  return numbers;
}

/// The innermost place in the file, and the one in the file that called it.
template <class Places>
Listing::Origin origin_of(const Places& places, std::string_view file) {
  Listing::Origin origin;
  for (const auto& place : places) {
    if (file_name_of(place.file) != file) continue;
    if (origin.line != 0) {
      origin.inlined = place.line;
      break;
    }
    origin.line = place.line;
  }
  return origin;
}

/// ".loc 1 9 60, function_name $L__info_string0, inlined_at 1 19 14"
Listing::Origin origin_of_directive(std::string_view directive, const std::vector<uint32_t>& files,
                                    const std::string& own_name) {
  const auto known = [&](uint32_t file) { return std::ranges::find(files, file) != files.end(); };
  Listing::Origin origin;
  if (known(number_at(directive, 1))) origin.line = number_at(directive, 2);
  if (const auto places = places_in_comment(directive); places.size() > 1) return origin_of(places, own_name);
  const size_t inlined = directive.find("inlined_at");
  if (inlined != std::string_view::npos && known(number_at(directive.substr(inlined), 1)))
    origin.inlined = number_at(directive.substr(inlined), 2);
  return origin;
}

}  // namespace

std::string file_name_of(std::string_view path) { return std::string(file_part(path)); }

void Ledger::add(uint32_t line, AccessKind kind, uint64_t requests, uint64_t sectors, uint64_t useful) {
  LineLedger one{.useful_bytes = useful, .requests = requests, .sectors = sectors};
  const bool reads = kind == AccessKind::load || kind == AccessKind::async_copy;
  (reads ? one.read_bytes : one.write_bytes) = sectors * 32;
  LineLedger& sum = lines[line];
  sum.add(one);
  total.add(one);
  largest_line = std::max(largest_line, sum.moved_bytes());
}

Ledger ledger_of(const Traffic& traffic, std::string_view file) {
  Ledger ledger;
  const std::string name = file_name_of(file);
  for (const LineTraffic& row : traffic.lines)
    if (row.space == Space::global && row.line != 0 && file_name_of(row.file) == name)
      ledger.add(row.line, row.kind, row.requests, row.sectors, row.useful_bytes);
  return ledger;
}

std::optional<KernelLines> find_kernel(const std::vector<std::string>& lines, std::string_view kernel,
                                       KernelLanguage language) {
  if (language == KernelLanguage::triton) return find_function(lines, kernel);
  const auto found = std::ranges::find_if(lines, [&](const std::string& line) { return declares(line, kernel); });
  if (found == lines.end()) return std::nullopt;
  const auto signature = static_cast<size_t>(found - lines.begin());
  size_t first = signature;
  while (first > 0 && begins_declaration(lines[first - 1])) --first;
  while (first > 0 && without_indent(lines[first - 1]).starts_with("//")) --first;
  size_t last = signature;
  while (last + 1 < lines.size() && !lines[last].starts_with("}")) ++last;
  const auto number = [](size_t index) { return static_cast<uint32_t>(index + 1); };
  return KernelLines{number(first), number(signature), number(last)};
}

std::optional<KernelLines> find_body(const std::vector<std::string>& lines, std::string_view kernel,
                                     KernelLanguage language) {
  const auto entry = find_kernel(lines, kernel, language);
  if (!entry || language == KernelLanguage::triton) return entry;
  const auto called = only_call(lines, *entry);
  const auto function = called ? find_kernel(lines, *called) : std::nullopt;
  if (!function || function->last >= entry->first) return entry;
  for (uint32_t between = function->last + 1; between < entry->first; ++between)
    if (!without_indent(lines[between - 1]).empty()) return entry;
  return KernelLines{function->first, function->signature, entry->last};
}

std::vector<CompileMessage> compile_errors(const std::optional<Error>& error) {
  if (!error || error->id != ErrorId::compile_failed) return {};
  auto messages = parse_compile_messages(error->message);
  std::erase_if(messages, [](const CompileMessage& one) { return one.severity != CompileMessage::Severity::error; });
  return messages;
}

bool is_in_file(const CompileMessage& message, std::string_view file) {
  return message.line != 0 && file_name_of(message.file) == file_name_of(file);
}

std::string compile_errors_text(const Strings& strings, const std::vector<CompileMessage>& errors,
                                std::string_view file) {
  if (errors.empty()) return {};
  const CompileMessage& first = errors.front();
  const char* key = is_in_file(first, file) ? "source.error" : "source.error_in";
  std::string text = first.line == 0 ? first.text
                                     : strings.format(key, fmt::arg("file", file_name_of(first.file)),
                                                      fmt::arg("line", first.line), fmt::arg("text", first.text));
  if (errors.size() > 1) text += strings.format("source.more_errors", fmt::arg("count", errors.size() - 1));
  return text;
}

std::string with_file_names(std::string text, const Error& error) {
  std::set<std::string> paths;
  add_paths(error.what.empty() ? Phrase(error.message) : error.what, paths);
  for (const std::string& path : paths) text = with_short_name(std::move(text), path);
  return text;
}

uint32_t Listing::first_instruction() const {
  const auto found = std::ranges::find_if(origins, [](const Origin& origin) { return origin.line != 0; });
  return found == origins.end() ? 0 : static_cast<uint32_t>(found - origins.begin());
}

std::optional<uint32_t> Listing::first_of(uint32_t source_line) const {
  for (uint32_t index = 0; index < origins.size(); ++index)
    if (origins[index].is(source_line)) return index;
  return std::nullopt;
}

Listing read_ptx(std::string_view ptx, std::string_view kernel, std::string_view file) {
  Listing listing;
  const auto files = file_numbers(ptx, file);
  const std::string own_name = file_name_of(file);
  bool inside = false;
  Listing::Origin origin;
  for_each_line(ptx, [&](std::string_view line) {
    if (line.find(".entry") != std::string_view::npos && declares(line, kernel)) inside = true;
    if (!inside) return;
    if (without_indent(line).starts_with(".loc")) {
      origin = origin_of_directive(without_indent(line), files, own_name);
      return;
    }
    // Declarations and labels belong to no line.
    const std::string_view text = without_indent(line);
    const bool instruction = text.find(';') != std::string_view::npos && !text.starts_with(".");
    if (text.empty() && (listing.origins.empty() || listing.text.ends_with("\n\n"))) return;
    listing.text += laid_out(line);
    listing.text += '\n';
    listing.origins.push_back(instruction ? origin : Listing::Origin{});
    if (line.starts_with("}")) inside = false;
  });
  if (listing.text.ends_with('\n')) listing.text.pop_back();
  return listing;
}

Listing read_mlir(std::string_view text, std::string_view file) {
  const MlirLocations locations(text);
  const std::string own_name = file_name_of(file);
  Listing listing;
  std::vector<size_t> open;  // lines that open a block: their location stands where it is closed
  for_each_line(text, [&](std::string_view line) {
    if (is_location_entry(line)) return;
    const std::string shown = without_locations(line);
    const std::string_view code = without_indent(shown);
    const size_t here = listing.origins.size();
    listing.text += shown + "\n";
    listing.origins.push_back(origin_of(locations.of_line(line).places, own_name));
    Listing::Origin& origin = listing.origins.back();
    // The function's location would light its first line with everything in it.
    if (code.starts_with("module") || code.starts_with("tt.func")) origin = {};
    const bool closes = code.starts_with("}"), opens = code.ends_with("{");
    if (closes && !opens && !open.empty()) {
      const bool of_function = open.size() <= 2;
      if (!of_function) listing.origins[open.back()] = origin;
      origin = {};
      open.pop_back();
    }
    if (opens && !closes) open.push_back(here);
  });
  if (listing.text.ends_with('\n')) listing.text.pop_back();
  return listing;
}

std::optional<uint32_t> line_of(const Selection& selection, const RunResult* result) {
  if (selection.line) return selection.line;
  if (!selection.access || result == nullptr || *selection.access >= result->trace.accesses.size()) return std::nullopt;
  const Access& access = result->trace.accesses[*selection.access];
  if (access.site >= result->trace.sites.size()) return std::nullopt;
  const uint32_t line = result->trace.sites[access.site].line;
  return line == 0 ? std::nullopt : std::optional(line);
}

void select_line(ViewState& view, const RunResult* result, uint32_t line) {
  Selection& selection = view.selection;
  selection.line = line;
  if (!selection.access) return;
  if (result == nullptr || *selection.access >= result->trace.accesses.size()) {
    selection.access.reset();
    return;
  }
  const auto& trace = result->trace;
  const auto line_at = [&](const Access& access) { return trace.sites[access.site].line; };
  const Access chosen = trace.accesses[*selection.access];
  if (line_at(chosen) == line) return;
  selection.access.reset();
  selection.element.reset();
  selection.buffer.reset();
  // Accesses of a block are contiguous; search both ways from the chosen one.
  const auto same_block = [&](const Access& access) { return access.block == chosen.block; };
  const auto begin = std::ranges::find_if(trace.accesses, same_block);
  for (auto at = begin; at != trace.accesses.end() && same_block(*at); ++at)
    if (at->warp == chosen.warp && line_at(*at) == line) {
      selection.access = static_cast<uint32_t>(at - trace.accesses.begin());
      return;
    }
}

}  // namespace tilescope
