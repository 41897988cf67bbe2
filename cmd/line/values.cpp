// SPDX-License-Identifier: Apache-2.0
#include "line/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "base/time.h"
#include "decode/objects/selector_syntax.h"
#include "kube/text/duration.h"
#include "placement/integers.h"
#include "placement/label_syntax.h"

namespace dsdoctor::cmd {
namespace {

using model::NodeSelectorRequirement;

constexpr std::string_view name_rule =
    "1 to 63 letters, digits, \"-\", \"_\" or \".\", the first and the last a letter or a digit";

/// The fault of a requirement; empty if it is valid.
std::string fault_of(const NodeSelectorRequirement& requirement) {
  if (!placement::is_label_key(requirement.key)) {
    return fmt::format(
        "\"{}\" is not a label key, which is [PREFIX/]NAME, PREFIX a DNS name, NAME {}",
        requirement.key.view(), name_rule);
  }
  const bool compares = requirement.op == "Gt" || requirement.op == "Lt";
  for (const model::Text& value : requirement.values) {
    if (!placement::is_label_value(value)) {
      return fmt::format("\"{}\" is not a label value, which is empty, or {}", value.view(),
                         name_rule);
    }
    if (compares && !placement::parse_lenient_integer(value)) {
      return fmt::format("\"{}\" is not an integer, which < and > need", value.view());
    }
  }
  return {};
}

constexpr std::string_view comparison_gate = "TaintTolerationComparisonOperators";

base::Error gate_error(std::string what) {
  return {base::ErrorKind::Usage, "--feature-gates", std::move(what)};
}

base::Status read_selector(Parsed<Requirements>& selector, std::string_view flag) {
  auto requirements = parse_selector(selector.text);
  if (requirements) {
    selector.value = std::move(*requirements);
    return std::monostate();
  }
  base::Error error = requirements.error();
  error.where = fmt::format("{} \"{}\"{}{}", flag, selector.text, error.where.empty() ? "" : ", ",
                            error.where);
  return error;
}

base::Status read_now(Parsed<model::OptionalTime>& now) {
  if (now.text.empty()) return std::monostate();
  now.value = base::parse_rfc3339(now.text);
  if (now.value) return std::monostate();
  return base::usage_error(
      fmt::format("--now \"{}\": expected a time like 2006-01-02T15:04:05Z", now.text));
}

}  // namespace

base::Result<Requirements> parse_selector(std::string_view text) {
  auto requirements = decode::parse_label_selector(text);
  if (!requirements) return requirements;
  for (const NodeSelectorRequirement& requirement : *requirements) {
    if (std::string fault = fault_of(requirement); !fault.empty()) {
      return base::usage_error(std::move(fault));
    }
  }
  return requirements;
}

base::Result<GivenGates> parse_feature_gates(const std::string& text) {
  GivenGates gates;
  std::optional<bool> named;  // a gate's own setting overrides AllAlpha, in any order
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view entry = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (entry.empty()) continue;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) {
      return gate_error(
          fmt::format("missing bool value for {}: write {}=true or {}=false", entry, entry, entry));
    }
    const std::string_view name = entry.substr(0, equals);
    const std::string_view value = entry.substr(equals + 1);
    if (value != "true" && value != "false") {
      return gate_error(fmt::format("invalid value of {}={}: must be true or false", name, value));
    }
    if (name == comparison_gate) {
      named = value == "true";
    } else if (name == "AllAlpha") {
      gates.taint_toleration_comparison_operators = value == "true";
    } else if (name != "AllBeta") {
      return gate_error(fmt::format("unrecognized feature gate: {}; only {} is supported", name,
                                    comparison_gate));
    }
  }
  if (named) gates.taint_toleration_comparison_operators = named;
  return gates;
}

base::Result<ColorMode> parse_color(std::string_view text) {
  if (text == "auto") return ColorMode::Auto;
  if (text == "always") return ColorMode::Always;
  if (text == "never") return ColorMode::Never;
  return base::usage_error(fmt::format(
      "invalid argument \"{}\" for \"--color\" flag: must be auto, always or never", text));
}

base::Result<FieldValidation> parse_validation(std::string_view text) {
  if (text == "strict") return FieldValidation::Strict;
  if (text == "warn") return FieldValidation::Warn;
  if (text == "ignore") return FieldValidation::Ignore;
  if (const auto strict = parse_bool(text)) {
    return *strict ? FieldValidation::Strict : FieldValidation::Ignore;
  }
  return base::usage_error(
      fmt::format("invalid argument \"{}\" for \"--validate\" flag: must be one of: strict (or "
                  "true), warn, ignore (or false)",
                  text));
}

base::Status read_texts(AnswerOptions& options) {
  if (auto read = read_selector(options.input.selector, "--selector"); !read) return read.error();
  if (auto read = read_selector(options.scope.node_selector, "--node-selector"); !read) {
    return read.error();
  }
  Parsed<GivenGates>& gates = options.rules.feature_gates;
  auto parsed = parse_feature_gates(gates.text);
  if (!parsed) return parsed.error();
  gates.value = *parsed;
  return read_now(options.input.now);
}

base::Result<std::chrono::milliseconds> parse_timeout(std::string_view text) {
  const auto timeout = kube::parse_request_timeout(text);
  if (timeout) return *timeout;
  return base::usage_error(
      fmt::format("--timeout \"{}\" must be a duration like 90s or 10m, or 0", text));
}

base::Result<ListenAddress> parse_listen_address(std::string_view text) {
  const auto wrong = [&] {
    return base::usage_error(
        fmt::format("--listen \"{}\" must be an address and a port, like 127.0.0.1:8080, "
                    "[::1]:8080 or :8080",
                    base::printable_line(text)));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return wrong();
  const std::string_view port = text.substr(colon + 1);
  std::string_view host = text.substr(0, colon);
  const auto number = base::to_number<int>(port);
  constexpr int highest_port = 65535;
  if (!number || *number < 0 || *number > highest_port) return wrong();
  const bool has_brackets = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (host.starts_with('[') && !has_brackets) return wrong();
  if (has_brackets) host = host.substr(1, host.size() - 2);
  const bool has_colon = host.find(':') != host.npos;
  if (has_colon != has_brackets || !base::fits_header(host)) return wrong();
  return ListenAddress{std::string(host), std::string(port)};
}

GivenFlags given_cluster_flags(const SourceOptions& options) {
  const kube::ConfigFlags& given = options.connection;
  GivenFlags flags = {{"--kubeconfig", given.kubeconfig},
                      {"--context", given.context},
                      {"--cluster", given.cluster},
                      {"--user", given.user},
                      {"--server", given.server},
                      {"--certificate-authority", given.certificate_authority},
                      {"--insecure-skip-tls-verify", given.insecure_skip_tls_verify ? "true" : ""},
                      {"--tls-server-name", given.tls_server_name},
                      {"--client-certificate", given.client_certificate},
                      {"--client-key", given.client_key},
                      {"--as", given.as},
                      {"--as-uid", given.as_uid}};
  for (const std::string& group : given.as_groups) flags.emplace_back("--as-group", group);
  for (const std::string& extra : given.as_user_extra) flags.emplace_back("--as-user-extra", extra);
  std::erase_if(flags, [](const auto& flag) { return flag.second.empty(); });
  return flags;
}

}  // namespace dsdoctor::cmd
