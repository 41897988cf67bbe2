#include "diagnosis/causes/creation/refusal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diagnosis/evidence/wording.h"

namespace dsdoctor::diagnosis {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What follows the first `mark`; empty where it is not there.
std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

/// What stands between `open` and the next `close`; all the rest where that is missing.
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

/// `pods "agent-x7x2k" is forbidden: ` says nothing that the finding does not say.
std::string_view without_subject(std::string_view text) {
  const std::string_view rest = after(text, " is forbidden: ");
  return text.starts_with("pods \"") && !rest.empty() ? rest : text;
}

/// Numbers, UIDs and the names of single pods masked: texts of one cause become equal.
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

// ---- One function a row: fills in what the text tells. ----

void webhook_denied(Refusal& refusal) {
  refusal.name = between(refusal.text, "admission webhook \"", "\"");
  const std::string_view why = after(refusal.text, "denied the request: ");
  refusal.facts = fmt::format("admission webhook {} denied the request{}{}", refusal.name,
                              why.empty() ? " without an explanation" : ": ", wording::cut(why));
}

/// `Post "URL": reason` with the reason, which is to be acted on, before the long URL.
std::string reason_first(std::string_view why) {
  const std::string_view url = between(why, "Post \"", "\"");
  const std::string_view reason = after(after(why, "Post \""), "\": ");
  if (!why.starts_with("Post \"") || reason.empty()) return std::string(why);
  return fmt::format("{} (Post {})", reason, url);
}

void webhook_unreachable(Refusal& refusal) {
  const std::string_view quoted = after(refusal.text, "failed calling webhook \"");
  refusal.name = quoted.substr(0, quoted.find('"'));
  std::string_view why = after(quoted, "\": ");
  why = without_prefix(why, "failed to call webhook: ");
  refusal.facts =
      fmt::format("failed calling webhook {}{}{}; its failurePolicy is Fail", refusal.name,
                  why.empty() ? "" : ": ", wording::cut(reason_first(why)));
}

/// The API server does not say which of its webhooks took too long.
void webhook_too_slow(Refusal& refusal) {
  refusal.facts = wording::cut(without_prefix(refusal.text, "Internal error occurred: ")) +
                  ": a webhook does not answer in time";
}

void policy_denied(Refusal& refusal) {
  refusal.name = between(refusal.text, "ValidatingAdmissionPolicy '", "'");
  const std::string_view binding = between(refusal.text, "with binding '", "'");
  const std::string_view why = after(refusal.text, "denied request: ");
  refusal.facts = fmt::format("ValidatingAdmissionPolicy {}{}{} denied the request{}{}",
                              refusal.name, binding.empty() ? "" : " with binding ", binding,
                              why.empty() ? "" : ": ", wording::cut(why));
}

void quota_exceeded(Refusal& refusal) {
  refusal.name = between(refusal.text, "exceeded quota: ", ",");
  std::vector<std::string> parts;
  for (const QuotaFigure& figure : quota_figures(refusal.text)) {
    parts.push_back(fmt::format("{}: requested {}, used {}, limit {}", figure.resource,
                                figure.requested, figure.used, figure.limited));
  }
  refusal.facts = fmt::format("exceeded quota {}", refusal.name);
  if (!parts.empty()) refusal.facts += fmt::format(" ({})", fmt::join(parts, "; "));
}

void quota_needs_values(Refusal& refusal) {
  refusal.name = between(refusal.text, "failed quota: ", ":");
  refusal.facts = fmt::format("failed quota {}: must specify {}", refusal.name,
                              wording::cut(after(refusal.text, "must specify ")));
}

void quota_uncovered(Refusal& refusal) {
  const std::string_view scopes = after(refusal.text, "insufficient quota to match these scopes: ");
  const std::string_view resources = after(refusal.text, "insufficient quota to consume: ");
  refusal.name = wording::cut(scopes.empty() ? resources : scopes);
  refusal.facts = scopes.empty()
                      ? fmt::format("insufficient quota to consume {}", refusal.name)
                      : fmt::format("insufficient quota to match the scopes {}", refusal.name);
}

void pod_security_denied(Refusal& refusal) {
  const std::string_view level = between(refusal.text, "violates PodSecurity \"", "\"");
  refusal.name = level.substr(0, level.find(':'));
  const std::string_view controls = after(after(refusal.text, "violates PodSecurity \""), "\": ");
  refusal.facts = fmt::format("violates PodSecurity {}{}{}", level, controls.empty() ? "" : ": ",
                              wording::cut(controls));
}

void scc_denied(Refusal& refusal) {
  std::vector<std::string> providers;
  std::vector<std::string> errors;
  const auto add = [](std::vector<std::string>& to, std::string_view what) {
    if (!what.empty() && std::ranges::find(to, what) == to.end()) to.emplace_back(what);
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
    add(providers, provider);
    if (!contains(part, "not usable by user")) add(errors, part.substr(colon + 2));
  }
  refusal.facts = "unable to validate against any security context constraint";
  if (!providers.empty()) refusal.facts += ": tried " + wording::listed(providers);
  if (!errors.empty()) {
    refusal.facts += fmt::format("; {}", wording::cut(fmt::format("{}", fmt::join(errors, "; "))));
  }
}

void limit_range(Refusal& refusal) {
  refusal.facts = fmt::format("LimitRange violated: {}",
                              wording::cut(without_brackets(without_subject(refusal.text))));
}

void service_account_missing(Refusal& refusal) {
  const std::string_view account = between(refusal.text, "error looking up service account ", ":");
  refusal.name =
      account.substr(account.find('/') == std::string_view::npos ? 0 : account.find('/') + 1);
  refusal.facts = fmt::format("serviceaccount {} not found", account);
}

void priority_class_missing(Refusal& refusal) {
  refusal.name = between(refusal.text, "no PriorityClass with name ", " was found");
  refusal.facts = fmt::format("PriorityClass {} not found", refusal.name);
}

void priority_class_forbidden(Refusal& refusal) {
  refusal.name = between(refusal.text, "pods with ", " priorityClass");
  const std::string_view ns = between(refusal.text, "is not permitted in ", " namespace");
  refusal.facts =
      fmt::format("PriorityClass {} is not permitted in namespace {}", refusal.name, ns);
}

void runtime_class_missing(Refusal& refusal) {
  refusal.name = between(refusal.text, "RuntimeClass \"", "\"");
  refusal.facts = fmt::format("RuntimeClass {} not found", refusal.name);
}

void invalid_spec(Refusal& refusal) {
  refusal.facts = fmt::format("the pod is invalid: {}",
                              wording::cut(without_brackets(after(refusal.text, "is invalid: "))));
}

void rbac(Refusal& refusal) {
  refusal.name = between(refusal.text, "User \"", "\"");
  refusal.facts = fmt::format("{} cannot create resource pods (forbidden)", refusal.name);
}

void namespace_terminating(Refusal& refusal) { refusal.facts = "the namespace is Terminating"; }

void no_labels(Refusal& refusal) { refusal.facts = "the template has no labels"; }

void as_said(Refusal& refusal) { refusal.facts = wording::cut(without_subject(refusal.text)); }

struct Row {
  FindingId id;
  std::string_view token;
  void (*read)(Refusal&);
  std::string_view second = {};  // has to follow the token, with a name between them
};

/// The first row whose tokens occur wins.
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
  row.read(refusal);
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
