#include "redaction/pseudonyms.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "redaction/image_name.h"
#include "redaction/well_known.h"

namespace dsdoctor::redaction {
namespace {

using base::is_digit;
using base::is_hexadecimal;
bool is_of_a_word(char c) {
  return base::is_alphanumeric(c) || c == '.' || c == '_' || c == '-' || c == ':' || c == '/' ||
         c == '@';
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_of_a_word(text[at])) ++at;
  return at;
}

/// Without the punctuation of the sentence that it stands in.
std::size_t end_of_url(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find_first_of(" \t\n\"'\\<>()`", at), text.size());
  return text.find_last_not_of(".,:;", end - 1) + 1;
}

/// "b/c" of "a/b/c", and nothing of "c".
std::string_view behind_slash(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash == text.npos ? std::string_view() : text.substr(slash + 1);
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

/// FNV-1a.
std::size_t Pseudonyms::AnyCase::operator()(std::string_view text) const {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(base::to_lower(c))) * 0x100000001b3U;
  }
  return static_cast<std::size_t>(hash);
}

bool Pseudonyms::AnyCase::operator()(std::string_view a, std::string_view b) const {
  return base::same_ignoring_case(a, b);
}

void Pseudonyms::add(std::string_view kind, const std::set<std::string>& names) {
  const std::size_t width = std::to_string(names.size()).size();
  std::size_t number = 0;
  names_.reserve(names_.size() + names.size());
  for (const std::string& name : names) {
    add_as(name, fmt::format("anon-{}-{:0{}}", kind, ++number, width));
  }
}

void Pseudonyms::add_as(const std::string& name, const std::string& replacement) {
  if (is_reserved(name)) return;
  const auto [at, first] = names_.try_emplace(name, replacement);
  if (!first && at->first != name) other_spellings_.try_emplace(name, replacement);
  longest_ = std::max(longest_, name.size());
}

/// Another spelling gets a replacement of its own: labels tell "Web" from "web".
const model::Text* Pseudonyms::find(std::string_view name) {
  if (name.size() > longest_) return nullptr;
  const auto known = names_.find(name);
  if (known == names_.end() || known->first == name) {
    return known == names_.end() ? nullptr : &known->second;
  }
  if (const auto at = other_spellings_.find(name); at != other_spellings_.end()) return &at->second;
  std::string replacement = base::upper_case(known->second);
  const std::size_t before = spellings_[known->second.str()]++;
  if (before > 0) replacement += fmt::format(".{}", before + 1);
  return &other_spellings_.emplace(std::string(name), replacement).first->second;
}

const model::Text* Pseudonyms::find_in_text(std::string_view word) {
  const model::Text* found = find(word);
  return found != nullptr && !is_common(word) ? found : nullptr;
}

std::string Pseudonyms::number(std::string_view kind, std::string_view name) {
  if (const model::Text* found = find(name)) return found->str();
  std::size_t& last = numbers_.try_emplace(std::string(kind), 0).first->second;
  add_as(std::string(name), fmt::format("anon-{}-n{}", kind, ++last));
  const model::Text* added = find(name);
  return added != nullptr ? added->str() : std::string(name);
}

model::Text Pseudonyms::name(const model::Text& of) {
  if (const model::Text* replacement = find(of)) return *replacement;
  if (is_reserved(of)) return of;
  if (const auto at = values_.find(of.view()); at != values_.end()) return at->second;
  return values_.emplace(of.str(), text(of)).first->second;
}

model::Text Pseudonyms::value(const model::Text& text) {
  return is_common(text) ? text : name(text);
}

model::Text Pseudonyms::text(const model::Text& of) {
  const std::string replaced = words(of.view());
  return of == replaced ? of : model::Text(replaced);
}

std::string Pseudonyms::words(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = end_of_word(text, at);
    const std::string_view word = text.substr(at, end - at);
    if (word.empty()) {
      end = at + 1;
      const model::Text* quoted = text[at] == '"' ? find_quoted(text, end) : nullptr;
      result += text[at];
      if (quoted != nullptr) result += quoted->view();
    } else if (word.find("://") != word.npos) {
      end = end_of_url(text, at);
      result += url(text.substr(at, end - at));
    } else {
      result += token(word);
    }
    at = end;
  }
  return result;
}

