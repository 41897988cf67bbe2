// SPDX-License-Identifier: Apache-2.0
#include "testing/fake_api.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

namespace dsdoctor::testing {
namespace {

using nlohmann::json;

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
  return parts;
}

/// Splits at commas outside parentheses.
std::vector<std::string> requirements_of(const std::string& selector) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : selector) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool holds(const json& labels, const std::string& requirement) {
  const auto value = [&](const std::string& key) -> std::optional<std::string> {
    if (!labels.contains(key)) return std::nullopt;
    return labels[key].get<std::string>();
  };
  for (const bool negated : {true, false}) {
    const auto word = requirement.find(negated ? " notin (" : " in (");
    if (word == std::string::npos) continue;
    const auto open = requirement.find('(');
    const auto values = split(requirement.substr(open + 1, requirement.find(')') - open - 1), ',');
    const auto actual = value(requirement.substr(0, word));
    const bool in = actual && std::ranges::find(values, *actual) != values.end();
    return in != negated;
  }
  if (requirement.starts_with('!')) return !value(requirement.substr(1));
  const auto equals = requirement.find('=');
  if (equals == std::string::npos) return value(requirement).has_value();
  return value(requirement.substr(0, equals)) == requirement.substr(equals + 1);
}

bool selected(const json& item, const std::string& selector) {
  if (selector.empty()) return true;
  const json labels = item["metadata"].value("labels", json::object());
  return std::ranges::all_of(requirements_of(selector),
                             [&](const std::string& part) { return holds(labels, part); });
}

/// The value of a field by its dotted path; empty if the object does not have it.
std::string field_of(const json& item, const std::string& path) {
  const json* at = &item;
  for (const std::string& step : split(path, '.')) {
    const auto found = at->find(step);
    if (found == at->end()) return "";
    at = &*found;
  }
  return at->is_string() ? at->get<std::string>() : "";
}

bool field_selected(const json& item, const std::string& selector) {
  return std::ranges::all_of(requirements_of(selector), [&](const std::string& part) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) return true;
    const bool negated = equals > 0 && part[equals - 1] == '!';
    const std::string field = part.substr(0, negated ? equals - 1 : equals);
    return (field_of(item, field) == part.substr(equals + 1)) != negated;
  });
}

struct ServedResource {
  const char* plural;
  const char* kind;
  const char* prefix;
};
constexpr ServedResource resources[] = {
    {"nodes", "Node", "/api/v1"},
    {"pods", "Pod", "/api/v1"},
    {"namespaces", "Namespace", "/api/v1"},
    {"events", "Event", "/api/v1"},
    {"resourcequotas", "ResourceQuota", "/api/v1"},
    {"limitranges", "LimitRange", "/api/v1"},
    {"serviceaccounts", "ServiceAccount", "/api/v1"},
    {"priorityclasses", "PriorityClass", "/apis/scheduling.k8s.io/v1"},
    {"leases", "Lease", "/apis/coordination.k8s.io/v1"},
    {"daemonsets", "DaemonSet", "/apis/apps/v1"},
    {"controllerrevisions", "ControllerRevision", "/apis/apps/v1"}};

struct Path {
  const ServedResource* resource = nullptr;
  std::string ns;
  std::string name;
};

std::optional<Path> parse_path(const std::string& text) {
  for (const ServedResource& resource : resources) {
    const std::string prefix = std::string(resource.prefix) + "/";
    if (!text.starts_with(prefix)) continue;
    auto parts = split(text.substr(prefix.size()), '/');
    Path path{&resource, "", ""};
    if (parts.size() >= 3 && parts[0] == "namespaces") {
      path.ns = parts[1];
      parts.erase(parts.begin(), parts.begin() + 2);
    }
    if (parts.empty() || parts[0] != resource.plural || parts.size() > 2) continue;
    if (parts.size() == 2) path.name = parts[1];
    return path;
  }
  return std::nullopt;
}

}  // namespace

struct FakeApi::State {
  mutable std::mutex mutex;
  struct Change {
    std::int64_t version = 0;
    std::string type;
    json object;
  };
  std::vector<Change> changes;      // with ascending versions
  std::int64_t version = 4711;      // of the newest change
  std::int64_t oldest_version = 0;  // known for watches
  int watches = 0;                  // changed to end those that run
  bool refuses_initial_events = false;
  std::set<std::string> forbidden_watches;
  std::map<std::string, std::deque<Reply>> scripts;
  std::set<std::string> forbidden;
  std::string token;
  std::size_t cap = 0;
  std::vector<json> items;

