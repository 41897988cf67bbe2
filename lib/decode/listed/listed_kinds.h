// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "decode/objects/kind.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// The kinds that were listed in full, with their namespaces: only then does a missing object not
/// exist. Any number of single objects is not a list.
class ListedKinds {
 public:
  /// Starts a list. Lists can be nested: an item belongs to the innermost one.
  void begin() { open_.emplace_back(); }
  /// Adds an item to the open list, if any; `ns` is empty for a cluster-scoped item.
  void note(Kind kind, std::string_view ns);
  /// Ends a complete list: each kind in it, and `of` even if the list is empty, is listed in full.
  /// The list is of one namespace if all items are, or if it is empty and `ns` is set; else of all
  /// namespaces.
  void end(std::optional<Kind> of, std::string_view ns);
  /// Call if an object of that kind could not be read: the kind is not complete then.
  void miss(Kind kind) { missed_[static_cast<std::size_t>(kind)] = true; }
  /// Ends an incomplete list, which does not prove that an object is missing.
  void abandon() { open_.pop_back(); }

  /// Reports whether all objects of the kind in the namespace were listed; `ns` is empty for a
  /// cluster-scoped kind. A list with pods of one namespace is complete only for that namespace,
  /// even if it has other objects: the output of several commands is often joined into one list.
  [[nodiscard]] bool lists(Kind kind, std::string_view ns) const { return in(kind, {ns}); }

  /// The kinds of which all needed objects were listed. For most kinds, these are the objects in
  /// the namespaces of DaemonSets; for DaemonSets, those in all known namespaces. `cluster` has all
  /// objects that were read.
  [[nodiscard]] model::Known known(const model::Cluster& cluster) const;

 private:
  using Names = std::set<std::string, std::less<>>;
  struct Where {
    bool everywhere = false;
    Names namespaces;
  };

  [[nodiscard]] bool in(Kind kind, const std::set<std::string_view>& namespaces) const;

  std::array<Where, kind_count> listed_{};
  std::array<bool, kind_count> missed_{};
  std::vector<std::map<Kind, Names>> open_;
};

}  // namespace dsdoctor::decode
