// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "source/cluster_source.h"

namespace dsdoctor::cmd {

/// The snapshot as a document, compressed by the extension of the file's name: .json is not, .gz
/// with gzip, any other with zstd.
[[nodiscard]] base::Result<std::string> packed(const source::Snapshot& snapshot,
                                               std::string_view file);

/// Saves the snapshot to a new file in the working directory, with the usual name. Returns the line
/// to show.
[[nodiscard]] std::string save_here(const source::Snapshot& snapshot);

}  // namespace dsdoctor::cmd