/// Behind a quote: a name that holds what no word does, as those of users may. Moves `end` there.
const model::Text* Pseudonyms::find_quoted(std::string_view text, std::size_t& end) {
  const std::size_t close = text.substr(0, end + longest_ + 1).find_first_of("\"\\", end);
  if (close == text.npos) return nullptr;
  const std::string_view quoted = text.substr(end, close - end);
  if (std::ranges::all_of(quoted, is_of_a_word)) return nullptr;
  const model::Text* found = find_in_text(quoted);
  if (found != nullptr) end = close;
  return found;
}

/// The whole word first, then its parts: "ns/pod", "pod.host.example", "name:", "pod-volume".
std::string Pseudonyms::token(std::string_view word) {
  constexpr std::string_view punctuation = ".:-_/@";
  if (is_common(word) || is_reserved(word)) return std::string(word);
  if (const model::Text* replacement = find(word)) return replacement->str();
  if (const std::string* image = find_image(word)) return *image;
  if (is_ipv6(word) || is_ipv4(word)) return address_for(word);
  if (is_uid(word)) return uid_for(word);
  const std::size_t first = word.find_first_not_of(punctuation);
  if (first == std::string_view::npos) return std::string(word);
  const std::size_t last = word.find_last_not_of(punctuation);
  if (first > 0 || last + 1 < word.size()) {
    return std::string(word.substr(0, first)) + token(word.substr(first, last - first + 1)) +
           std::string(word.substr(last + 1));
  }
  return parts(word);
}

/// Behind a node's name stands the domain of those whose node it is.
std::string Pseudonyms::host_in_domain(std::string_view word) {
  const std::size_t dot = word.find('.');
  if (dot == word.npos) return {};
  const model::Text* host = find_in_text(word.substr(0, dot));
  const bool is_host = host != nullptr && (host->view().starts_with("anon-node-") ||
                                           host->view().starts_with("anon-host-"));
  return is_host ? host->str() + "." + number("domain", word.substr(dot + 1)) : std::string();
}

std::string Pseudonyms::parts(std::string_view word) {
  for (const std::string_view separators : {"/@", ":", "_"}) {
    if (word.find_first_of(separators) != std::string_view::npos) return pieces(word, separators);
  }
  if (word.find('.') == std::string_view::npos) return runs(word);
  if (std::string host = host_in_domain(word); !host.empty()) return host;
  return pieces(word, ".");
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
/// after its node. From each piece between dashes on, the longest run of them that is a name.
std::string Pseudonyms::runs(std::string_view word) {
  constexpr std::size_t pieces_of_uid = 5;
  std::vector<std::size_t> starts = {0};
  starts.reserve(static_cast<std::size_t>(std::ranges::count(word, '-')) + 2);
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '-') starts.push_back(i + 1);
  }
  starts.push_back(word.size() + 1);
  const std::size_t pieces = starts.size() - 1;
  const std::size_t most = std::max(longest_ + 1, pieces_of_uid);
  std::string result;
  for (std::size_t first = 0; first < pieces;) {
    std::size_t count = std::min(pieces - first, most) + 1;
    std::string replacement;
    std::string_view run;
    while (replacement.empty() && count > 1) {
      --count;
      run = word.substr(starts[first], starts[first + count] - 1 - starts[first]);
      replacement = run_for(run, first == 0 || first + count == pieces);
    }
    if (first > 0) result += '-';
    result += replacement.empty() ? run : replacement;
    first += count;
  }
  return result;
}

/// Empty where the run is no name.
std::string Pseudonyms::run_for(std::string_view run, bool outside) {
  if (is_uid(run)) return uid_for(run);
  // Three letters in the midst are rather an abbreviation that many names share.
  constexpr std::size_t told_from_others = 4;
  if (!outside && run.size() < told_from_others) return {};
  const model::Text* replacement = find_in_text(run);
  return replacement == nullptr ? std::string() : replacement->str();
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
  if (const model::Text* replacement = find(text)) return *replacement;
  return {uid_for(text)};
}