  std::optional<Reply> refusal(const ServedRequest& request) {
    const std::lock_guard lock(mutex);
    if (!token.empty() && request.header("authorization") != "Bearer " + token &&
        request.client_name.empty()) {
      return status_reply(401, "Unauthorized", "Unauthorized");
    }
    auto& script = scripts[request.path];
    if (!script.empty()) {
      Reply reply = script.front();
      script.pop_front();
      return reply;
    }
    if (forbidden.contains(request.path)) {
      const std::string resource = request.path.substr(request.path.rfind('/') + 1);
      return status_reply(
          403, "Forbidden",
          resource + " is forbidden: User \"viewer\" cannot list resource \"" + resource + "\"");
    }
    return std::nullopt;
  }

  Reply list(const ServedRequest& request, const Path& path) const {
    const auto query = [&](const char* key) {
      const auto found = request.query.find(key);
      return found == request.query.end() ? std::string() : found->second;
    };
    const std::lock_guard lock(mutex);
    const bool names_only =
        request.header("accept").find("PartialObjectMetadataList") != std::string::npos;
    const std::string limit = query("limit");
    std::size_t left = limit.empty() ? items.size() : std::stoul(limit);
    if (cap > 0 && !limit.empty()) left = std::min(left, cap);
    std::size_t at = query("continue").empty() ? 0 : std::stoul(query("continue"));
    json page = json::array();
    for (; at < items.size() && left > 0; ++at) {
      const json& item = items[at];
      if (item["kind"] != path.resource->kind || !selected(item, query("labelSelector"))) continue;
      if (!field_selected(item, query("fieldSelector"))) continue;
      if (!path.ns.empty() && item["metadata"].value("namespace", "") != path.ns) continue;
      json copy = names_only ? json{{"metadata", item["metadata"]}} : item;
      copy.erase("kind");
      copy.erase("apiVersion");
      page.push_back(std::move(copy));
      --left;
    }
    json metadata{{"resourceVersion", std::to_string(version)}};
    if (at < items.size()) metadata["continue"] = std::to_string(at);
    json body;
    body["kind"] = std::string(names_only ? "PartialObjectMetadata" : path.resource->kind) + "List";
    const std::string prefix = path.resource->prefix;
    body["apiVersion"] = prefix.substr(prefix.starts_with("/apis/") ? 6 : 5);
    body["metadata"] = std::move(metadata);
    body["items"] = std::move(page);
    return {200, body.dump()};
  }

  static bool is_asked(const json& item, const Path& path, const ServedRequest& request) {
    const auto query = [&](const char* key) {
      const auto found = request.query.find(key);
      return found == request.query.end() ? std::string() : found->second;
    };
    return item["kind"] == path.resource->kind && selected(item, query("labelSelector")) &&
           field_selected(item, query("fieldSelector")) &&
           (path.ns.empty() || item["metadata"].value("namespace", "") == path.ns);
  }

  /// REQUIRES: mutex is held.
  void record(const std::string& type, json object) {
    object["metadata"]["resourceVersion"] = std::to_string(++version);
    changes.push_back({version, type, std::move(object)});
  }

