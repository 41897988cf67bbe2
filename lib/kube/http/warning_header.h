#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::kube {

/// The texts of a `Warning` header with code 299; entries that do not parse are skipped.
[[nodiscard]] std::vector<std::string> warning_texts(std::string_view header);

}  // namespace dsdoctor::kube
