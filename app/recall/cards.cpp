#include "app/recall/cards.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file) {}

  Result<std::vector<ReviewCard>> read() {
    const auto text = read_text(file_);
    if (!text) return bad(phrase("cannot be read"));
    toml::table table;
    try {
      table = toml::parse(*text);
    } catch (const toml::parse_error& error) {
      return bad(phrase("line {}: {}", error.source().begin.line, std::string(error.description())));
    }
    std::vector<ReviewCard> cards;
    if (const auto* list = table["cards"].as_array(); list != nullptr)
      for (const toml::node& one : *list)
        if (const auto* entry = one.as_table(); entry != nullptr) cards.push_back(read_card(*entry));
    if (cards.empty()) wrong(phrase("'{}' is missing", "cards"));
    if (!problem_.empty()) return bad(problem_);
    return cards;
  }

 private:
  tl::unexpected<Error> bad(const Phrase& what) const { return fail(ErrorId::asset_malformed, file_.string(), what); }
  void wrong(Phrase what) {
    if (problem_.empty()) problem_ = card_.empty() ? std::move(what) : phrase("card '{}': {}", card_, what);
  }

  Text text(const toml::table& table, const char* key, bool needed) {
    Text both;
    if (const auto* languages = table[key].as_table(); languages != nullptr) {
      both.en = (*languages)["en"].value_or(std::string());
      both.zh = (*languages)["zh"].value_or(std::string());
    }
    if (needed && (both.en.empty() || both.zh.empty())) wrong(phrase("'{}' is missing", key));
    return both;
  }

  ReviewCard read_card(const toml::table& table) {
    static const std::set<std::string_view> kKeys{"id",     "skill", "question",  "because", "choices", "right",
                                                  "number", "unit",  "tolerance", "run",     "answer"};
    ReviewCard card;
    card.id = card_ = table["id"].value_or(std::string());
    if (card.id.empty()) wrong(phrase("'{}' is missing", "id"));
    if (!ids_.insert(card.id).second) wrong(phrase("a second one has this id"));
    for (const auto& [key, value] : table)
      if (!kKeys.contains(key.str())) wrong(phrase("'{}' is not a key of a card", std::string(key.str())));
    card.skill = table["skill"].value_or(std::string());
    if (card.skill.empty()) wrong(phrase("'{}' is missing", "skill"));
    card.question = text(table, "question", true);
    card.because = text(table, "because", true);
    if (table.contains("choices") == table.contains("number"))
      wrong(phrase("a card has either choices or a number"));
    else if (table.contains("choices"))
      read_choices(table, card);
    else
      read_number(table, card);
    return card;
  }

  void read_choices(const toml::table& table, ReviewCard& card) {
    const auto *en = table["choices"]["en"].as_array(), *zh = table["choices"]["zh"].as_array();
    if (en == nullptr || zh == nullptr || en->size() != zh->size())
      return wrong(phrase("its choices differ between the languages"));
    for (size_t one = 0; one < en->size(); ++one) {
      card.choices.push_back({(*en)[one].value_or(std::string()), (*zh)[one].value_or(std::string())});
      if (card.choices.back().en.empty() || card.choices.back().zh.empty()) wrong(phrase("a choice is empty"));
    }
    if (card.choices.size() < 3 || card.choices.size() > 4) wrong(phrase("a card has three or four choices"));
    const int64_t right = table["right"].value_or(int64_t{-1});
    if (right < 0 || static_cast<size_t>(right) >= card.choices.size())
      return wrong(phrase("'{}' is no choice", "right"));
    card.right = static_cast<size_t>(right);
  }

  void read_number(const toml::table& table, ReviewCard& card) {
    const auto number = table["number"].value<double>();
    if (!number) return wrong(phrase("'{}' is no number", "number"));
    card.number = *number;
    card.tolerance = table["tolerance"].value_or(0.0);
    if (card.tolerance < 0) wrong(phrase("'{}' is no number", "tolerance"));
    card.unit = text(table, "unit", table.contains("unit"));
    card.run = table["run"].value_or(std::string());
    card.answer = table["answer"].value_or(std::string());
    if (card.run.empty() != card.answer.empty()) wrong(phrase("'run' and 'answer' belong together"));
  }

  fs::path file_;
  std::string card_;
  std::set<std::string> ids_;
  Phrase problem_;
};

/// FNV-1a: the same on every machine, unlike std::hash.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 14695981039346656037U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  return hash;
}

/// splitmix64.
uint64_t next_random(uint64_t& state) {
  uint64_t z = state += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace

bool ReviewCard::is_right(double typed) const {
  // A decimal fraction that is typed is rounded to a double: "0.1" must be right for 0.1 ± 0.
  const double rounding = 1e-9 * std::max(std::fabs(number), 1e-9);
  return std::fabs(typed - number) <= tolerance + rounding;
}

Result<std::vector<ReviewCard>> read_cards(const fs::path& file) { return Reader(file).read(); }

std::vector<size_t> shuffled_choices(const ReviewCard& card, uint64_t showing) {
  std::vector<size_t> order(card.choices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  uint64_t state = hash_of(card.id) + showing * 0x2545F4914F6CDD1DU;
  for (size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[next_random(state) % left]);
  return order;
}

std::optional<double> typed_number(std::string_view text) {
  std::string digits;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("，") || text.substr(at).starts_with("−")) {
      if (text.substr(at).starts_with("−")) digits += '-';
      at += std::string_view("，").size() - 1;
    } else if (text[at] != ',' && text[at] != ' ') {
      digits += text[at];
    }
  }
  double value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace tilescope