  Reply watch(const ServedRequest& request, const Path& path) {
    const bool initial = request.query.contains("sendInitialEvents");
    const std::lock_guard lock(mutex);
    if (forbidden_watches.contains(request.path)) {
      return status_reply(403, "Forbidden", "cannot watch resource");
    }
    if (initial && refuses_initial_events) {
      return status_reply(422, "Invalid", "sendInitialEvents: Forbidden");
    }
    const auto given = request.query.find("resourceVersion");
    std::int64_t from = given == request.query.end() ? version : std::stoll(given->second);
    if (from < oldest_version) return status_reply(410, "Expired", "too old resource version");
    Reply reply;
    const auto line = [](const std::string& type, const json& object) {
      return json{{"type", type}, {"object", object}}.dump() + "\n";
    };
    if (initial) {
      for (const json& item : items) {
        if (is_asked(item, path, request)) reply.body += line("ADDED", item);
      }
      const json mark{{"kind", path.resource->kind},
                      {"metadata",
                       {{"resourceVersion", std::to_string(version)},
                        {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}};
      reply.body += line("BOOKMARK", mark);
    }
    reply.more = [this, from, request, path, line, mine = watches](std::string& bytes) mutable {
      const std::lock_guard again(mutex);
      for (const Change& change : changes) {
        if (change.version <= from) continue;
        from = change.version;
        if (is_asked(change.object, path, request)) bytes += line(change.type, change.object);
      }
      return watches == mine;
    };
    return reply;
  }

  Reply single(const Path& path) const {
    const std::lock_guard lock(mutex);
    for (const json& item : items) {
      if (item["kind"] == path.resource->kind && item["metadata"]["name"] == path.name &&
          item["metadata"].value("namespace", "") == path.ns) {
        return {200, item.dump()};
      }
    }
    const std::string plural = path.resource->plural;
    const std::string of_group = plural == "daemonsets" ? plural + ".apps" : plural;
    return not_found_reply(plural, path.name, of_group + " \"" + path.name + "\" not found");
  }

  Reply answer(const ServedRequest& request) {
    if (auto reply = refusal(request)) return *reply;
    if (request.path == "/version") {
      return {200, R"({"major":"1","minor":"36","gitVersion":"v1.36.2"})"};
    }
    const auto path = parse_path(request.path);
    if (!path) return {404, "404 page not found\n", "text/plain"};
    if (path->name.empty() && request.query.contains("watch")) return watch(request, *path);
    return path->name.empty() ? list(request, *path) : single(*path);
  }
};

FakeApi::FakeApi(const std::string& list_file) : state_(new State) {
  if (list_file.empty()) return;
  std::ifstream stream(list_file);
  json list = json::parse(stream);
  for (json& item : list["items"]) state_->items.push_back(std::move(item));
}

FakeApi::~FakeApi() = default;

void FakeApi::add(const std::string& object) { state_->items.push_back(json::parse(object)); }

void FakeApi::script(const std::string& path, std::vector<Reply> replies) {
  const std::lock_guard lock(state_->mutex);
  for (Reply& reply : replies) state_->scripts[path].push_back(std::move(reply));
}

void FakeApi::require_token(const std::string& token) {
  const std::lock_guard lock(state_->mutex);
  state_->token = token;
}

void FakeApi::forbid(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->forbidden.insert(path);
}

void FakeApi::set(const std::string& object) {
  json item = json::parse(object);
  const std::lock_guard lock(state_->mutex);
  const auto at = std::ranges::find_if(state_->items, [&](const json& other) {
    return other["kind"] == item["kind"] && other["metadata"]["name"] == item["metadata"]["name"] &&
           other["metadata"].value("namespace", "") == item["metadata"].value("namespace", "");
  });
  const bool is_new = at == state_->items.end();
  state_->record(is_new ? "ADDED" : "MODIFIED", item);
  if (is_new) {
    state_->items.push_back(state_->changes.back().object);
  } else {
    *at = state_->changes.back().object;
  }
}

void FakeApi::remove(const std::string& kind, const std::string& ns, const std::string& name) {
  const std::lock_guard lock(state_->mutex);
  std::erase_if(state_->items, [&](const json& item) {
    const bool is_it = item["kind"] == kind && item["metadata"]["name"] == name &&
                       item["metadata"].value("namespace", "") == ns;
    if (is_it) state_->record("DELETED", item);
    return is_it;
  });
}

std::string FakeApi::name_of_first(const std::string& kind, const std::string& ns) const {
  const std::lock_guard lock(state_->mutex);
  const auto at = std::ranges::find_if(state_->items, [&](const json& item) {
    return item["kind"] == kind && item["metadata"].value("namespace", "") == ns;
  });
  return (*at)["metadata"]["name"];
}

void FakeApi::forget_changes() {
  const std::lock_guard lock(state_->mutex);
  state_->oldest_version = ++state_->version;
  state_->changes.clear();
  ++state_->watches;
}

void FakeApi::end_watches() {
  const std::lock_guard lock(state_->mutex);
  ++state_->watches;
}

void FakeApi::refuse_initial_events() {
  const std::lock_guard lock(state_->mutex);
  state_->refuses_initial_events = true;
}

void FakeApi::forbid_watch(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  state_->forbidden_watches.insert(path);
}

void FakeApi::cap_pages(std::size_t objects) { state_->cap = objects; }

Handler FakeApi::handler() {
  return [state = state_.get()](const ServedRequest& request) { return state->answer(request); };
}

Reply status_reply(int code, const std::string& reason, const std::string& message) {
  const json body{{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
                  {"status", "Failure"}, {"message", message}, {"reason", reason},
                  {"code", code}};
  return {code, body.dump()};
}

Reply not_found_reply(const std::string& resource, const std::string& name,
                      const std::string& message) {
  Reply reply = status_reply(404, "NotFound", message);
  json body = json::parse(reply.body);
  body["details"] = {{"name", name}, {"kind", resource}};
  reply.body = body.dump();
  return reply;
}

}  // namespace dsdoctor::testing
