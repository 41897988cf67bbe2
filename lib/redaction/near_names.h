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

/// How two names are alike, as the causes of a DaemonSet without pods ask it.
struct Likeness {
  bool spelled = false;     // but for the case of letters, and "-", "_" and "."
  bool typed = false;       // else: one slip apart, the first of four letters or more, no digits
  bool typed_back = false;  // the same of the second

  friend bool operator==(const Likeness&, const Likeness&) = default;
};
[[nodiscard]] Likeness likeness(std::string_view a, std::string_view b);

/// Parts of words by which a label tells of a pool of nodes, "gpu" of "mygpubox", in their order
/// here: "anon7" goes on with them, so that it tells the same.
[[nodiscard]] std::string telling_parts(std::string_view word);

/// What a name becomes, where that is known: well-known words stay. Absent: it is free.
using Settled = std::function<std::optional<std::string>(const std::string&)>;

/// Replacements for those of `names` that are free and nearly equal to others, which are alike as
/// the names are: "disk.type" for "disktype" beside "disk-type", "anonbbbb" and "anonbbba" for
/// "workload" and "workloads". Where there is none, as in a family of very many, a name is left
/// out. Those of `domains`, which are among the names, become domains.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> near_names(
    const std::set<std::string>& names, const std::set<std::string>& domains,
    const Settled& settled);

}  // namespace dsdoctor::redaction
