// SPDX-License-Identifier: Apache-2.0
#include "kube/http/transport.h"

#include <algorithm>

#include "base/text.h"

namespace dsdoctor::kube {

const std::string* ResponseHead::find(std::string_view name) const {
  const auto at = std::ranges::find_if(
      headers, [&](const Header& header) { return base::same_ignoring_case(header.name, name); });
  return at == headers.end() ? nullptr : &at->value;
}

std::string ResponseHead::media_type() const {
  const std::string* value = find("Content-Type");
  if (value == nullptr) return {};
  return base::lower_case(base::trimmed(std::string_view(*value).substr(0, value->find(';'))));
}

}  // namespace dsdoctor::kube
