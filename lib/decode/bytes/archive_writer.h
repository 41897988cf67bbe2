// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace dsdoctor::decode {

struct ArchivedFile {
  std::string path;  // relative, parts separated by /
  std::string content;
};

/// A tar archive (ustar) of the files, compressed with gzip; each file has the time `written`.
/// Errors: Unreadable, with the reason of libarchive or zlib.
[[nodiscard]] base::Result<std::string> tar_gz(const std::vector<ArchivedFile>& files,
                                               base::Time written);

}  // namespace dsdoctor::decode
