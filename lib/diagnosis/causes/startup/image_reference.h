// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Image names, and error texts of kubelets and runtimes that quote them.
namespace dsdoctor::diagnosis {

/// "nginx" and "docker.io/library/nginx:latest" name one image; "app" and "app-side:1" do not.
/// Source of truth: ParseDockerRef, github.com/distribution/reference.
[[nodiscard]] bool is_same_image(std::string_view a, std::string_view b);

/// The reference in `Failed to pull image "x:1": ...`; absent if the text quotes none. Points into
/// `text`.
[[nodiscard]] std::optional<std::string_view> quoted_image(std::string_view text);

/// The first 4 KiB of `text` without `image`, references, digests and addresses, whose letters and
/// digits carry no meaning. "i/o" is kept.
[[nodiscard]] std::string without_references(std::string_view text, std::string_view image);

}  // namespace dsdoctor::diagnosis
