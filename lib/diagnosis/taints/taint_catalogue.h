// SPDX-License-Identifier: Apache-2.0
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

/// Known taints: built-in entries and those of users, which have precedence.
class TaintCatalogue {
 public:
  /// The catalogue without entries of users. Created on first use; has static lifetime.
  [[nodiscard]] static const TaintCatalogue& built_in();

  /// A catalogue with the built-in entries and the lists of users; a later list has precedence over
  /// an earlier one.
  explicit TaintCatalogue(std::vector<std::vector<model::KnownTaint>> own);

  /// Every built-in entry, in the order of the file.
  [[nodiscard]] std::vector<const model::KnownTaint*> built_in_entries() const;

  /// The best entry for a taint: exact keys before prefixes (longer ones first) before globs; among
  /// equal keys an entry whose value and effect match, then one with a node label or values. An
  /// entry of a user is used only if value and effect match. Null for an unknown taint. Valid as
  /// long as the catalogue.
  [[nodiscard]] const model::KnownTaint* find(const model::Taint& taint,
                                              const model::Labels& of_node) const;

 private:
  struct Layer {
    std::vector<model::KnownTaint> entries;
    bool strict = true;
    std::unordered_map<std::string_view, std::vector<std::size_t>> exact;  // key -> indexes
    std::vector<std::size_t> others;                                       // prefixes, globs
  };
  TaintCatalogue();
  void add_layer(std::vector<model::KnownTaint> taints, bool strict);
  [[nodiscard]] static const model::KnownTaint* find_in(const Layer& layer,
                                                        const model::Taint& taint,
                                                        const model::Labels& of_node);

  std::vector<Layer> layers_;  // lowest precedence first
};

/// Whether the taint shows a state of the node or its removal, so that the component that added it
/// removes it. False for null and for an unknown lifecycle.
[[nodiscard]] bool passes(const model::KnownTaint* known);

/// The toleration that an entry suggests for a taint, with "<taint-key>" replaced by the taint's
/// key.
[[nodiscard]] std::optional<model::Toleration> suggested_toleration(const model::KnownTaint& known,
                                                                    const model::Taint& taint);

}  // namespace dsdoctor::diagnosis
