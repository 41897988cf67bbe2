// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/fields_by_hand.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace dsdoctor::decode {
namespace {

using Value = JsonReader::Value;

constexpr std::string_view field_prefix = "f:";
constexpr std::size_t text_overhead = 32;  // of an allocation

/// Reads the labels that an entry owns: the keys of metadata.labels, each with the prefix "f:".
void read_owned_labels(JsonReader& reader, Value value, model::FieldManager& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key != "f:labels") return;
    reader.object(field, [&](std::string_view label, Value) {
      if (!label.starts_with(field_prefix)) return;
      into.labels.emplace_back(label.substr(field_prefix.size()));
      reader.keep(2 * sizeof(model::Text) + label.size() + text_overhead);
    });
  });
}

void read_owned_spec(JsonReader& reader, Value value, model::FieldManager& into) {
  into.spec = true;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "f:taints") into.taints = true;
    if (key == "f:unschedulable") into.unschedulable = true;
    if (key != "f:template") return;
    reader.object(field, [&](std::string_view part, Value of_template) {
      if (part != "f:spec") return;
      reader.object(of_template, [&](std::string_view name, Value) {
        if (name == "f:tolerations") into.tolerations = true;
      });
    });
  });
}

/// Ignores a tree of an unknown format: only its manager and time are known then.
void read_owned_fields(JsonReader& reader, Value value, model::FieldManager& into) {
  simdjson::ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS ||
      type != simdjson::ondemand::json_type::object) {
    return;
  }
  reader.object(value, [&](std::string_view key, Value field) {
    if (field.type().get(type) != simdjson::SUCCESS ||
        type != simdjson::ondemand::json_type::object) {
      return;
    }
    if (key == "f:metadata") read_owned_labels(reader, field, into);
    if (key == "f:spec") read_owned_spec(reader, field, into);
  });
}

/// A port is a number or a name.
model::Text port_text(JsonReader& reader, Value value) {
  simdjson::ondemand::json_type type{};
  if (value.type().get(type) == simdjson::SUCCESS &&
      type == simdjson::ondemand::json_type::number) {
    return {std::to_string(reader.int32(value))};
  }
  return reader.text(value);
}

model::Text read_handler(JsonReader& reader, std::string_view kind, Value value) {
  model::Text path;
  model::Text port;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "path") path = reader.text(field);
    if (key == "port") port = port_text(reader, field);
  });
  if (kind == "httpGet") return {http_handler(path, port)};
  if (kind == "exec") return {"exec"};
  return {fmt::format("{} :{}", kind, port.view())};
}

bool has_type(Value& value, simdjson::ondemand::json_type expected) {
  simdjson::ondemand::json_type type{};
  return value.type().get(type) == simdjson::SUCCESS && type == expected;
}

/// Calls `read` for each element; ignores a value that is not a list.
void each_of_list(JsonReader& reader, Value value, const auto& read) {
  if (has_type(value, simdjson::ondemand::json_type::array)) reader.array(value, read);
}

/// Whether the text has the form of the name of a CSI or DRA driver: a domain, or in a redacted
/// snapshot a single word. "kubernetes.io" is the folder of volumes without a driver.
bool is_driver_name(std::string_view text) {
  constexpr std::size_t longest = 253;
  const auto is_allowed = [](char c) { return base::is_alphanumeric(c) || c == '.' || c == '-'; };
  return !text.empty() && text.size() <= longest && text != "kubernetes.io" &&
         std::ranges::all_of(text, is_allowed);
}

/// The driver in the path of its socket: /var/lib/kubelet/plugins/NAME/csi.sock. Empty if the text
/// has no such path.
std::string_view driver_of_socket(std::string_view text) {
  for (const std::string_view separator : {"/", "\\"}) {
    const std::string folder = fmt::format("{}plugins{}", separator, separator);
    const std::size_t at = text.find(folder);
    if (at == text.npos) continue;
    const std::string_view rest = text.substr(at + folder.size());
    const std::string_view name = rest.substr(0, rest.find(separator));
    if (name.size() < rest.size() && is_driver_name(name)) return name;
  }
  return {};
}

