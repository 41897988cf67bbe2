// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/cluster.h"

namespace dsdoctor::redaction {

/// New names, for what refers to the objects from outside.
struct Renamed {
  /// Namespace and name of each DaemonSet, and the name of each node, in the order of the original.
  std::vector<std::pair<model::Text, model::Text>> daemon_sets;
  std::vector<model::Text> nodes;
  /// Replaces the names in a text.
  std::function<std::string(std::string_view)> words;
};

/// The data to redact, and the result.
struct Redacted {
  model::Cluster cluster;
  model::SourceInfo source;
  std::vector<model::Omission> omissions;
  std::vector<model::Warning> warnings;
  Renamed renamed = {};  // only in the result
};

/// Replaces names (of nodes, namespaces, DaemonSets, pods and all other objects; of users,
/// containers, volumes, field managers, schedulers, drivers and runtime handlers), UIDs, images and
/// their registries, addresses, provider ids, values of annotations and host names, keys and values
/// of labels and taints, each with the same replacement in all places: in references, selectors and
/// messages. Messages are searched for names as whole words or runs of pieces between dashes,
/// ignoring case; all other words that are not well known are replaced with "anon7". Fingerprints
/// of templates become numbers that differ if the templates do. Verdicts, counts, reasons and
/// findings do not change; nodes keep their order, except those that keep their names.
///
/// Names and words that many clusters have are kept, even as names (well_known.h: `default`,
/// `system:...`, `kubectl`, `ebs.csi.aws.com`, a DaemonSet `agent`); they include all words of
/// messages from which findings are derived. Times, quantities and words that the API defines are
/// kept, too. Labels that are nearly equal stay nearly equal (near_names.h).
[[nodiscard]] Redacted redact(const Redacted& original);

}  // namespace dsdoctor::redaction
