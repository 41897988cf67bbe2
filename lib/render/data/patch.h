#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "advice/alternatives.h"
#include "advice/toleration_patch.h"
#include "base/command.h"
#include "model/daemon_set.h"
#include "render/words/style.h"

/// Patches of a DaemonSet and the commands that apply them, as documents and text.
namespace dsdoctor::render {

using Json = nlohmann::ordered_json;

/// As the API writes it; fields that are empty are left out.
[[nodiscard]] Json toleration_json(const model::Toleration& toleration);

/// RFC 6902. Appends to the list that is there; where there is none, makes it, guarded by a test
/// that it is still absent.
[[nodiscard]] Json json_patch(const advice::Suggestion& suggestion);

/// RFC 6902, guarded by a test that the list of tolerations is the one that was read. Absent for
/// changes of affinity or annotations: what they are part of may be absent, and was not read.
[[nodiscard]] std::optional<Json> guarded_json_patch(const model::DaemonSet& ds,
                                                     const advice::TemplateChange& change);

/// RFC 6902: takes back an addition of tolerations, guarded by a test for each. REQUIRES:
/// `change` adds and does nothing else.
[[nodiscard]] Json undo_patch(const model::DaemonSet& ds, const advice::TemplateChange& change);

/// Only what changes. Lists of tolerations and of affinity terms are whole: such a patch replaces
/// them.
[[nodiscard]] Json strategic_patch(const model::DaemonSet& ds,
                                   const advice::TemplateChange& change);
/// The strategic patch that restores what was read.
[[nodiscard]] Json strategic_undo(const model::DaemonSet& ds, const advice::TemplateChange& change);

/// `command` as a line for `style.address.shell`, with the flags that reach the cluster; words are
/// quoted as they need. Absent where there is no command, or a word cannot be quoted: such a line
/// could do something else than it shows.
[[nodiscard]] std::optional<std::string> shell_line(const std::optional<base::Command>& command,
                                                    const Presentation& style);

/// kubectl about one DaemonSet: `verb` daemonset NAME `flags`. Absent where ns or name are none
/// that the API accepts.
[[nodiscard]] std::optional<base::Command> daemon_set_command(
    std::initializer_list<std::string_view> verb, std::string_view ns, std::string_view name,
    std::initializer_list<std::string_view> flags = {});

/// A line that applies the patch. Absent as shell_line, and where the patch holds a key or a value
/// that the API does not accept.
[[nodiscard]] std::optional<std::string> patch_command(std::string_view ns, std::string_view name,
                                                       const advice::Suggestion& suggestion,
                                                       const Presentation& style);

/// The same for any change: for additions a JSON patch that appends, for a list that changes a
/// guarded one, else a strategic one.
[[nodiscard]] std::optional<std::string> patch_command(const model::DaemonSet& ds,
                                                       const advice::TemplateChange& change,
                                                       const Presentation& style);
/// A line that takes the change back.
[[nodiscard]] std::optional<std::string> undo_command(const model::DaemonSet& ds,
                                                      const advice::TemplateChange& change,
                                                      const Presentation& style);

/// A line that changes nodes.
[[nodiscard]] std::optional<std::string> node_command(const advice::NodeChange& change,
                                                      const Presentation& style);

}  // namespace dsdoctor::render
