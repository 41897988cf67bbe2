// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/creation/refusal_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diagnosis/catalogue/findings/creation.h"
#include "diagnosis/evidence/wording.h"

namespace dsdoctor::diagnosis {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The text after the first `mark`; empty if there is none.
std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

/// The text between `open` and the next `close`; up to the end if `close` is missing.
std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const std::string_view rest = after(text, open);
  return rest.substr(0, rest.find(close));
}

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

std::string_view without_brackets(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return text;
}

/// Removes `pods "agent-x7x2k" is forbidden: `, which the finding already shows.
std::string_view without_subject(std::string_view text) {
  const std::string_view rest = after(text, " is forbidden: ");
  return text.starts_with("pods \"") && !rest.empty() ? rest : text;
}

/// Masks numbers, UIDs and pod names, so that texts with the same cause become equal.
std::string masked(std::string_view text) {
  std::string result;
  bool pod_name = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    bool digit = false;
    const auto in_word = [](char c) { return base::is_alphanumeric(c) || c == '-'; };
    for (; end < text.size() && in_word(text[end]); ++end) {
      digit = digit || base::is_digit(text[end]);
    }
    if (end == at) {
      result += text[at++];
      pod_name = result.ends_with("pods \"") || result.ends_with("Pod \"");
      continue;
    }
    result += digit || pod_name ? std::string_view("#") : text.substr(at, end - at);
    pod_name = false;
    at = end;
  }
  return result;
}

constexpr std::optional<std::int64_t> not_said;

Message said(std::string_view words) {
  return phrase::ApiServerWords{.words = wording::cut(words)};
}

// ---- One function per row returns the obstacle in the text; some set its name. ----

Message webhook_denied(Refusal& refusal) {
  refusal.name = between(refusal.text, "admission webhook \"", "\"");
  return phrase::RefusedByWebhook{
      .explanation = wording::cut(after(refusal.text, "denied the request: ")),
      .webhook = refusal.name};
}

/// `Post "URL": reason`: shows the reason, which needs action, before the long URL.
Message webhook_unreachable(Refusal& refusal) {
  const std::string_view quoted = after(refusal.text, "failed calling webhook \"");
  refusal.name = quoted.substr(0, quoted.find('"'));
  std::string_view error = without_prefix(after(quoted, "\": "), "failed to call webhook: ");
  std::string_view url;
  const std::string_view reason = after(after(error, "Post \""), "\": ");
  if (error.starts_with("Post \"") && !reason.empty()) {
    url = between(error, "Post \"", "\"");
    error = reason;
  }
  return phrase::WebhookCallFailed{
      .error = wording::cut(error), .url = wording::cut(url), .webhook = refusal.name};
}

/// The API server does not name the webhook that took too long.
Message webhook_too_slow(Refusal& refusal) {
  return phrase::WebhookTooSlow{
      .words = wording::cut(without_prefix(refusal.text, "Internal error occurred: "))};
}

Message policy_denied(Refusal& refusal) {
  refusal.name = between(refusal.text, "ValidatingAdmissionPolicy '", "'");
  return phrase::RefusedByPolicy{
      .binding = between(refusal.text, "with binding '", "'"),
      .explanation = wording::cut(after(refusal.text, "denied request: ")),
      .policy = refusal.name};
}

Message quota_exceeded(Refusal& refusal) {
  refusal.name = between(refusal.text, "exceeded quota: ", ",");
  std::vector<Message> figures;
  for (const QuotaFigure& figure : quota_figures(refusal.text)) {
    figures.push_back(phrase::QuotaFigure{.limit = figure.limited,
                                          .requested = figure.requested,
                                          .resource = figure.resource,
                                          .used = figure.used});
  }
  return phrase::QuotaExceeded{
      .figures = figures, .missing = not_said, .quota = refusal.name, .room = not_said};
}

/// Example: "limits.cpu for: app,side; limits.memory for: app", or the resources alone.
Message quota_needs_values(Refusal& refusal) {
  refusal.name = between(refusal.text, "failed quota: ", ":");
  std::vector<Message> values;
  for (const std::string_view value : base::split(after(refusal.text, "must specify "), "; ")) {
    const std::string_view resource = value.substr(0, value.find(" for: "));
    if (resource.empty()) continue;
    std::vector<std::string> containers;
    for (const std::string_view container : base::split(after(value, " for: "), ",")) {
      if (!container.empty()) containers.emplace_back(container);
    }
    values.push_back(
        phrase::ValueNotSpecified{.containers = containers, .resource = wording::cut(resource)});
  }
  return phrase::QuotaNeedsValues{.quota = refusal.name, .values = values};
}

Message quota_uncovered(Refusal& refusal) {
  const std::string scopes =
      wording::cut(after(refusal.text, "insufficient quota to match these scopes: "));
  const std::string resources =
      wording::cut(after(refusal.text, "insufficient quota to consume: "));
  refusal.name = scopes.empty() ? resources : scopes;
  return phrase::QuotaUncovered{.resources = scopes.empty() ? resources : "", .scopes = scopes};
}

