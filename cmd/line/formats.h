// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "line/options.h"

namespace dsdoctor::cmd {

/// The columns of a command's tables, for --sort-by. Empty if it has no such flag.
[[nodiscard]] std::vector<std::string> table_columns(std::string_view command);

/// Parses the name of a column, in any case; nothing for an empty text. Errors: Usage, with the
/// valid columns.
[[nodiscard]] base::Status check_sort_by(const std::string& text, std::string_view command);

/// The values of `-o` of a command, the default first. Empty if the command has no such flag.
[[nodiscard]] std::vector<std::string> output_formats(std::string_view command);

/// Parses one of these, in any case; an empty text is a table. Errors: Usage, in kubectl's words.
[[nodiscard]] base::Result<OutputFormat> parse_format(const std::string& text,
                                                      std::string_view command);

/// The error for kubectl's templates (jsonpath, custom-columns, go-template and similar), which are
/// not supported. It shows the equivalent command with jq, or its general form if the template is
/// more than a path. Absent for other formats. `line` is the command without -o.
[[nodiscard]] std::optional<base::Error> refused_template(std::string_view output,
                                                          const std::string& line);

/// The shells that `completion` has scripts for.
[[nodiscard]] std::vector<std::string> completion_shells();

/// The document that `suggest` prints for one fix; absent for other formats.
[[nodiscard]] std::optional<render::PatchForm> patch_form(std::string_view text);

}  // namespace dsdoctor::cmd
