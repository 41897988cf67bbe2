// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dsdoctor::redaction {

/// The parts of an image's name: "registry.example/team/app:1@sha256:..". Views of the parsed text.
struct ImageName {
  std::string_view host;  // "registry.example", with its port; empty if absent
  std::string_view path;  // "team/app"
  std::string_view bare;  // host and path: without tag and digest

  [[nodiscard]] static ImageName parse(std::string_view text);
};

}  // namespace dsdoctor::redaction
