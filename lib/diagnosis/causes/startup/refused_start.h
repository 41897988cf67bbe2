// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Containers that the kubelet or the runtime does not start.
namespace dsdoctor::diagnosis {

/// REQUIRES: the container waits with the reason CreateContainerConfigError.
[[nodiscard]] Finding config_finding(const NodeCase& c, const model::Pod& pod,
                                     const model::ContainerStatus& status);

/// The finding if the runtime cannot create or start the container or its start hook fails; else
/// absent.
[[nodiscard]] std::optional<Finding> create_finding(const NodeCase& c, const model::Pod& pod,
                                                    const model::ContainerStatus& status);

/// "its image on the node is likely damaged: it runs on other amd64 nodes", if `text` reports that
/// the program cannot be executed while a ready pod of the DaemonSet executes it; else absent.
[[nodiscard]] std::optional<Message> damaged_image(const NodeCase& c, const model::Pod& pod,
                                                   const model::ContainerStatus& status,
                                                   std::string_view text);

}  // namespace dsdoctor::diagnosis
