#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "line/options.h"

namespace dsdoctor::cmd {

/// What `-o` of a command takes, the default first. Empty: the command has no such flag.
[[nodiscard]] std::vector<std::string> output_formats(std::string_view command);

/// One of these, in any case; an empty text is a table. Errors: Usage, in kubectl's words.
[[nodiscard]] base::Result<OutputFormat> parse_format(const std::string& text,
                                                      std::string_view command);

/// The document that `suggest` prints of one cure; absent for other formats.
[[nodiscard]] std::optional<render::PatchForm> patch_form(std::string_view text);

}  // namespace dsdoctor::cmd
