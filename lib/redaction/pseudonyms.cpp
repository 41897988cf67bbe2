// SPDX-License-Identifier: Apache-2.0
#include "redaction/pseudonyms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "redaction/image_name.h"
#include "redaction/numbers.h"
#include "redaction/well_known.h"

namespace dsdoctor::redaction {
namespace {

// In bytes. No name of the API, image or address is longer. Longer words are not split into parts:
// that would take time and stack controlled by the input.
constexpr std::size_t longest_word = 512;
constexpr std::size_t longest_url = 2048;

bool is_of_a_word(char c) {
  constexpr unsigned char first_not_ascii = 0x80;  // letters of other alphabets
  return base::is_alphanumeric(c) || c == '.' || c == '_' || c == '-' || c == ':' || c == '/' ||
         c == '@' || static_cast<unsigned char>(c) >= first_not_ascii;
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_of_a_word(text[at])) ++at;
  return at;
}

/// The end of the URL at `at`, without punctuation of the surrounding sentence.
std::size_t end_of_url(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find_first_of(" \t\n\"'\\<>()`", at), text.size());
  return text.find_last_not_of(".,:;", end - 1) + 1;
}

/// "b/c" for "a/b/c"; empty for "c".
std::string_view behind_slash(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash == text.npos ? std::string_view() : text.substr(slash + 1);
}

/// Reports whether the text can be the domain of a label key, such as "example.com".
bool is_plain_domain(std::string_view text) {
  return text.find('.') != text.npos && std::ranges::all_of(text, [](char c) {
           return base::is_lower(c) || base::is_digit(c) || c == '.' || c == '-';
         });
}

/// Converts the replacement of a domain to a spelling that the API accepts: replacements of its
/// parts can have capitals or underscores.
std::string domain(std::string text) {
  for (char& c : text) c = c == '_' ? '-' : base::to_lower(c);
  return text;
}

/// "2026-11-22T10:00:00Z"
bool is_timestamp(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00";
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char expected = i < form.size() ? form[i] : '0';
    const bool end =
        i >= form.size() && (text[i] == '.' || (text[i] == 'Z' && i + 1 == text.size()));
    if (!end && (expected == '0' ? !base::is_digit(text[i]) : text[i] != expected)) return false;
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
  constexpr std::size_t longest_label = 63;
  const std::size_t width = std::to_string(names.size()).size();
  std::size_t number = 0;
  names_.reserve(names_.size() + names.size());
  for (const std::string& name : names) {
    std::string replacement = fmt::format("anon-{}-{:0{}}", kind, ++number, width);
    replacement += kept_of(name, replacement);
    if (name.size() > longest_label)
      replacement.resize(std::max(name.size(), replacement.size()), 'x');
    add_as(name, replacement);
  }
}

void Pseudonyms::add_as(const std::string& name, const std::string& replacement) {
  if (is_reserved(name) || is_common(name)) return;
  const auto [at, first] = names_.try_emplace(name, replacement);
  if (!first && at->first != name) other_spellings_.try_emplace(name, replacement);
  longest_ = std::max(longest_, name.size());
}

void Pseudonyms::keep_number(std::string_view number) {
  const bool is_signed = number.starts_with('-') || number.starts_with('+');
  const std::string_view digits = number.substr(is_signed ? 1 : 0);
  if (!base::is_number(digits)) return;
  kept_numbers_.emplace(number);
  kept_numbers_.emplace(digits);
}

/// "-cilium" for "cilium-agent": this word in a taint names the agent for which the node waits.
std::string Pseudonyms::kept_of(std::string_view name, std::string_view replacement) const {
  std::string result;
  for (const auto& [word, as] : kept_) {
    if (name.find(word) != name.npos && replacement.find(as) == replacement.npos)
      result += "-" + as;
  }
  return result;
}

/// Another spelling has a replacement of its own, because labels distinguish "Web" from "web".
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

model::Text Pseudonyms::name(const model::Text& of) {
  if (const model::Text* replacement = find(of)) return *replacement;
  if (is_reserved(of)) return of;
  if (const auto at = values_.find(of.view()); at != values_.end()) return at->second;
  const std::string replaced = words(of);
  return values_.emplace(of.str(), of == replaced ? of : model::Text(replaced)).first->second;
}

std::optional<std::string> Pseudonyms::settled(const std::string& name) {
  if (const model::Text* replacement = find(name)) return replacement->str();
  if (is_reserved(name) || words(name) == name) return name;
  return std::nullopt;
}

model::Text Pseudonyms::defined(const model::Text& text) {
  if (text.empty() || is_quantity(text)) return text;
  if (const auto at = defined_.find(text.view()); at != defined_.end()) return at->second;
  Pseudonyms nobody;
  const std::string replaced = nobody.words(text) == text.view() ? text.str() : words(text);
  return defined_.emplace(text.str(), replaced == text.view() ? text : model::Text(replaced))
      .first->second;
}

