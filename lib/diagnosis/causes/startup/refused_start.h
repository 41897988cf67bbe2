#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Containers that kubelet or runtime do not start.
namespace dsdoctor::diagnosis {

/// REQUIRES: it waits with the reason CreateContainerConfigError.
[[nodiscard]] Finding config_finding(const NodeCase& c, const model::Pod& pod,
                                     const model::ContainerStatus& status);

/// The runtime cannot create or start the container, or a hook of its start fails; absent where
/// nothing of that is said.
[[nodiscard]] std::optional<Finding> create_finding(const NodeCase& c, const model::Pod& pod,
                                                    const model::ContainerStatus& status);

/// "its image on the node is likely damaged: it runs on other amd64 nodes", where `text` says that
/// the program cannot be executed and a ready pod of the DaemonSet shows that it can; else absent.
[[nodiscard]] std::optional<Message> damaged_image(const NodeCase& c, const model::Pod& pod,
                                                   const model::ContainerStatus& status,
                                                   std::string_view text);

}  // namespace dsdoctor::diagnosis
