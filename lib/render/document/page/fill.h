// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

/// Fills the templates of this folder: Mustache, whose values are escaped for HTML.
namespace dsdoctor::render::page {

using Json = nlohmann::ordered_json;

/// The page about DaemonSets. `data`: see report.mustache; a name of the template that is missing
/// in an object is looked up in those around it, so objects have all keys.
[[nodiscard]] std::string filled_report(const Json& data);
/// The page of any other answer; see document.mustache.
[[nodiscard]] std::string filled_document(const Json& data);

/// A JSON text for a `script` element: `<` and the line separators of JavaScript are
/// escaped.
[[nodiscard]] std::string script_safe(const Json& data);

}  // namespace dsdoctor::render::page
