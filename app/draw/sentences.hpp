// Errors and findings as the window shows them: sentences in its language, files by their names.
#pragma once

#include <string>
#include <string_view>

#include "app/draw/strings.hpp"
#include "engine/finding.hpp"
#include "engine/phrase.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// What is wrong, as a sentence, without the hint.
std::string sentence(const Strings& strings, const Error& error);
/// The same with the hint.
std::string as_sentence(const Strings& strings, const Error& error);
/// "4 of 1024 blocks were executed" → "4 of 1024 blocks were executed." A name at its start keeps its case.
std::string sentence(const Strings& strings, const Phrase& phrase);

/// A library's message, rephrased for the learner: "RuntimeError: cuDNN: CUDNN_STATUS_BAD_PARAM" from cuDNN → "cuDNN
/// refuses this shape". Empty if the reason already is a sentence.
Phrase meaning_of(const std::string& library, std::string_view reason);

/// "out-of-bounds", "越界访问".
std::string finding_name(const Strings& strings, std::string_view id);
/// The finding's meaning in one sentence: "A lane reads or writes outside the buffer."
const std::string& finding_meaning(const Strings& strings, std::string_view id);
/// The complete text: "out of bounds: read of 4 bytes at a+4096 (buffer of 4096 bytes), x.cu:12, block (3,0,0) thread
/// (0,0,0)".
std::string finding_text(const Strings& strings, const Finding& finding);
/// The text beside the finding's name and line: "read of 4 bytes at a+4096 (buffer of 4096 bytes)"; for a race also the
/// other side.
Phrase facts_of(const Finding& finding);
/// The text with the file's name instead of its path.
std::string with_short_name(std::string text, const std::string& file);

}  // namespace tilescope