Message pod_security_denied(Refusal& refusal) {
  const std::string_view level = between(refusal.text, "violates PodSecurity \"", "\"");
  refusal.name = level.substr(0, level.find(':'));
  const std::string_view controls = after(after(refusal.text, "violates PodSecurity \""), "\": ");
  const auto why = controls.empty() ? std::nullopt : std::optional(said(controls));
  return phrase::PodSecurityViolated{.controls = why, .level = level, .more = not_said};
}

Message scc_denied(Refusal& refusal) {
  std::vector<std::string> providers;
  std::vector<Message> errors;
  const auto add = [](auto& to, auto what) {
    if (std::ranges::find(to, what) == to.end()) to.push_back(std::move(what));
  };
  const auto parts =
      base::split(without_brackets(after(refusal.text,
                                         "unable to validate against any security context "
                                         "constraint: ")),
                  "provider ");
  for (std::string_view part : parts) {
    while (part.ends_with(' ') || part.ends_with(',')) part.remove_suffix(1);
    const std::size_t colon = part.find(": ");
    if (colon == std::string_view::npos) continue;
    std::string_view provider = part.substr(0, colon);
    if (provider.starts_with('"')) provider = provider.substr(1, provider.size() - 2);
    if (!provider.empty()) add(providers, std::string(provider));
    const std::string_view error = part.substr(colon + 2);
    if (contains(part, "not usable by user") || error.empty()) continue;
    add(errors, said(error));
  }
  return phrase::NoConstraintAdmits{.constraints = providers, .errors = errors};
}

Message limit_range(Refusal& refusal) {
  return phrase::LimitRangeViolated{
      .violations = wording::cut(without_brackets(without_subject(refusal.text)))};
}

Message service_account_missing(Refusal& refusal) {
  const std::string_view account = between(refusal.text, "error looking up service account ", ":");
  const std::size_t slash = account.find('/');
  const bool has_namespace = slash != std::string_view::npos;
  refusal.name = account.substr(has_namespace ? slash + 1 : 0);
  return phrase::ServiceAccountNotFound{
      .account =
          ObjectRef{"ServiceAccount", std::string(has_namespace ? account.substr(0, slash) : ""),
                    refusal.name}};
}

Message priority_class_missing(Refusal& refusal) {
  refusal.name = between(refusal.text, "no PriorityClass with name ", " was found");
  return phrase::PriorityClassNotFound{.priority_class = refusal.name};
}

Message priority_class_forbidden(Refusal& refusal) {
  refusal.name = between(refusal.text, "pods with ", " priorityClass");
  return phrase::PriorityClassNotPermitted{
      .of_namespace = between(refusal.text, "is not permitted in ", " namespace"),
      .priority_class = refusal.name};
}

Message runtime_class_missing(Refusal& refusal) {
  refusal.name = between(refusal.text, "RuntimeClass \"", "\"");
  return phrase::RuntimeClassNotFound{.runtime_class = refusal.name};
}

Message invalid_spec(Refusal& refusal) {
  return phrase::CreatedPodInvalid{
      .errors = wording::cut(without_brackets(after(refusal.text, "is invalid: ")))};
}

Message rbac(Refusal& refusal) {
  refusal.name = between(refusal.text, "User \"", "\"");
  return phrase::UserCannotCreate{.user = refusal.name};
}

Message namespace_terminating(Refusal&) { return phrase::NamespaceIsTerminating{}; }

Message no_labels(Refusal&) { return phrase::TemplateHasNoLabels{}; }

Message as_said(Refusal& refusal) { return said(without_subject(refusal.text)); }

struct Row {
  FindingId id;
  std::string_view token;
  Message (*read)(Refusal&);
  std::string_view second = {};  // must follow the token, with a name between them
};

