#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "advice/toleration_patch.h"
#include "model/daemon_set.h"
#include "render/style.h"

namespace dsdoctor::render {

using Json = nlohmann::ordered_json;

/// As the API writes it; fields that are empty are left out.
[[nodiscard]] Json toleration_json(const model::Toleration& toleration);

/// RFC 6902. Appends to the list that is there; where there is none, makes it, guarded by a test
/// that it is still absent.
[[nodiscard]] Json json_patch(const advice::Suggestion& suggestion);

/// A line for a POSIX shell that applies the patch. Absent where a name holds control characters:
/// such a line could do something else than it shows.
[[nodiscard]] std::optional<std::string> patch_command(std::string_view ns, std::string_view name,
                                                       const advice::Suggestion& suggestion,
                                                       const Style& style);

}  // namespace dsdoctor::render
