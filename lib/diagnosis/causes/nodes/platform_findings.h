#pragma once

#include <map>
#include <string>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Nodes whose architecture or operating system the images are not made for: seen only over all
/// nodes of a DaemonSet. By node name; a node whose pod is ready has none.
namespace dsdoctor::diagnosis {

using FindingsByNode = std::map<std::string, Finding, std::less<>>;

/// node-arch-mismatch: by the registry's or the kernel's words; or suspected, where all nodes of
/// one architecture crash, at least two of another are fine, and nothing else tells them apart.
[[nodiscard]] FindingsByNode architecture_findings(const DaemonSetCase& c);

/// node-os-mismatch: another operating system than the template's, or than that of the nodes where
/// the pods are fine. Info for nodes that the template's own clause about it leaves out.
[[nodiscard]] FindingsByNode operating_system_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
