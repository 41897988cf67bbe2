// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The files of this folder, embedded while the program is built.
namespace dsdoctor::render::page {

[[nodiscard]] std::string_view report_template();
[[nodiscard]] std::string_view document_template();
/// Parts that templates include.
[[nodiscard]] std::string_view head_template();
[[nodiscard]] std::string_view end_template();
[[nodiscard]] std::string_view problem_template();
[[nodiscard]] std::string_view strip_template();
[[nodiscard]] std::string_view blocks_template();
[[nodiscard]] std::string_view block_template();
[[nodiscard]] std::string_view line_template();

[[nodiscard]] std::string_view style();
[[nodiscard]] std::string_view script();
/// SHA-256 in base64, for the content security policy.
[[nodiscard]] std::string_view style_hash();
[[nodiscard]] std::string_view script_hash();

}  // namespace dsdoctor::render::page
