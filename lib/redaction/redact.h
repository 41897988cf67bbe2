#pragma once

#include <vector>

#include "model/cluster.h"

namespace dsdoctor::redaction {

/// What was read, without the names that tell whose it is.
struct Redacted {
  model::Cluster cluster;
  model::SourceInfo source;
  std::vector<model::Omission> omissions;
  std::vector<model::Warning> warnings;
};

/// Replaces names (of nodes, namespaces, DaemonSets, pods and all other objects; of users,
/// containers, volumes, field managers, schedulers, drivers and runtime handlers), UIDs, images and
/// their registries, addresses, provider ids, values of annotations and host names, keys and values
/// of labels and taints, each by one replacement wherever it stands: in references, selectors and
/// the words of messages. There a name is found as a whole word or a run of pieces between dashes,
/// in any case of letters; every other word that is not well known is replaced by "anon7".
/// Fingerprints of templates become numbers that differ where the templates do.
/// Verdicts, counts, reasons and findings stay the same; nodes stay in their order but for those
/// that keep their names.
///
/// Names and words that many clusters have stay everywhere, as names too (well_known.h: `default`,
/// `system:...`, `kubectl`, `ebs.csi.aws.com`, a DaemonSet `agent`): all words of the messages that
/// findings are read from are of these. So do times and quantities, and words that the API defines,
/// as these are made of well-known ones. Labels that are nearly equal stay so (near_names.h).
[[nodiscard]] Redacted redact(const Redacted& original);

}  // namespace dsdoctor::redaction
