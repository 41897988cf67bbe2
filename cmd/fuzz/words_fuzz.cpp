// SPDX-License-Identifier: Apache-2.0

// Small texts: from a cluster, a server, a kubeconfig, the command line.

#include <algorithm>
#include <array>
#include <vector>

#include "base/printable.h"
#include "decode/objects/selector_syntax.h"
#include "fuzz/test_fuzz.h"
#include "kube/client/api_error.h"
#include "kube/config/kubeconfig.h"
#include "kube/http/headers.h"
#include "kube/http/redirect.h"
#include "kube/http/retry.h"
#include "kube/login/exec_credential.h"
#include "kube/text/certificate.h"
#include "kube/text/duration.h"
#include "kube/text/url.h"
#include "line/invocation.h"
#include "line/what_if.h"
#include "scheduling/messages.h"
#include "scheduling/quantity.h"

namespace dsdoctor::fuzz {
namespace {

/// Splits lines into words and adds --demo, so that no word names a file or a server.
std::vector<std::string> words_of(std::string_view input) {
  std::vector<std::string> words;
  while (!input.empty() && words.size() < 64) {
    const auto end = std::min(input.find('\n'), input.size());
    words.emplace_back(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return words;
}

}  // namespace

void selector(std::string_view input) { (void)decode::parse_label_selector(input); }

void quantity(std::string_view input) {
  const auto parsed = scheduling::Quantity::parse(input);
  if (!parsed) return;
  const std::string text = to_string(*parsed);
  const auto again = scheduling::Quantity::parse(text);
  require(again.has_value(), "a printed quantity is one: " + text);
  // The last digits of longer numbers are rounded by the parser.
  constexpr scheduling::Int128 exact =
      scheduling::Int128{1'000'000'000'000'000'000} * 1'000'000'000;
  if (parsed->nanos() < exact && -parsed->nanos() < exact) {
    require(*again == *parsed, "and the same: " + text);
  }
  auto sum = *parsed;
  sum += *parsed;
  (void)sum.value();
  (void)sum.milli_value();
  for (const auto rounding : {scheduling::Rounding::Down, scheduling::Rounding::Up}) {
    (void)scheduling::to_string_like(sum, *parsed, rounding);
  }
}

void scheduler_message(std::string_view input) { (void)scheduling::parse_scheduler_message(input); }

void kubeconfig(std::string_view input) { (void)kube::parse_kubeconfig(input, "/folder/config"); }

void exec_credential(std::string_view input) {
  const std::string output(input);
  (void)kube::parse_exec_credential(output, "client.authentication.k8s.io/v1");
  (void)kube::expiry_of(output);
}

void server_words(std::string_view input) {
  const std::string text(input);
  for (const std::string& warning : kube::warning_texts(input)) {
    require(warning == base::printable(warning), "a warning is fit for a terminal");
  }
  const auto server = kube::parse_server_url("https://h:6443/prefix");
  require(server.has_value(), "an address");
  const kube::ResponseHead head{302, {{"Location", text}, {"Retry-After", text}}};
  const std::string nodes = "/api/v1/nodes";
  if (const auto target = kube::redirect_target(*server, nodes + "?limit=1", nodes, head)) {
    for (const char c : *target) require(c > 0x20 && c < 0x7F, "a redirect is one word of ASCII");
    require(target->substr(0, target->find('?')).ends_with(nodes),
            "a redirect is the same resource");
  }
  (void)kube::retry_after(head);
  (void)kube::failure_of(kube::ResponseHead{403, {}}, text, "nodes");
  (void)kube::failure_in_body(text);
  (void)kube::parse_server_url(text);
  (void)kube::parse_request_timeout(text);
}

void command_line(std::string_view input) {
  const std::vector<std::string> words = words_of(input);
  (void)cmd::parse_invocation(words, "kubectl dsdoctor");
  using Options = cmd::WhatIfOptions;
  constexpr std::array flags = {&Options::tolerate, &Options::taint,   &Options::untaint,
                                &Options::label,    &Options::unlabel, &Options::cordon};
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    (options.*flags[i % flags.size()]).push_back(words[i]);
  }
  (void)cmd::read_what_if(options);
}

}  // namespace dsdoctor::fuzz
