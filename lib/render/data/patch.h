// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/command.h"
#include "fixes/alternatives.h"
#include "fixes/toleration_patch.h"
#include "model/daemon_set.h"
#include "render/words/style.h"

/// Patches of a DaemonSet and the commands that apply them, as documents and text.
namespace dsdoctor::render {

using Json = nlohmann::ordered_json;

/// In the format of the API; empty fields are left out.
[[nodiscard]] Json toleration_json(const model::Toleration& toleration);

/// RFC 6902. Appends to the existing list; if there is none, adds one, guarded by a test that it is
/// still absent.
[[nodiscard]] Json json_patch(const fixes::Suggestion& suggestion);

/// RFC 6902, guarded by a test that the list of tolerations is unchanged since it was read. Absent
/// for changes of affinity or annotations: whether their parent fields exist was not read.
[[nodiscard]] std::optional<Json> guarded_json_patch(const model::DaemonSet& ds,
                                                     const fixes::TemplateChange& change);

/// RFC 6902: removes added tolerations, guarded by a test for each. REQUIRES: `change` only adds
/// tolerations.
[[nodiscard]] Json undo_patch(const model::DaemonSet& ds, const fixes::TemplateChange& change);

/// Only the changed fields. Lists of tolerations and of affinity terms are complete, since a
/// strategic patch replaces them.
[[nodiscard]] Json strategic_patch(const model::DaemonSet& ds, const fixes::TemplateChange& change);
/// The strategic patch that restores the state that was read.
[[nodiscard]] Json strategic_undo(const model::DaemonSet& ds, const fixes::TemplateChange& change);

/// `command` as a line for `style.address.shell`, with the flags that reach the cluster and quoted
/// where needed. Absent without a command, or if a word cannot be quoted: the line might do
/// something other than it shows.
[[nodiscard]] std::optional<std::string> shell_line(const std::optional<base::Command>& command,
                                                    const Presentation& style);

/// kubectl `verb` daemonset NAME `flags`. Absent if the API does not accept the namespace or the
/// name.
[[nodiscard]] std::optional<base::Command> daemon_set_command(
    std::initializer_list<std::string_view> verb, std::string_view ns, std::string_view name,
    std::initializer_list<std::string_view> flags = {});

/// A command that applies the patch. Absent as in shell_line, and if the patch has a key or a value
/// that the API does not accept.
[[nodiscard]] std::optional<std::string> patch_command(std::string_view ns, std::string_view name,
                                                       const fixes::Suggestion& suggestion,
                                                       const Presentation& style);

/// The same for any change: a JSON patch that appends, for additions; a guarded JSON patch, for
/// other changes of a list; else a strategic patch.
[[nodiscard]] std::optional<std::string> patch_command(const model::DaemonSet& ds,
                                                       const fixes::TemplateChange& change,
                                                       const Presentation& style);
/// A command that reverts the change.
[[nodiscard]] std::optional<std::string> undo_command(const model::DaemonSet& ds,
                                                      const fixes::TemplateChange& change,
                                                      const Presentation& style);

/// A command that changes nodes.
[[nodiscard]] std::optional<std::string> node_command(const fixes::NodeCommand& change,
                                                      const Presentation& style);

}  // namespace dsdoctor::render
