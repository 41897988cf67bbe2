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
/// their registries, addresses, provider ids, values of annotations and host names, each by one
/// replacement wherever it stands: in references, selectors, labels, taints and the words of
/// messages. There a name is found as a whole word or a piece of one between dashes, in any case of
/// letters; what no object is known by is found where texts name such things: users, objects in
/// quotes, images, webhooks, hosts and URLs. Verdicts, counts, reasons and findings stay the same;
/// nodes stay in their order.
///
/// Keys (of labels, taints, annotations, resources, finalizers and gates) stay, and so do values of
/// labels and taints that are no names: they decide. So do names and words that many clusters have
/// (well_known.h: `default`, `system:...`, `kubectl`, `ebs.csi.aws.com`, a container `agent`),
/// paths of folders and probes, kinds and reasons, versions, times and quantities; and what else
/// somebody wrote in a message. `leak_test.cpp` lists the fields.
[[nodiscard]] Redacted redact(const Redacted& original);

}  // namespace dsdoctor::redaction
