// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/scheduling.h"
#include "model/text.h"

namespace dsdoctor::model {

/// How the key of a KnownTaint matches the keys of taints.
enum class KeyMatch : std::uint8_t { Exact, Prefix, Glob };

/// How long a taint remains on a node.
enum class TaintLifecycle : std::uint8_t {
  Unknown,
  Transient,    // a state that resolves without action, or that needs a fix
  Leaving,      // the node is being removed, and the taint with it
  UntilReady,   // until the node has finished starting
  Maintenance,  // until the maintenance of the node is finished
  Permanent,    // marks the kind of node
};

/// Whether a DaemonSet should tolerate a taint.
enum class Advised : std::uint8_t { Depends, Yes, No };

/// The word used in JSON: "until-ready"; empty for Unknown.
[[nodiscard]] constexpr std::string_view to_string(TaintLifecycle lifecycle) {
  switch (lifecycle) {
    case TaintLifecycle::Unknown: return "";
    case TaintLifecycle::Transient: return "transient";
    case TaintLifecycle::Leaving: return "leaving";
    case TaintLifecycle::UntilReady: return "until-ready";
    case TaintLifecycle::Maintenance: return "maintenance";
    case TaintLifecycle::Permanent: return "permanent";
  }
  return "";
}

[[nodiscard]] constexpr std::string_view to_string(Advised advised) {
  switch (advised) {
    case Advised::Depends: return "depends";
    case Advised::Yes: return "yes";
    case Advised::No: return "no";
  }
  return "";
}

/// The documented meaning of a taint.
/// Source of truth: lib/diagnosis/taints/known_taints.yaml, whose head explains the fields.
struct KnownTaint {
  Text id;
  Text key;
  KeyMatch match = KeyMatch::Exact;
  std::vector<Text> values;    // globs (base/glob.h); empty: any value
  bool value_decides = false;  // the entry does not hold for other values
  Text node_label;             // glob; a label key that the node must have
  Text renamed_to;             // the present key, or its prefix for a prefix; empty: not renamed
  std::vector<Text> effects;
  Text set_by;
  Text setter;  // the same in a few words; empty: set_by is short enough
  Text family;
  Text meaning;  // a sentence
  TaintLifecycle lifecycle = TaintLifecycle::Unknown;
  bool auto_tolerated = false;  // by the tolerations that the DaemonSet controller adds
  Text auto_condition;
  Advised for_node_agents = Advised::Depends;
  Advised in_general = Advised::Depends;
  Text advice;
  std::optional<Toleration> suggested;  // its key may be "<taint-key>"
  Text confidence;                      // "verified" or "likely"

  friend bool operator==(const KnownTaint&, const KnownTaint&) = default;
};

}  // namespace dsdoctor::model
