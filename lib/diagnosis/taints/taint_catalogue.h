#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/known_taint.h"
#include "model/labels.h"

namespace dsdoctor::diagnosis {

/// What is known of taints: the entries of the program, and those of users, which win.
class TaintCatalogue {
 public:
  /// Made when it is first asked for; lives as long as the program.
  [[nodiscard]] static const TaintCatalogue& built_in();

  /// The built-in entries and lists of others', of which a later list wins over an earlier one.
  explicit TaintCatalogue(std::vector<std::vector<model::KnownTaint>> own);

  /// Every built-in entry, in the order of the file.
  [[nodiscard]] std::vector<const model::KnownTaint*> built_in_entries() const;

  /// Exact keys before prefixes (the longer first) before globs; among equal keys the entry whose
  /// value and effect fit, then the one that names the kind of node or the value. An entry of a
  /// user counts only where value and effect fit.
  /// Null for a taint that nobody but this cluster's owner knows. Valid while the catalogue lives.
  [[nodiscard]] const model::KnownTaint* find(const model::Taint& taint,
                                              const model::Labels& of_node) const;

 private:
  struct Layer {
    std::vector<model::KnownTaint> entries;
    bool strict = true;
    std::unordered_map<std::string_view, std::vector<std::size_t>> exact;  // by key, of entries
    std::vector<std::size_t> others;                                       // prefixes and globs
  };
  TaintCatalogue();
  void add_layer(std::vector<model::KnownTaint> taints, bool strict);
  [[nodiscard]] static const model::KnownTaint* find_in(const Layer& layer,
                                                        const model::Taint& taint,
                                                        const model::Labels& of_node);

  std::vector<Layer> layers_;  // the weakest first
};

/// A taint that stands for a state of the node, or for its removal: whoever set it removes it.
/// False for null, and for what nothing is known of.
[[nodiscard]] bool passes(const model::KnownTaint* known);

/// The toleration that an entry suggests for a taint: its literal key stands for "<taint-key>".
[[nodiscard]] std::optional<model::Toleration> suggested_toleration(const model::KnownTaint& known,
                                                                    const model::Taint& taint);

}  // namespace dsdoctor::diagnosis
