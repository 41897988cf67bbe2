#include "redaction/pseudonyms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dsdoctor::redaction {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_of_a_word(char c) {
  return is_digit(c) || is_letter(c) || c == '.' || c == '_' || c == '-' || c == ':' || c == '/' ||
         c == '@';
}

/// Words that messages, paths and values of Kubernetes consist of: no name in a text.
constexpr std::array common_words = {
    "agent",     "amd64",        "and",     "arm64",      "available", "back-off", "boot",
    "cni",       "container",    "created", "containerd", "cpu",       "csi",      "daemon",
    "daemonset", "deleted",      "dev",     "docker",     "dry-run",   "error",    "etc",
    "failed",    "false",        "for",     "from",       "host",      "https",    "http",
    "image",     "insufficient", "kubelet", "lib",        "linux",     "log",      "logs",
    "memory",    "name",         "network", "node",       "nodes",     "not",      "opt",
    "pod",       "pods",         "policy",  "proc",       "pull",      "ready",    "run",
    "scheduler", "security",     "started", "storage",    "sys",       "taint",    "tcp",
    "the",       "true",         "usr",     "var",        "volume",    "volumes",  "windows"};

bool is_common(std::string_view word) {
  constexpr std::size_t too_short = 3;
  const bool plain = std::ranges::none_of(word, is_digit);
  return (plain && word.size() < too_short) ||
         std::ranges::find(common_words, word) != common_words.end();
}

bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_ipv4(std::string_view text) {
  int parts = 0;
  std::size_t digits = 0;
  for (const char c : text) {
    if (is_digit(c)) {
      if (++digits > 3) return false;
    } else if (c == '.' && digits > 0) {
      ++parts;
      digits = 0;
    } else {
      return false;
    }
  }
  return parts == 3 && digits > 0;
}

bool is_ipv6(std::string_view text) {
  const auto colons = std::ranges::count(text, ':');
  return (colons == 7 || (colons >= 2 && text.find("::") != std::string_view::npos)) &&
         std::ranges::all_of(text,
                             [](char c) { return is_hexadecimal(c) || c == ':' || c == '.'; });
}

bool is_of_no_host(std::string_view address) {
  return address == "0.0.0.0" || address == "::" || address == "::1" || address.starts_with("127.");
}

bool is_uid(std::string_view text) {
  constexpr std::size_t length = 36;
  if (text.size() != length) return false;
  for (std::size_t i = 0; i < length; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hexadecimal(text[i])) return false;
  }
  return true;
}

}  // namespace

bool Pseudonyms::is_reserved(std::string_view name) {
  constexpr std::array reserved = {"default",
                                   "kube-system",
                                   "kube-public",
                                   "kube-node-lease",
                                   "kube-controller-manager",
                                   "kube-scheduler",
                                   "default-scheduler",
                                   "daemon-set-controller",
                                   "system-node-critical",
                                   "system-cluster-critical",
                                   "cluster-admin",
                                   "true",
                                   "false"};
  return name.empty() || name.starts_with("system:") ||
         std::ranges::find(reserved, name) != reserved.end();
}

void Pseudonyms::add(std::string_view kind, const std::set<std::string>& names) {
  const std::size_t width = std::to_string(names.size()).size();
  std::size_t number = 0;
  for (const std::string& name : names) {
    add_as(name, fmt::format("anon-{}-{:0{}}", kind, ++number, width));
  }
}

void Pseudonyms::add_as(const std::string& name, const std::string& replacement) {
  if (!is_reserved(name)) names_.try_emplace(name, replacement);
}

const std::string* Pseudonyms::find(std::string_view name) const {
  const auto at = names_.find(name);
  return at == names_.end() ? nullptr : &at->second;
}

model::Text Pseudonyms::name(const model::Text& of) {
  if (const std::string* replacement = find(of)) return {*replacement};
  return is_reserved(of) ? of : text(of);
}

model::Text Pseudonyms::value(const model::Text& text) {
  return is_number(text) || is_common(text) ? text : name(text);
}

model::Text Pseudonyms::text(const model::Text& of) {
  return of.empty() ? of : model::Text(words(of.view()));
}

std::string Pseudonyms::words(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_a_word(text[end])) ++end;
    if (end == at) {
      result += text[at++];
    } else {
      result += token(text.substr(at, end - at));
      at = end;
    }
  }
  return result;
}

