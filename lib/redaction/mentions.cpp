#include "redaction/mentions.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/text.h"
#include "redaction/text_walker.h"
#include "redaction/well_known.h"

namespace dsdoctor::redaction {
namespace {

using Names = std::set<std::string>;

using base::is_letter;
bool is_of_a_name(char c) { return base::is_alphanumeric(c) || c == '-' || c == '.'; }

/// Which names stand in quotes behind a word, as in `configmaps "x" not found`.
struct Before {
  std::string_view word;  // without an "s" at its end, and without its API group
  Names Mentions::*names;
};
constexpr std::array quoted_after = {
    Before{"User", &Mentions::users},
    Before{"namespace", &Mentions::namespaces},
    Before{"webhook", &Mentions::webhooks},
    Before{"Image", &Mentions::images},
    Before{"image", &Mentions::images},
    Before{"reference", &Mentions::images},
    Before{"ConfigMap", &Mentions::objects},
    Before{"PersistentVolumeClaim", &Mentions::objects},
    Before{"PriorityClass", &Mentions::objects},
    Before{"RuntimeClass", &Mentions::objects},
    Before{"Secret", &Mentions::objects},
    Before{"configmap", &Mentions::objects},
    Before{"daemonset", &Mentions::objects},
    Before{"node", &Mentions::objects},
    Before{"persistentvolume", &Mentions::objects},
    Before{"persistentvolumeclaim", &Mentions::objects},
    Before{"pod", &Mentions::objects},
    Before{"replicaset", &Mentions::objects},
    Before{"resourceclaim", &Mentions::objects},
    Before{"runtimeclass", &Mentions::objects},
    Before{"secret", &Mentions::objects},
    Before{"serviceaccount", &Mentions::objects},
    Before{"storageclass", &Mentions::objects},
    Before{"volume", &Mentions::objects},
};

/// The word that ends at `end`, blanks aside: "persistentvolume" of `persistentvolumes "`.
std::string_view word_before(std::string_view text, std::size_t end) {
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\\')) --end;
  std::size_t start = end;
  while (start > 0 && is_of_a_name(text[start - 1])) --start;
  std::string_view word = text.substr(start, end - start);
  word = word.substr(0, word.find('.'));
  if (word.ends_with("sses")) return word.substr(0, word.size() - 2);
  return word.ends_with('s') && !word.ends_with("ss") ? word.substr(0, word.size() - 1) : word;
}

class Reader {
 public:
  explicit Reader(Mentions& into) : into_(into) {}

  void read(std::string_view text) {
    if (!read_.insert(text).second) return;  // conditions of all nodes say the same
    quoted(text);
    fronts(text, "system:serviceaccount:", &Mentions::objects);
    fronts(text, "system:serviceaccounts:", &Mentions::objects);
    fronts(text, "system:node:", &Mentions::nodes);
    hosts_of_urls(text);
    looked_up(text);
    after(text, "exceeded quota: ", into_.objects);
  }

  /// Of a warning: "Pod/ns/name spec", "Node/name spec".
  void read_object(std::string_view where) {
    where = where.substr(0, where.find(' '));
    const std::size_t kind = where.find('/');
    if (kind == where.npos) return;
    where.remove_prefix(kind + 1);
    const std::size_t slash = where.find('/');
    if (slash != where.npos) {
      into_.namespaces.emplace(where.substr(0, slash));
      where.remove_prefix(slash + 1);
    }
    into_.objects.emplace(where);
  }

 private:
  void quoted(std::string_view text) {
    for (std::size_t at = text.find('"'); at != text.npos; at = text.find('"', at + 1)) {
      const std::string_view word = word_before(text, at);
      const auto known = std::ranges::find(quoted_after, word, &Before::word);
      if (known == quoted_after.end()) continue;
      const std::size_t end = text.find_first_of("\"\\", at + 1);
      if (end == text.npos) return;
      add(into_.*known->names, text.substr(at + 1, end - at - 1));
    }
  }

