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

/// What a finding is among those of its node. Of the DaemonSet's own none is primary.
enum class Standing {
  Primary,  // the one cause of the node's verdict
  Also,     // would still be in the way once the primary cause is gone
  Context,  // explains, blocks nothing
};

[[nodiscard]] constexpr std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::Primary: return "primary";
    case Standing::Also: return "also";
    case Standing::Context: return "context";
  }
  return "";
}

/// How sure a finding is; surest first.
enum class Basis {
  Confirmed,   // seen in the objects, or recomputed and named by the cluster's own component
  Recomputed,  // by our own evaluation alone
  Reported,    // by the cluster's own words alone: too little was read to recompute it
  Predicted,   // of a pod that does not exist yet
  Suspected,   // the signs fit
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

/// "container-oom": the stable public name of the catalogue.
[[nodiscard]] std::string_view to_string(FindingId id);

/// Something to do: in words, by a command, or both, the words leading up to the command.
struct Step {
  std::string text;
  std::optional<base::Command> command = {};
  std::string condition = {};  // "the tag is wrong"; empty: it always helps

  friend bool operator==(const Step&, const Step&) = default;
};

/// A fact about a DaemonSet, or about it on one node, with what it rests on.
struct Finding {
  FindingId id = {};
  Severity severity = Severity::Info;
  Message message;                 // one sentence, no trailing period
  std::vector<Evidence> evidence;  // what it rests on
  std::vector<Step> fix;           // what to do; may be empty
  Standing standing = Standing::Context;
  Basis basis = Basis::Confirmed;
  bool transient = false;  // passes without anybody's doing
  /// Equal for the same finding on other nodes: its parameters without what merely varies from
  /// node to node. Empty: the id alone.
  std::string group = {};
  /// The name of the object at its root, where that is of another kind than Node or DaemonSet;
  /// "Kind/name" or "Node" where its entry says "Object"; may be empty.
  std::string root = {};
  /// When it should have resolved; it did not. Absent: nothing was due yet, or ever.
  std::optional<base::Time> overdue_since = {};
  /// The nodes that a finding of the DaemonSet is about, where these are some of them; empty: it is
  /// about the DaemonSet.
  std::vector<std::string> nodes = {};

  [[nodiscard]] std::string_view name() const { return to_string(id); }

  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace dsdoctor::diagnosis
