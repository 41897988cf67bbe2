#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dsdoctor::kube {

/// The first document of a YAML text. Empty text gives a null node.
/// Errors: Malformed, `yaml: line N: sentence`, also for what is no UTF-8 text, is nested more than
/// 500 levels deep, or has more than 200,000 lines and list or mapping entries: yaml-cpp needs
/// seconds and gigabytes for more. No error repeats a value.
[[nodiscard]] base::Result<YAML::Node> first_yaml_document(std::string_view text);

/// The text cut at its `---` lines, as k8s.io/apimachinery's YAML reader does it, so that one
/// broken document does not hide those before it. At least one part.
[[nodiscard]] std::vector<std::string_view> split_yaml_documents(std::string_view text);

}  // namespace dsdoctor::kube
