// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Nodes whose architecture or operating system the images are not built for, which only a
/// comparison of all nodes of a DaemonSet shows. By node name; nodes with a ready pod have no
/// entry.
namespace dsdoctor::diagnosis {

using FindingsByNode = std::map<std::string, Finding, std::less<>>;

/// node-arch-mismatch: confirmed by the registry's or the kernel's message; suspected if all nodes
/// of one architecture crash, at least two of another are healthy and no other attribute separates
/// them.
[[nodiscard]] FindingsByNode architecture_findings(const DaemonSetCase& c);

/// node-os-mismatch: the node's operating system differs from the template's, or from that of the
/// nodes with healthy pods. Info for nodes that the template's own selector excludes.
[[nodiscard]] FindingsByNode operating_system_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
