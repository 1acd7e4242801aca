// Errors and findings as the window says them: sentences in its language, files by their names.
#pragma once

#include <string>
#include <string_view>

#include "app/draw/strings.hpp"
#include "engine/finding.hpp"
#include "engine/phrase.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// What is wrong, as a sentence, without what to do next.
std::string sentence(const Strings& strings, const Error& error);
/// And what to do next.
std::string as_sentence(const Strings& strings, const Error& error);
/// "4 of 1024 blocks were executed" → "4 of 1024 blocks were executed." A name at its beginning keeps its letters.
std::string sentence(const Strings& strings, const Phrase& phrase);

/// What a library's own words mean for the learner: "RuntimeError: cuDNN: CUDNN_STATUS_BAD_PARAM" of cuDNN → "cuDNN
/// refuses this shape". Empty where the reason is a sentence already.
Phrase meaning_of(const std::string& library, std::string_view reason);

/// "out-of-bounds", "越界访问".
std::string finding_name(const Strings& strings, std::string_view id);
/// What it is in one sentence: "A lane reads or writes outside the buffer."
const std::string& finding_meaning(const Strings& strings, std::string_view id);
/// All of it: "out of bounds: read of 4 bytes at a+4096 (buffer of 4096 bytes), x.cu:12, block (3,0,0) thread (0,0,0)".
std::string finding_text(const Strings& strings, const Finding& finding);
/// What a view says beside the finding's name and line: "read of 4 bytes at a+4096 (buffer of 4096 bytes)"; of a race
/// the other side as well.
Phrase facts_of(const Finding& finding);
/// The text with the file's name in place of its path.
std::string with_short_name(std::string text, const std::string& file);

}  // namespace tilescope