/// The whole word first, then its parts: "ns/pod", "pod.host.example", "name:", "pod-volume".
std::string Pseudonyms::token(std::string_view word) {
  constexpr std::string_view punctuation = ".:-_/@";
  if (const std::string* replacement = find(word); replacement != nullptr && !is_common(word)) {
    return *replacement;
  }
  if (const auto at = images_.find(word); at != images_.end()) return at->second;
  // A runtime writes the registry that the template leaves out.
  for (std::size_t at = word.find('/'); at != word.npos; at = word.find('/', at + 1)) {
    if (const auto image = images_.find(word.substr(at + 1)); image != images_.end()) {
      return image->second;
    }
  }
  if (is_ipv6(word) || is_ipv4(word)) return address_for(word);
  if (is_uid(word)) return uid_for(word);
  const std::size_t first = word.find_first_not_of(punctuation);
  if (first == std::string_view::npos) return std::string(word);
  const std::size_t last = word.find_last_not_of(punctuation);
  if (first > 0 || last + 1 < word.size()) {
    return std::string(word.substr(0, first)) + token(word.substr(first, last - first + 1)) +
           std::string(word.substr(last + 1));
  }
  for (const std::string_view separators : {"/@", ":", "_", "."}) {
    if (word.find_first_of(separators) != std::string_view::npos) return pieces(word, separators);
  }
  return with_stem(word);
}

std::string Pseudonyms::pieces(std::string_view word, std::string_view separators) {
  std::string result;
  while (!word.empty()) {
    const std::size_t end = std::min(word.find_first_of(separators), word.size());
    result += token(word.substr(0, end));
    if (end < word.size()) result += word[end];
    word.remove_prefix(std::min(end + 1, word.size()));
  }
  return result;
}

/// What is named after something: a pod after its DaemonSet, a claim after its pod, a static pod
/// after its node.
std::string Pseudonyms::with_stem(std::string_view word) {
  for (std::size_t dash = word.rfind('-'); dash != std::string_view::npos && dash > 0;
       dash = word.rfind('-', dash - 1)) {
    const std::string_view stem = word.substr(0, dash);
    if (const std::string* replacement = find(stem); replacement != nullptr && !is_common(stem)) {
      return *replacement + "-" + token(word.substr(dash + 1));
    }
  }
  for (std::size_t dash = word.find('-'); dash != std::string_view::npos;
       dash = word.find('-', dash + 1)) {
    const std::string_view rest = word.substr(dash + 1);
    if (const std::string* replacement = find(rest); replacement != nullptr && !is_common(rest)) {
      return std::string(word.substr(0, dash + 1)) + *replacement;
    }
  }
  return std::string(word);
}

/// 198.18.0.0/15 is set aside for tests, and 2001:db8::/32 for documents.
std::string Pseudonyms::address_for(std::string_view address) {
  if (is_of_no_host(address)) return std::string(address);
  const std::size_t number = addresses_.size() + 1;
  const std::string replacement =
      is_ipv4(address) ? fmt::format("198.{}.{}.{}", 18 + ((number >> 16U) & 1U),
                                     (number >> 8U) & 0xffU, number & 0xffU)
                       : fmt::format("2001:db8::{:x}:{:x}", number >> 16U, number & 0xffffU);
  return addresses_.try_emplace(std::string(address), replacement).first->second;
}

std::string Pseudonyms::uid_for(std::string_view uid) {
  return uids_
      .try_emplace(std::string(uid),
                   fmt::format("00000000-0000-4000-8000-{:012x}", uids_.size() + 1))
      .first->second;
}

model::Text Pseudonyms::uid(const model::Text& text) {
  if (text.empty()) return text;
  if (const std::string* replacement = find(text)) return {*replacement};
  return {uid_for(text)};
}

model::Text Pseudonyms::address(const model::Text& text) {
  return text.empty() ? text : model::Text(address_for(text));
}

/// Whose containers register a CSI driver is told by the image alone.
model::Text Pseudonyms::image(const model::Text& text) {
  if (text.empty()) return text;
  const bool registers = text.view().find("csi-node-driver-registrar") != std::string_view::npos;
  const std::string replacement =
      fmt::format("anon.example/{}-{}:1", registers ? "csi-node-driver-registrar" : "image",
                  images_.size() + 1);
  return {images_.try_emplace(text.str(), replacement).first->second};
}

}  // namespace dsdoctor::redaction