std::string Pseudonyms::words(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = end_of_word(text, at);
    const std::string_view word = text.substr(at, end - at);
    const bool may_be_grouped = text[at] == '+' || base::is_digit(text[at]);
    if (const auto grouped = may_be_grouped ? end_of_grouped_number(text, at) : at; grouped > at) {
      end = grouped;
      result += words_.replace(text.substr(at, end - at));
    } else if (word.empty()) {
      end = at + 1;
      const model::Text* quoted = text[at] == '"' ? find_quoted(text, end) : nullptr;
      result += text[at];
      if (quoted != nullptr) result += quoted->view();
    } else if (word.find("://") != word.npos) {
      end = end_of_url(text, at);
      const std::string_view whole = text.substr(at, end - at);
      result += whole.size() > longest_url ? words_.replace(whole) : url(whole);
    } else if (is_behind_amount(text, at) && base::is_number(word)) {
      result += word;
    } else {
      result += token(word);
    }
    at = end;
  }
  return result;
}

/// Finds a name after a quote that contains characters that words do not have, such as some user
/// names. Moves `end` to the end of the name.
const model::Text* Pseudonyms::find_quoted(std::string_view text, std::size_t& end) {
  const std::size_t close = text.substr(0, end + longest_ + 1).find_first_of("\"\\", end);
  if (close == text.npos) return nullptr;
  const std::string_view quoted = text.substr(end, close - end);
  if (std::ranges::all_of(quoted, is_of_a_word)) return nullptr;
  const model::Text* found = find(quoted);
  if (found != nullptr) end = close;
  return found;
}

/// Looks up the whole word, then its parts: "ns/pod", "pod.host.example", "name:", "pod-volume".
std::string Pseudonyms::token(std::string_view word) {
  constexpr std::string_view punctuation = ".:-_/@";
  if (word.empty() || is_common(word) || is_reserved(word) || is_timestamp(word) ||
      kept_numbers_.contains(word)) {
    return std::string(word);
  }
  if (const model::Text* replacement = find(word)) return replacement->str();
  if (word.size() > longest_word && word.find_first_of(".:/@") != word.npos) {
    return words_.replace(word);
  }
  if (const std::string* image = find_image(word)) return *image;
  if (std::string address = addresses_.whole(word); !address.empty()) return address;
  const std::size_t first = word.find_first_not_of(punctuation);
  if (first == std::string_view::npos) return std::string(word);
  const std::size_t last = word.find_last_not_of(punctuation);
  if (first > 0 || last + 1 < word.size()) {
    return std::string(word.substr(0, first)) + token(word.substr(first, last - first + 1)) +
           std::string(word.substr(last + 1));
  }
  return fitting(word);
}

/// Replaces a word so that a valid label does not become too long for one: findings depend on
/// validity.
std::string Pseudonyms::fitting(std::string_view word) {
  constexpr std::size_t longest_label = 63;
  constexpr std::size_t longest_domain = 253;
  std::string result = parts(word);
  const std::size_t most = word.size() <= longest_label ? longest_label : longest_domain;
  const bool too_long = result.size() > most && word.size() <= most;
  if (!too_long || word.find_first_of("/:@") != word.npos) return result;
  return words_.replace(word);
}

std::string Pseudonyms::parts(std::string_view word) {
  constexpr std::size_t none = std::string_view::npos;
  if (word.find_first_of("/@") != none) return pieces(word, "/@");
  if (const auto mac = Addresses::find_mac(word); mac.at != none) return around(word, mac);
  if (word.find(':') != none) return pieces(word, ":");
  if (word.find('_') != none) return pieces(word, "_");
  if (const auto ip = Addresses::find_ipv4(word); ip.at != none) return around(word, ip);
  return word.find('.') == none ? runs(word) : pieces(word, ".");
}

std::string Pseudonyms::around(std::string_view word, Addresses::Part address) {
  return token(word.substr(0, address.at)) +
         addresses_.whole(word.substr(address.at, address.size)) +
         token(word.substr(address.at + address.size));
}

std::string Pseudonyms::pieces(std::string_view word, std::string_view separators) {
  std::string result;
  while (!word.empty()) {
    const std::size_t end = std::min(word.find_first_of(separators), word.size());
    const std::string_view piece = word.substr(0, end);
    const bool is_domain = end < word.size() && word[end] == '/' && is_plain_domain(piece);
    result += is_domain ? domain(token(piece)) : token(piece);
    if (end < word.size()) result += word[end];
    word.remove_prefix(std::min(end + 1, word.size()));
  }
  return result;
}

/// Replaces the longest runs of pieces between dashes that are names. Pods contain the name of
/// their DaemonSet, claims that of their pod, static pods that of their node.
std::string Pseudonyms::runs(std::string_view word) {
  constexpr std::size_t pieces_of_mac = 6;  // more than a UID has
  std::vector<std::size_t> starts = {0};
  starts.reserve(static_cast<std::size_t>(std::ranges::count(word, '-')) + 2);
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '-') starts.push_back(i + 1);
  }
  starts.push_back(word.size() + 1);
  const std::size_t pieces = starts.size() - 1;
  const std::size_t most = std::max(longest_ + 1, pieces_of_mac);
  std::string result;
  for (std::size_t first = 0; first < pieces;) {
    std::size_t count = std::min(pieces - first, most) + 1;
    std::string replacement;
    std::string_view run;
    while (replacement.empty() && count > 1) {
      --count;
      run = word.substr(starts[first], starts[first + count] - 1 - starts[first]);
      replacement = run_for(run, count);
    }
    if (first > 0) result += '-';
    if (!replacement.empty()) {
      result += replacement;
    } else if (!run.empty()) {
      result += words_.replace(run);
    }
    first += count;
  }
  return result;
}

