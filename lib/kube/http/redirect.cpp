// SPDX-License-Identifier: Apache-2.0
#include "kube/http/redirect.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace dsdoctor::kube {
namespace {

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Printable ASCII without blanks: other characters could start another request line.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

/// The part of an absolute URL after its authority; null if its origin is another one.
std::optional<std::string> within_origin(const Url& server, const std::string& location) {
  const auto url = parse_url(location);
  if (!url || url->user || url->scheme != server.scheme ||
      !base::same_ignoring_case(url->address(), server.address())) {
    return std::nullopt;
  }
  const auto rest = location.find_first_of("/?", location.find("://") + 3);
  std::string target = rest == std::string::npos ? "/" : location.substr(rest);
  return target.starts_with('/') ? target : "/" + target;
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

/// The parameters that decide which objects an answer has, in order.
std::vector<std::string_view> choices_in(std::string_view target) {
  const auto mark = target.find('?');
  std::vector<std::string_view> result;
  if (mark == std::string_view::npos) return result;
  for (const std::string_view part : base::split(target.substr(mark + 1), "&")) {
    const std::string_view name = part.substr(0, part.find('='));
    if (name == "labelSelector" || name == "fieldSelector" || name == "continue") {
      result.push_back(part);
    }
  }
  std::ranges::sort(result);
  return result;
}

/// Reports whether `target` is `resource` behind some prefix, not a resource that a prefix of the
/// API gives another meaning, such as `/api/v1/namespaces/x/pods/y/proxy`.
bool is_same_resource(std::string_view target, std::string_view resource) {
  const std::string_view path = path_of(target);
  if (!path.ends_with(resource)) return false;
  const std::string_view prefix = path.substr(0, path.size() - resource.size());
  return prefix.find('%') == std::string_view::npos &&
         std::ranges::none_of(base::split(prefix, "/"), [](std::string_view part) {
           return part == "api" || part == "apis" || part == "." || part == "..";
         });
}

std::optional<std::string> target_within(const Url& server, const std::string& target,
                                         const ResponseHead& head) {
  const std::string* header = is_redirect(head.status) ? head.find("Location") : nullptr;
  if (header == nullptr || !is_plain(*header)) return std::nullopt;
  const std::string location = header->substr(0, header->find('#'));
  if (location.empty()) return std::nullopt;
  const std::string path = target.substr(0, target.find('?'));
  if (location.starts_with("//")) return within_origin(server, server.scheme + ":" + location);
  if (location.starts_with('/')) return location;
  if (location.starts_with('?')) return path + location;
  const auto colon = location.find(':');  // before any slash or question mark: a scheme
  if (colon < location.find_first_of("/?")) return within_origin(server, location);
  return path.substr(0, path.rfind('/') + 1) + location;
}

}  // namespace

std::optional<std::string> redirect_target(const Url& server, const std::string& target,
                                           std::string_view resource, const ResponseHead& head) {
  auto next = target_within(server, target, head);
  if (!next || !is_same_resource(*next, resource) || choices_in(*next) != choices_in(target)) {
    return std::nullopt;
  }
  return next;
}

}  // namespace dsdoctor::kube
