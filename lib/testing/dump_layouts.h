// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testing/packing.h"

namespace dsdoctor::testing {

enum class DumpLayout { ClusterInfo, MustGather, SupportBundle, Sonobuoy, OldSonobuoy };

/// The objects of a v1 List as the collector of that layout writes them, with files of other
/// formats beside them.
[[nodiscard]] std::vector<TarEntry> dumped(std::string_view list, DumpLayout layout);

/// YAML in block style, with texts in double quotes.
[[nodiscard]] std::string yaml_from_json(std::string_view json);

}  // namespace dsdoctor::testing