/// The replacement of the whole run; empty if there is none.
std::string Pseudonyms::run_for(std::string_view run, std::size_t pieces) {
  if (pieces > 3) {
    if (std::string address = addresses_.whole(run); !address.empty()) return address;
  }
  const model::Text* replacement = find(run);
  return replacement == nullptr ? std::string() : replacement->str();
}

model::Text Pseudonyms::uid(const model::Text& text) {
  if (text.empty()) return text;
  if (const model::Text* replacement = find(text)) return *replacement;
  return {addresses_.uid(text)};
}

model::Text Pseudonyms::address(const model::Text& text) {
  return text.empty() ? text : model::Text(addresses_.ip(text));
}

/// The replacement of the image, or of another image in its repository; null if there is none.
const std::string* Pseudonyms::find_image(std::string_view word) const {
  if (word.find('/') == word.npos && word.find(':') == word.npos) return nullptr;
  if (word.starts_with('/')) return nullptr;  // a path
  // Runtimes add a registry that the template does not have.
  for (std::string_view rest = word; !rest.empty(); rest = behind_slash(rest)) {
    if (const auto image = images_.find(rest); image != images_.end()) return &image->second;
  }
  return find_bare_image(ImageName::parse(word).bare);
}

const std::string* Pseudonyms::find_bare_image(std::string_view word) const {
  for (std::string_view rest = word; !rest.empty(); rest = behind_slash(rest)) {
    if (const auto at = bare_images_.find(rest); at != bare_images_.end()) return &at->second;
  }
  return nullptr;
}

namespace {

/// "app" for "team/app".
std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

}  // namespace

model::Text Pseudonyms::image(const model::Text& text) {
  if (text.view().find_first_of("/:@") == std::string_view::npos) return name(text);
  const auto [at, first] = images_.try_emplace(text.str());
  if (!first) return {at->second};
  const ImageName parts = ImageName::parse(text);
  // Versions of one program keep its name: the same program can run twice on a node.
  auto& [number, versions] =
      programs_.try_emplace(std::string(last_part(parts.path)), Versions{programs_.size() + 1, 0})
          .first->second;
  at->second = fmt::format("anon.example/image-{}{}:{}", number, kept_of(text, {}), ++versions);
  // Without a tag, the text is the name of the image; else the bare name is a repository of several
  // images.
  if (parts.bare == text) {
    bare_images_.insert_or_assign(text.str(), at->second);
  } else if (parts.path.find('/') != parts.path.npos) {
    bare_images_.try_emplace(std::string(parts.path),
                             fmt::format("anon.example/repository-{}", images_.size()));
  }
  return {at->second};
}

/// Replaces the parts of a path and its query, each as a whole unless it is well known: a part of
/// a token would be one, too.
std::string Pseudonyms::path_of_url(std::string_view path) {
  std::string result;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of("/?&=#;,"), path.size());
    const std::string_view part = path.substr(0, end);
    const model::Text* name = find(part);
    const bool stays = !has_long_number(part) && words(part) == part;
    result += name != nullptr ? name->str() : stays ? std::string(part) : words_.replace_any(part);
    if (end < path.size()) result += path[end];
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return result;
}

/// Replaces host and path of a URL. After an address the path is replaced part by part, for a file
/// word by word.
std::string Pseudonyms::url(std::string_view text) {
  if (const model::Text* whole = find(text)) return whole->str();
  const std::size_t colon = text.find("://");
  const std::string scheme = token(text.substr(0, colon)) + "://";
  const std::string_view rest = text.substr(colon + 3);
  const bool names_image =
      scheme == "docker://" || scheme == "docker-pullable://" || scheme == "containers-storage:";
  if (names_image) return scheme + image(model::Text(rest)).str();
  const std::size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view host = rest.substr(0, slash);
  if (const std::size_t at = host.rfind('@'); at != host.npos) host.remove_prefix(at + 1);
  const std::string_view path = rest.substr(slash);
  const bool of_host = std::ranges::any_of(host, base::is_letter) && !host.starts_with('[') &&
                       !host.starts_with("localhost");
  const bool is_web = scheme == "http://" || scheme == "https://";
  if (!of_host || path.size() <= 1) {
    return scheme + words(host) + (is_web ? path_of_url(path) : words(path));
  }
  const auto [at, first] = urls_.try_emplace(std::string(text));
  if (first) at->second = fmt::format("/url-{}", urls_.size());
  return scheme + words(host) + at->second;
}

}  // namespace dsdoctor::redaction