/// Reads the name that identifies a volume's source, for all kinds of sources.
void read_volume_source(JsonReader& reader, Value value, model::Volume& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    const bool names = key == "path" || key == "secretName" || key == "claimName" ||
                       key == "driver" || key == "volumeID" || key == "pdName" || key == "iqn" ||
                       key == "image";
    if (names || (key == "name" && into.kind == "configMap"))
      into.source = reader.text(field);
    else if (key == "readOnly")
      into.read_only = reader.boolean(field);
    else if (key == "optional")
      into.optional = reader.boolean(field);
    else if (key == "type" && into.kind == "hostPath")
      into.must_exist = is_checked(reader.text(field));
  });
}

/// Reads the type of an ML-DSA key of a pod certificate: it requires a feature of the node.
void read_certificate_key(JsonReader& reader, Value value, model::Volume& into) {
  const auto read_certificate = [&](std::string_view key, Value field) {
    if (key != "keyType") return;
    const model::Text type = reader.text(field);
    if (is_ml_dsa(type)) into.certificate_key = type;
  };
  reader.object(value, [&](std::string_view key, Value sources) {
    if (key != "sources") return;
    reader.array(sources, [&](Value source) {
      reader.object(source, [&](std::string_view kind, Value field) {
        if (kind == "podCertificate") reader.object(field, read_certificate);
      });
    });
  });
}

/// Reports whether any pod may have such a source, and the pod never waits for it.
bool is_local(std::string_view kind) {
  return kind == "projected" || kind == "emptyDir" || kind == "downwardAPI";
}

}  // namespace

bool read_by_hand(JsonReader& reader, std::string_view key, Value value, model::ObjectMeta& into,
                  description::ByHand<description::OwnerReferences> /*tag*/) {
  if (key != "ownerReferences") return false;
  reader.array(value, [&](Value element) {
    model::ControllerRef ref;
    bool controls = false;
    reader.object(element, [&](std::string_view name, Value field) {
      if (name == "kind")
        ref.kind = reader.text(field);
      else if (name == "name")
        ref.name = reader.text(field);
      else if (name == "uid")
        ref.uid = reader.text(field);
      else if (name == "apiVersion")
        ref.api_version = reader.text(field);
      else if (name == "controller")
        controls = reader.boolean(field);
    });
    if (controls && !into.controller) into.controller = std::move(ref);
  });
  return true;
}

bool read_by_hand(JsonReader& reader, std::string_view key, Value value, model::FieldManager& into,
                  description::ByHand<description::OwnedFields> /*tag*/) {
  if (key != "fieldsV1") return false;
  read_owned_fields(reader, value, into);
  return true;
}

bool read_by_hand(JsonReader& reader, std::string_view key, Value value, model::Pod& into,
                  description::ByHand<description::LastWrite> /*tag*/) {
  if (key != "managedFields") return false;
  reader.array(value, [&](Value entry) {
    reader.object(entry, [&](std::string_view name, Value field) {
      if (name != "time") return;
      std::string_view text;
      if (field.get_string().get(text) != simdjson::SUCCESS) return;
      into.last_write = std::max(into.last_write, model::OptionalTime(parse_rfc3339(text)));
    });
  });
  return true;
}

bool read_by_hand(JsonReader& reader, std::string_view key, Value value, model::Probe& into,
                  description::ByHand<description::ProbeHandler> /*tag*/) {
  const bool known = key == "httpGet" || key == "exec" || key == "tcpSocket" || key == "grpc";
  if (known) into.handler = read_handler(reader, key, value);
  return known;
}

bool read_by_hand(JsonReader& reader, std::string_view key, Value value, model::Volume& into,
                  description::ByHand<description::VolumeSource> /*tag*/) {
  if (reader.is_null(value)) return true;
  into.kind = model::Text(key);
  if (key == "projected") read_certificate_key(reader, value, into);
  if (!is_local(key)) read_volume_source(reader, value, into);
  return true;
}

bool is_kept(const model::Volume& volume) {
  return !volume.certificate_key.empty() || (!volume.kind.empty() && !is_local(volume.kind));
}

std::string_view driver_in_argument(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals != text.npos && text.starts_with('-')) {
    std::string flag;
    for (const char c : text.substr(0, equals)) {
      if (c != '-' && c != '_') flag += c;
    }
    const std::string_view value = text.substr(equals + 1);
    if (base::lower_case(flag) == "drivername" && is_driver_name(value)) return value;
  }
  return driver_of_socket(text);
}

std::string_view driver_in_variable(std::string_view name, std::string_view text) {
  if (name.ends_with("DRIVER_NAME") && is_driver_name(text)) return text;
  return driver_of_socket(text);
}

