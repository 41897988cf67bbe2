// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/json/list_page.h"
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
  /// Ends a list. If its `page` is the last one, each kind in it, and `of` even if the list is
  /// empty, is listed in full: on this page, and on the pages before with the same resourceVersion.
  /// The list is of one namespace if all items are, or if it is empty and `ns` is set; else of all
  /// namespaces. If more pages follow, its kinds are incomplete until the last one was read; `file`
  /// is where.
  void end(std::optional<Kind> of, std::string_view ns, const ListPage& page,
           std::string_view file);
  /// Call if an object of that kind could not be read: the kind is not complete then.
  void miss(Kind kind) { missed_[static_cast<std::size_t>(kind)] = true; }
  /// Ends a list that could not be read to its end; it does not prove that an object is missing.
  void abandon() { open_.pop_back(); }

  /// A list of which later pages were not read.
  struct Cut {
    Kind kind;
    std::string file;
    std::int64_t remaining = 0;  // items on later pages; 0: unknown
    std::string version;
    std::set<std::string, std::less<>> namespaces;  // the namespaces of the items
  };
  [[nodiscard]] const std::vector<Cut>& cuts() const { return cuts_; }
  [[nodiscard]] bool is_cut(Kind kind) const;

  /// Whether a list of any namespaces had objects of the kind.
  [[nodiscard]] bool was_listed(Kind kind) const;
  /// Whether the kind was listed in full by lists of that kind alone.
  [[nodiscard]] bool lists_alone(Kind kind) const;

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

  void keep_cuts(std::map<Kind, Names>& kinds, const ListPage& page, std::string_view file);
  void add_pages_before(std::map<Kind, Names>& kinds, const std::string& version);
  [[nodiscard]] bool in(Kind kind, const std::set<std::string_view>& namespaces) const;

  std::array<Where, kind_count> listed_{};
  std::array<bool, kind_count> missed_{};
  std::array<bool, kind_count> with_others_{};  // a list with other kinds, too, has such objects
  std::vector<std::map<Kind, Names>> open_;
  std::vector<Cut> cuts_;
  /// The namespaces of complete lists, by kind and resourceVersion.
  std::map<std::pair<Kind, std::string>, Names> ended_;
};

}  // namespace dsdoctor::decode
