// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/command.h"
#include "base/time.h"
#include "diagnosis/catalogue/finding_id.h"
#include "diagnosis/catalogue/message.h"

namespace dsdoctor::diagnosis {

enum class Severity { Critical, Error, Warning, Info };

[[nodiscard]] constexpr std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Critical: return "critical";
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Info: return "info";
  }
  return "";
}

/// Rank of a finding among those of its node. Findings of the DaemonSet itself are never primary.
enum class Standing {
  Primary,  // the cause of the node's verdict
  Also,     // would still be a problem without the primary cause
  Context,  // explains, but is not a problem
};

[[nodiscard]] constexpr std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::Primary: return "primary";
    case Standing::Also: return "also";
    case Standing::Context: return "context";
  }
  return "";
}

/// How certain a finding is; most certain first.
enum class Basis {
  Confirmed,   // visible in the objects, or recomputed and reported by a component, too
  Recomputed,  // only by our own evaluation
  Reported,    // only by the cluster's own messages: too little was read to recompute it
  Predicted,   // about a pod that does not exist yet
  Suspected,   // likely, because the signs match
};

[[nodiscard]] constexpr std::string_view to_string(Basis basis) {
  switch (basis) {
    case Basis::Confirmed: return "confirmed";
    case Basis::Recomputed: return "recomputed";
    case Basis::Reported: return "reported";
    case Basis::Predicted: return "predicted";
    case Basis::Suspected: return "suspected";
  }
  return "";
}

/// "container-oom": the stable public id in the catalogue.
[[nodiscard]] std::string_view to_string(FindingId id);

/// A step of a fix: a text, a command, or both; the text introduces the command.
struct Step {
  std::string text;
  std::optional<base::Command> command = {};
  std::string condition = {};  // "the tag is wrong"; empty: the step always helps

  friend bool operator==(const Step&, const Step&) = default;
};

/// How much of a resource a node has left for a pod.
struct Room {
  std::int64_t free = 0;  // in the units of scheduling::Demand; 0 if the node is over-committed
  std::string text;       // "400m", in the unit of the request

  friend bool operator==(const Room&, const Room&) = default;
};

/// A fact about a DaemonSet, or about a DaemonSet on a node, with its evidence.
struct Finding {
  FindingId id = {};
  Severity severity = Severity::Info;
  Message message;                 // one sentence, no trailing period
  std::vector<Evidence> evidence;  // data that supports the finding
  std::vector<Step> fix;           // may be empty
  Standing standing = Standing::Context;
  Basis basis = Basis::Confirmed;
  bool transient = false;  // resolves without action
  /// Key for grouping, equal for the same finding on other nodes: the parameters without those that
  /// vary from node to node. Empty: the id alone is the key.
  std::string group = {};
  /// Name of the object to fix, if it is neither a Node nor the DaemonSet; "Kind/name" or "Node" if
  /// the root of the entry is "Object"; may be empty.
  std::string root = {};
  /// When the finding should have resolved, but did not. Absent: it is not overdue.
  std::optional<base::Time> overdue_since = {};
  /// The nodes that a finding of the DaemonSet is about, if it is about some of its nodes; empty:
  /// it is about the DaemonSet.
  std::vector<std::string> nodes = {};
  /// The room for a request that is too large for the node. Absent: the finding is not about a
  /// request, or something else keeps the pod from the node as well.
  std::optional<Room> room = {};

  [[nodiscard]] std::string_view name() const { return to_string(id); }

  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace dsdoctor::diagnosis
