// The glossary: the terms of the lessons and of the window, in both languages, and where they occur in a text. Read
// from assets/strings/glossary.toml; a lesson underlines what occurrences() finds (app/views/lesson/lesson_terms.hpp).
//
//     for (const TermPlace& place : glossary.occurrences(Language::en, "32 bank conflicts"))   // "bank conflicts"
//       use(glossary.terms()[place.term].text);
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/strings.hpp"

namespace tilescope {

struct Term {
  Text name;                           // also identifies it
  std::vector<std::string> spellings;  // English ones that are neither the name nor its plural
  std::vector<std::string> chinese;    // what Chinese texts write, as "SM"; empty: just the name
  std::string vendors;                 // what NVIDIA, Nsight Compute or Triton calls it; may be empty
  std::string lab;                     // that teaches it
  Text text;
};

/// A term in a text: bytes begin to end.
struct TermPlace {
  size_t begin = 0, end = 0, term = 0;
};

class Glossary {
 public:
  static Result<Glossary> load(const std::filesystem::path& file);

  /// In the order of the file: by stage, and within a stage as they are learnt.
  const std::vector<Term>& terms() const { return terms_; }
  /// By the English name; null if there is none.
  const Term* find(std::string_view name) const;
  /// Every term in the text, from left to right, without overlaps: at each position the longest. An English spelling,
  /// and a Latin one in a Chinese text, must be a whole word, in upper or lower case; "warp-wide" is one word.
  std::vector<TermPlace> occurrences(Language language, std::string_view text) const;

 private:
  struct Spelling {
    std::string lower;
    size_t term = 0;
  };
  void index(Language language, std::string_view spelling, size_t term);
  void index_names();

  std::vector<Term> terms_;
  // By language and first byte, the longest first.
  std::array<std::array<std::vector<Spelling>, 256>, 2> spellings_;
};

}  // namespace tilescope
