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

/// Which kinds were listed in full, and in which namespaces: only then an object that is not there
/// does not exist. Single objects, however many, are no list.
class ListedKinds {
 public:
  /// A list begins. Lists may nest: an item belongs to the innermost one.
  void begin() { open_.emplace_back(); }
  /// An item of the list that is open, if any; `ns` is empty for a cluster-scoped one.
  void note(Kind kind, std::string_view ns);
  /// The list is whole: each kind in it, and `of` even where the list is empty, is listed in full.
  /// In one namespace where all items are of one, or where there are none and `ns` names it; else
  /// in all of them.
  void end(std::optional<Kind> of, std::string_view ns);
  /// An object of that kind could not be read: however many were, it is not all.
  void miss(Kind kind) { missed_[static_cast<std::size_t>(kind)] = true; }
  /// The list lacks items, and proves nothing.
  void abandon() { open_.pop_back(); }

  /// Whether all objects of the kind in the namespace were listed; `ns` is empty for a
  /// cluster-scoped one. A list with pods of one namespace is full for the pods of that namespace
  /// only, whatever else is in it: files of several commands are often joined to one list.
  [[nodiscard]] bool lists(Kind kind, std::string_view ns) const { return in(kind, {ns}); }

  /// `cluster` holds everything that was read. Needed are, of most kinds, the objects in the
  /// namespaces of DaemonSets; of DaemonSets, those in every namespace that is known of.
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
