// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dsdoctor::redaction {

/// How two names are similar, as the findings about a DaemonSet without pods define it.
struct Likeness {
  bool spelled = false;     // equal except for case, "-", "_" and "."
  bool typed = false;       // else, without digits, the first is a misspelling of the second
  bool typed_back = false;  // the same the other way

  friend bool operator==(const Likeness&, const Likeness&) = default;
};
[[nodiscard]] Likeness likeness(std::string_view a, std::string_view b);

/// Parts of a label that suggest a node pool, such as "gpu" in "mygpubox", in a fixed order. They
/// are appended to "anon7" so that findings stay the same.
[[nodiscard]] std::string telling_parts(std::string_view word);

/// Returns the known replacement of a name; well-known words stay. Absent: it has none yet.
using Settled = std::function<std::optional<std::string>(const std::string&)>;

/// Replacements for `names` that have none yet and are nearly equal to others. They are similar in
/// the same way: "disk.type" for "disktype" beside "disk-type", "anonbbbb" and "anonbbba" for
/// "workload" and "workloads". Names are left out if none is found, as in very large families.
/// `domains`, a subset of the names, become domains.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> near_names(
    const std::set<std::string>& names, const std::set<std::string>& domains,
    const Settled& settled);

}  // namespace dsdoctor::redaction
