// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "line/options.h"

namespace dsdoctor::cmd {

/// The columns of a command's tables, for --sort-by. Empty: it has no such flag.
[[nodiscard]] std::vector<std::string> table_columns(std::string_view command);

/// A column in any case; an empty text is none. Errors: Usage, with the columns that there are.
[[nodiscard]] base::Status check_sort_by(const std::string& text, std::string_view command);

/// What `-o` of a command takes, the default first. Empty: the command has no such flag.
[[nodiscard]] std::vector<std::string> output_formats(std::string_view command);

/// One of these, in any case; an empty text is a table. Errors: Usage, in kubectl's words.
[[nodiscard]] base::Result<OutputFormat> parse_format(const std::string& text,
                                                      std::string_view command);

/// kubectl's templates (jsonpath, custom-columns, go-template and their kin) are not offered: the
/// error names the command that does the same with jq, or its form where the template is more than
/// a path. Absent for other formats. `line` is the command without -o.
[[nodiscard]] std::optional<base::Error> refused_template(std::string_view output,
                                                          const std::string& line);

/// What `completion` has a script for.
[[nodiscard]] std::vector<std::string> completion_shells();

/// The document that `suggest` prints of one fix; absent for other formats.
[[nodiscard]] std::optional<render::PatchForm> patch_form(std::string_view text);

}  // namespace dsdoctor::cmd
