// SPDX-License-Identifier: Apache-2.0
#include "redaction/image_name.h"

#include <algorithm>

namespace dsdoctor::redaction {

/// The first part is a host if it cannot be a user on Docker Hub, as in
/// github.com/distribution/reference: splitDockerDomain.
ImageName ImageName::parse(std::string_view text) {
  ImageName result;
  text = text.substr(0, text.find('@'));
  const std::size_t colon = text.rfind(':');
  const bool tagged = colon != text.npos && text.find('/', colon) == text.npos;
  result.bare = tagged ? text.substr(0, colon) : text;
  result.path = result.bare;
  const std::size_t slash = result.bare.find('/');
  if (slash == result.bare.npos) return result;
  const std::string_view first = result.bare.substr(0, slash);
  if (first.find_first_of(".:") != first.npos || first == "localhost") {
    result.host = first;
    result.path.remove_prefix(slash + 1);
  }
  return result;
}

}  // namespace dsdoctor::redaction
