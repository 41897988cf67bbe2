#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Names of images, and what texts of kubelets and runtimes say beside them.
namespace dsdoctor::diagnosis {

/// "nginx" and "docker.io/library/nginx:latest" name one image; "app" and "app-side:1" do not.
/// Source of truth: ParseDockerRef, github.com/distribution/reference.
[[nodiscard]] bool is_same_image(std::string_view a, std::string_view b);

/// The reference in `Failed to pull image "x:1": ...`; absent where the text quotes none. Part of
/// `text`.
[[nodiscard]] std::optional<std::string_view> quoted_image(std::string_view text);

/// The first 4 KiB of `text` without `image` and without references, digests and addresses, whose
/// letters and digits mean nothing; "i/o" stays.
[[nodiscard]] std::string without_references(std::string_view text, std::string_view image);

}  // namespace dsdoctor::diagnosis