void add_driver(std::string_view driver, std::vector<model::Text>& into) {
  if (driver.empty() || std::ranges::find(into, driver, &model::Text::view) != into.end()) {
    return;
  }
  into.emplace_back(driver);
}

bool is_checked(std::string_view host_path_type) {
  return !host_path_type.empty() && !host_path_type.ends_with("OrCreate");
}

bool is_token_path(std::string_view path) {
  return path.starts_with("/var/run/secrets/kubernetes.io/serviceaccount");
}

bool is_kept(const model::VolumeMount& mount) { return !mount.of_token; }

bool read_by_hand(JsonReader& /*reader*/, std::string_view key, Value value,
                  model::VolumeMount& into, description::ByHand<description::MountPath> /*tag*/) {
  if (key != "mountPath") return false;
  std::string_view path;
  into.of_token = value.get_string().get(path) == simdjson::SUCCESS && is_token_path(path);
  return true;
}

bool read_by_hand(JsonReader& reader, std::string_view key, Value value, model::Container& into,
                  description::ByHand<description::PluginArguments> /*tag*/) {
  const auto add = [&](std::string_view driver) {
    if (driver.empty()) return;
    reader.keep(sizeof(model::Text) + driver.size() + text_overhead);
    add_driver(driver, into.plugin_drivers);
  };
  if (key == "command" || key == "args") {
    each_of_list(reader, value, [&](Value element) {
      if (std::string_view text; element.get_string().get(text) == simdjson::SUCCESS) {
        add(driver_in_argument(text));
      }
    });
    return true;
  }
  if (key != "env") return false;
  each_of_list(reader, value, [&](Value element) {
    if (!has_type(element, simdjson::ondemand::json_type::object)) return;
    std::string_view name;
    std::string_view text;
    reader.object(element, [&](std::string_view part, Value field) {
      std::string_view* into_part = part == "name" ? &name : part == "value" ? &text : nullptr;
      if (into_part != nullptr && field.get_string().get(*into_part) != simdjson::SUCCESS) {
        *into_part = {};
      }
    });
    add(driver_in_variable(name, text));
  });
  return true;
}

bool is_ml_dsa(std::string_view key_type) {
  return key_type == "MLDSA44" || key_type == "MLDSA65" || key_type == "MLDSA87";
}

bool read_by_hand(JsonReader& reader, std::string_view key, Value value,
                  model::ContainerStatus& into,
                  description::ByHand<description::RunningState> /*tag*/) {
  if (key != "running") return false;
  if (reader.is_null(value)) return true;
  into.running = true;
  reader.object(value, [&](std::string_view name, Value time) {
    if (name == "startedAt") into.running_since = reader.time(time);
  });
  return true;
}

bool read_by_hand(JsonReader& reader, std::string_view key, Value value, model::ResourceQuota& into,
                  description::ByHand<description::HardInSpec> /*tag*/) {
  if (key != "hard") return false;
  model::Labels hard = read_quantities(reader, value);
  if (into.hard.empty()) into.hard = std::move(hard);
  return true;
}

bool read_by_hand(JsonReader& reader, std::string_view key, Value value, model::ResourceQuota& into,
                  description::ByHand<description::HardInStatus> /*tag*/) {
  if (key != "hard") return false;
  model::Labels hard = read_quantities(reader, value);
  if (!hard.empty()) into.hard = std::move(hard);
  return true;
}

model::Labels read_quantities(JsonReader& reader, Value value) {
  std::vector<model::Labels::Entry> entries;
  reader.object(value, [&](std::string_view key, Value field) {
    const model::Text name(key);
    simdjson::ondemand::json_type type{};
    const bool number = field.type().get(type) == simdjson::SUCCESS &&
                        type == simdjson::ondemand::json_type::number;
    const model::Text text = number ? model::Text(field.raw_json_token()) : reader.text(field);
    entries.emplace_back(name, model::Text(base::trimmed(text.view())));
    reader.keep(2 * sizeof(model::Labels::Entry) + key.size() + text.view().size() +
                2 * text_overhead);
  });
  return model::Labels(std::move(entries));
}

std::string http_handler(std::string_view path, std::string_view port) {
  const std::string_view known = path.substr(0, path.find('?'));  // a query may contain a token
  return fmt::format("httpGet {}:{}", known.empty() ? "/" : known, port);
}

}  // namespace dsdoctor::decode