model::Text Pseudonyms::address(const model::Text& text) {
  return text.empty() ? text : model::Text(address_for(text));
}

/// The image itself, another one of its repository, or another one of its registry.
const std::string* Pseudonyms::find_image(std::string_view word) {
  if (word.find('/') == word.npos && word.find(':') == word.npos) return nullptr;
  if (word.starts_with('/')) return nullptr;  // a path
  // A runtime writes the registry that the template leaves out.
  for (std::string_view rest = word; !rest.empty(); rest = behind_slash(rest)) {
    if (const auto image = images_.find(rest); image != images_.end()) return &image->second;
  }
  const ImageName name = ImageName::parse(word);
  if (const std::string* bare = find_bare_image(name.bare)) return bare;
  if (name.host.empty() || name.path.empty()) return nullptr;
  const model::Text* host = find(name.host);
  const bool registry = host != nullptr && host->view().starts_with("anon-server-");
  if (!registry && !is_known_server(name.host)) return nullptr;
  (void)image(model::Text(word));
  return &images_.find(word)->second;
}

const std::string* Pseudonyms::find_bare_image(std::string_view word) const {
  for (std::string_view rest = word; !rest.empty(); rest = behind_slash(rest)) {
    if (const auto at = bare_images_.find(rest); at != bare_images_.end()) return &at->second;
  }
  return nullptr;
}

model::Text Pseudonyms::image(const model::Text& text) {
  if (text.view().find_first_of("/:@") == std::string_view::npos) return value(text);
  const auto [at, first] = images_.try_emplace(text.str());
  if (!first) return {at->second};
  std::string kept;
  for (const std::string& word : kept_in_images_) {
    if (text.view().find(word) != std::string_view::npos) kept += "-" + word;
  }
  at->second = fmt::format("anon.example/image-{}{}:1", images_.size(), kept);
  const ImageName parts = ImageName::parse(text);
  // What is written without a tag is the image; else that is the repository of several.
  if (parts.bare == text) {
    bare_images_.insert_or_assign(text.str(), at->second);
  } else if (parts.path.find('/') != parts.path.npos) {
    bare_images_.try_emplace(std::string(parts.path),
                             fmt::format("anon.example/repository-{}", images_.size()));
  }
  return {at->second};
}

void Pseudonyms::add_mentioned_image(const std::string& image) {
  if (find_image(image) == nullptr) (void)this->image(model::Text(image));
}

/// An URL of a host that has a name tells more than its host: all but the port goes. Where an
/// address or a file is meant, the path stays, as paths do.
std::string Pseudonyms::url(std::string_view text) {
  if (const model::Text* whole = find(text)) return whole->str();
  const std::size_t colon = text.find("://");
  const std::string scheme = fmt::format("{}://", text.substr(0, colon));
  const std::string_view rest = text.substr(colon + 3);
  const bool names_image =
      scheme == "docker://" || scheme == "docker-pullable://" || scheme == "containers-storage:";
  if (names_image) return scheme + image(model::Text(rest)).str();
  const std::size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view host = rest.substr(0, slash);
  if (const std::size_t at = host.rfind('@'); at != host.npos) host.remove_prefix(at + 1);
  const std::size_t port = host.find(':', host.find(']') == host.npos ? 0 : host.find(']'));
  const std::string_view bare = host.substr(0, port);
  if (host.empty() && (scheme == "unix://" || scheme == "file://")) return scheme + words(rest);
  if (bare.starts_with('[') || is_ipv4(bare) || bare == "localhost") {
    return scheme + words(host) + words(rest.substr(slash));
  }
  std::string result = scheme;
  if (!host.empty()) {
    const std::string node = host_in_domain(bare);
    result += is_known_server(bare) ? std::string(bare)
              : node.empty()        ? number("server", bare)
                                    : node;
    if (port != host.npos) result += host.substr(port);
  }
  if (rest.size() <= slash + 1) return result + std::string(rest.substr(slash));
  const auto [path, first] = urls_.try_emplace(std::string(text));
  if (first) path->second = fmt::format("/url-{}", urls_.size());
  return result + path->second;
}

}  // namespace dsdoctor::redaction
