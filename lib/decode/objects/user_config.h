#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// What users keep in dsdoctor/config.yaml.
struct UserConfig {
  struct Line {
    std::string where;  // "config.yaml:2:5, ignore[0]"
    std::string text;
  };
  std::vector<Line> ignore;  // as --ignore takes them, not checked yet
};

/// Reads YAML or JSON: a mapping with the list `ignore`. An empty file says nothing. What is not
/// understood of a file that can be read is a warning, and the rest counts. Errors: Malformed,
/// `file:line:column`, where it is no YAML, or no mapping.
[[nodiscard]] base::Result<UserConfig> read_user_config(std::string_view content,
                                                        std::string_view file,
                                                        std::vector<model::Warning>& warnings);

}  // namespace dsdoctor::decode
