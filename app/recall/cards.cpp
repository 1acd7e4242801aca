#include "app/recall/cards.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "engine/toml_entries.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class CardReader {
 public:
  explicit CardReader(const fs::path& file) : entries_(file, in_card) {}

  Result<std::vector<ReviewCard>> read() {
    const auto table = entries_.read();
    if (!table) return tl::unexpected(table.error());
    std::vector<ReviewCard> cards;
    entries_.each(*table, "cards",
                  [&](const std::string& id, const toml::table& one) { cards.push_back(read_card(id, one)); });
    if (auto end = entries_.end(); !end) return tl::unexpected(end.error());
    return cards;
  }

 private:
  static Phrase in_card(const std::string& id, const Phrase& what) { return phrase("card '{}': {}", id, what); }

  ReviewCard read_card(const std::string& id, const toml::table& table) {
    static const std::set<std::string_view> kKeys{"id",     "skill", "question",  "because", "choices", "right",
                                                  "number", "unit",  "tolerance", "run",     "answer"};
    ReviewCard card;
    card.id = id;
    for (const auto& [key, value] : table)
      if (!kKeys.contains(key.str())) entries_.wrong(phrase("'{}' is not a key of a card", std::string(key.str())));
    card.skill = entries_.string(table, "skill");
    card.question = entries_.text(table, "question");
    card.because = entries_.text(table, "because");
    if (table.contains("choices") == table.contains("number"))
      entries_.wrong(phrase("a card has either choices or a number"));
    else if (table.contains("choices"))
      read_choices(table, card);
    else
      read_number(table, card);
    return card;
  }

  void read_choices(const toml::table& table, ReviewCard& card) {
    card.choices = entries_.choices(table);
    if (card.choices.size() < 3 || card.choices.size() > 4) entries_.wrong(phrase("a card has three or four choices"));
    card.right = entries_.right_choice(table, card.choices.size());
  }

  void read_number(const toml::table& table, ReviewCard& card) {
    const auto number = table["number"].value<double>();
    if (!number) return entries_.wrong(phrase("'{}' is no number", "number"));
    card.number = *number;
    card.tolerance = table["tolerance"].value_or(0.0);
    if (card.tolerance < 0) entries_.wrong(phrase("'{}' is no number", "tolerance"));
    card.unit = entries_.text(table, "unit", table.contains("unit"));
    card.run = table["run"].value_or(std::string());
    card.answer = table["answer"].value_or(std::string());
    if (card.run.empty() != card.answer.empty()) entries_.wrong(phrase("'run' and 'answer' belong together"));
  }

  TomlEntries entries_;
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

Result<std::vector<ReviewCard>> read_cards(const fs::path& file) { return CardReader(file).read(); }

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