  void add(Names& names, std::string_view quoted) {
    if (&names == &into_.users || &names == &into_.images) {
      if (!quoted.empty()) names.emplace(quoted);
      return;
    }
    const std::size_t slash = quoted.find('/');
    if (slash != quoted.npos) {  // pod "ns/name"
      add_name(into_.namespaces, quoted.substr(0, slash));
      quoted.remove_prefix(slash + 1);
    }
    add_name(names, quoted);
  }

  /// "agent-" of `pods "agent-" is forbidden` is named "agent".
  static void add_name(Names& names, std::string_view text) {
    const auto end = std::ranges::find_if_not(text, is_of_a_name);
    text = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    while (text.ends_with('-') || text.ends_with('.')) text.remove_suffix(1);
    if (!text.empty()) names.emplace(text);
  }

  void after(std::string_view text, std::string_view mark, Names& names) {
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
      at += mark.size();
      add_name(names, text.substr(at));
    }
  }

  /// Service accounts have a namespace before their name.
  void fronts(std::string_view text, std::string_view front, Names Mentions::*names) {
    const bool spaced = names == &Mentions::objects;
    for (std::size_t at = text.find(front); at != text.npos; at = text.find(front, at)) {
      at += front.size();
      const std::string_view rest = text.substr(at);
      add_name(spaced ? into_.namespaces : into_.*names, rest);
      const std::size_t colon = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.");
      if (spaced && colon != rest.npos && rest[colon] == ':') {
        add_name(into_.objects, rest.substr(colon + 1));
      }
    }
  }

  void hosts_of_urls(std::string_view text) {
    constexpr std::string_view mark = "://";
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
      at += mark.size();
      const std::string_view host = text.substr(at, text.find_first_of(" /\"\\?#", at) - at);
      const std::size_t user = host.rfind('@');
      add_server(user == host.npos ? host : host.substr(user + 1));
    }
  }

  /// `dial tcp: lookup registry.example on 10.0.0.10:53: no such host`
  void looked_up(std::string_view text) {
    constexpr std::string_view mark = "lookup ";
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
      at += mark.size();
      const std::string_view host = text.substr(at, text.find_first_of(" \"", at) - at);
      const bool dotted = host.find('.') != host.npos;
      if (dotted || text.substr(at + host.size()).starts_with(" on ")) add_server(host);
    }
  }

  /// Addresses are replaced wherever they stand.
  void add_server(std::string_view host) {
    host = host.substr(0, host.find(':'));
    const bool named = std::ranges::any_of(host, is_letter) && !host.starts_with('[');
    if (named && !is_known_server(host)) add_name(into_.servers, host);
  }

  Mentions& into_;
  std::unordered_set<std::string_view> read_;
};

}  // namespace

Mentions mentions_in(std::string_view text) {
  Mentions result;
  Reader(result).read(text);
  return result;
}

Mentions mentions_in(const model::Cluster& cluster, const std::vector<model::Omission>& omissions,
                     const std::vector<model::Warning>& warnings) {
  Mentions result;
  Reader reader(result);
  TextWalker walker([&](const auto& /*owner*/, const model::Text& text, Holds holds) {
    if (holds == Holds::Message) reader.read(text);
  });
  walker.walk(cluster);
  for (const model::Omission& omission : omissions) {
    if (!omission.ns.empty()) result.namespaces.insert(omission.ns);
    reader.read(omission.message);
    reader.read(omission.consequence);
  }
  for (const model::Warning& warning : warnings) {
    reader.read_object(object_in(warning.where));
    reader.read(warning.what);
  }
  return result;
}

std::string_view object_in(std::string_view where) {
  // From the end: the name of a file may hold blanks and slashes.
  for (std::size_t at = where.rfind('/'); at != where.npos && at > 0;
       at = where.rfind('/', at - 1)) {
    const std::size_t blank = where.rfind(' ', at);
    const std::size_t start = blank == where.npos ? 0 : blank + 1;
    const std::string_view kind = where.substr(start, at - start);
    const bool is_kind = !kind.empty() && kind.front() >= 'A' && kind.front() <= 'Z' &&
                         std::ranges::all_of(kind, is_letter);
    if (is_kind) return where.substr(start);
  }
  return {};
}

}  // namespace dsdoctor::redaction
