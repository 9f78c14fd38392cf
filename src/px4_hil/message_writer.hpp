// message_writer.hpp - builds the text of an error. Private to the library.
#pragma once

#include "../ap_json/text_writer.hpp"
#include "px4_hil/error.hpp"

namespace px4_hil {

using MessageWriter = ap_json::TextWriter<Error::capacity>;

inline Error error(ErrorCode code, const MessageWriter& text) noexcept { return {code, text.view()}; }

}  // namespace px4_hil