/// The first row whose tokens occur is used.
constexpr std::array rows = {
    Row{FindingId::CreateWebhookDenied, "admission webhook \"", webhook_denied,
        "\" denied the request"},
    Row{FindingId::CreateWebhookUnreachable, "failed calling webhook \"", webhook_unreachable},
    Row{FindingId::CreateWebhookUnreachable, "AdmissionWebhook\" failed to complete ",
        webhook_too_slow},
    Row{FindingId::CreateApiserverError, "\" failed to complete ", as_said},
    Row{FindingId::CreatePolicyDenied, "ValidatingAdmissionPolicy '", policy_denied},
    Row{FindingId::CreateQuotaExceeded, "exceeded quota: ", quota_exceeded},
    Row{FindingId::CreateQuotaNeedsValues, "failed quota: ", quota_needs_values},
    Row{FindingId::CreateQuotaUncovered, "insufficient quota to match these scopes",
        quota_uncovered},
    Row{FindingId::CreateQuotaUncovered, "insufficient quota to consume", quota_uncovered},
    Row{FindingId::CreatePodsecurityDenied, "violates PodSecurity \"", pod_security_denied},
    Row{FindingId::CreateSccDenied, "unable to validate against any security context constraint",
        scc_denied},
    Row{FindingId::CreateLimitrange, "usage per Container is", limit_range},
    Row{FindingId::CreateLimitrange, "usage per Pod is", limit_range},
    Row{FindingId::CreateLimitrange, "max limit to request ratio per", limit_range},
    Row{FindingId::CreateServiceaccountMissing, "error looking up service account",
        service_account_missing},
    Row{FindingId::CreatePriorityclassMissing, "no PriorityClass with name",
        priority_class_missing},
    Row{FindingId::CreatePriorityclassForbidden, "priorityClass is not permitted in",
        priority_class_forbidden},
    Row{FindingId::CreatePriorityConflict, "the integer value of priority", as_said},
    Row{FindingId::CreatePriorityConflict, "must not be provided in pod spec", as_said},
    Row{FindingId::CreateRuntimeclassMissing, "RuntimeClass \"", runtime_class_missing,
        "\" not found"},
    Row{FindingId::CreateNodeSelectorConflict, "pod node label selector", as_said},
    Row{FindingId::CreateNodeSelectorConflict, "runtimeClass.scheduling.nodeSelector", as_said},
    Row{FindingId::CreateTolerationRefused, "pod tolerations (possibly merged", as_said},
    Row{FindingId::CreateInvalidSpec, "is invalid: ", invalid_spec},
    Row{FindingId::CreateRbac, "cannot create resource \"pods\"", rbac},
    Row{FindingId::CreateNamespaceTerminating, "because it is being terminated",
        namespace_terminating},
    Row{FindingId::CreateNoLabels, "unable to create pods, no labels", no_labels},
    Row{FindingId::CreateApiserverError, "etcdserver", as_said},
    Row{FindingId::CreateApiserverError, "context deadline exceeded", as_said},
    Row{FindingId::CreateApiserverError, "the server is currently unable", as_said},
    Row{FindingId::CreateApiserverError, "Too Many Requests", as_said},
    Row{FindingId::CreateApiserverError, "received too many requests", as_said},
    Row{FindingId::CreateApiserverError, "in the time allotted", as_said},
    Row{FindingId::CreateApiserverError, "i/o timeout", as_said},
    Row{FindingId::CreateApiserverError, "TLS handshake timeout", as_said},
    Row{FindingId::CreateApiserverError, "connection reset by peer", as_said},
    Row{FindingId::CreateApiserverError, "request did not complete", as_said},
    Row{FindingId::CreateApiserverError, "connection refused", as_said},
};

Row row_of(std::string_view text) {
  for (const Row& row : rows) {
    if (!contains(text, row.token)) continue;
    if (row.second.empty() || contains(after(text, row.token), row.second)) return row;
  }
  return {FindingId::CreateRefused, "", as_said};
}

std::string_view bare(std::string_view message) {
  for (const std::string_view prefix : {"(combined from similar events): ", "Error creating: ",
                                        "(combined from similar events): "}) {
    message = without_prefix(message, prefix);
  }
  return message;
}

}  // namespace

Refusal read_refusal(std::string_view message) {
  Refusal refusal;
  refusal.text = bare(message);
  std::ranges::replace_if(
      refusal.text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  const Row row = row_of(refusal.text);
  refusal.id = row.id;
  refusal.obstacle = row.read(refusal);
  refusal.group = row.read == as_said ? wording::cut(masked(refusal.text)) : refusal.name;
  return refusal;
}

std::vector<QuotaFigure> quota_figures(std::string_view text) {
  std::vector<QuotaFigure> result;
  const auto each = [](std::string_view list, const auto& take) {
    for (const std::string_view entry : base::split(list, ",")) {
      const std::size_t equals = entry.find('=');
      if (equals == std::string_view::npos || equals == 0) continue;
      take(entry.substr(0, equals), entry.substr(equals + 1));
    }
  };
  const std::string_view rest = after(text, "exceeded quota: ");
  each(between(rest, "requested: ", ", used: "), [&](auto resource, auto value) {
    result.push_back({std::string(resource), std::string(value), "", ""});
  });
  const auto fill = [&](std::string QuotaFigure::*member) {
    return [&result, member](std::string_view resource, std::string_view value) {
      const auto at = std::ranges::find(result, resource, &QuotaFigure::resource);
      if (at != result.end()) (*at).*member = value;
    };
  };
  each(between(rest, "used: ", ", limited: "), fill(&QuotaFigure::used));
  each(after(rest, "limited: "), fill(&QuotaFigure::limited));
  return result;
}

}  // namespace dsdoctor::diagnosis
