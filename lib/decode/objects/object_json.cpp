// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/object_json.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <type_traits>

#include "decode/objects/spec_edits.h"
#include "model/annotations.h"
#include "model/fields.h"

namespace dsdoctor::decode {
namespace {

namespace description = model::description;

Json owned_fields_json(const model::FieldManager& entry) {
  Json fields = Json::object();
  for (const model::Text& label : entry.labels) {
    fields["f:metadata"]["f:labels"]["f:" + label.str()] = Json::object();
  }
  if (!entry.spec) return fields;
  Json& spec = fields["f:spec"] = Json::object();
  if (entry.taints) spec["f:taints"] = Json::object();
  if (entry.unschedulable) spec["f:unschedulable"] = Json::object();
  if (entry.tolerations) spec["f:template"]["f:spec"]["f:tolerations"] = Json::object();
  return fields;
}

/// A port is a number or a name.
Json port_json(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::to_string(number) == text ? Json(number) : Json(text);
}

/// Splits the text that `read_handler` made: "httpGet /healthz:8080", "exec", "tcpSocket :80".
void put_handler(Json& into, std::string_view handler) {
  if (handler.empty()) return;
  const std::size_t blank = handler.find(' ');
  Json& fields = into[std::string(handler.substr(0, blank))] = Json::object();
  if (blank == std::string_view::npos) return;
  const std::string_view address = handler.substr(blank + 1);
  const std::size_t colon = address.rfind(':');
  put_text(fields, "path", address.substr(0, colon));
  if (colon + 1 < address.size()) fields["port"] = port_json(address.substr(colon + 1));
}

/// The field that identifies the source of a volume.
struct SourceField {
  std::string_view kind;
  const char* field;
};
constexpr std::array<SourceField, 12> source_fields = {{
    {"secret", "secretName"},
    {"configMap", "name"},
    {"persistentVolumeClaim", "claimName"},
    {"csi", "driver"},
    {"flexVolume", "driver"},
    {"awsElasticBlockStore", "volumeID"},
    {"cinder", "volumeID"},
    {"portworxVolume", "volumeID"},
    {"azureFile", "secretName"},
    {"gcePersistentDisk", "pdName"},
    {"iscsi", "iqn"},
    {"rbd", "image"},
}};

const char* source_field(std::string_view kind) {
  for (const SourceField& source : source_fields) {
    if (source.kind == kind) return source.field;
  }
  return "path";
}

// Writers of the ByHand fields; the readers are in fields_by_hand.cpp.

void put_by_hand(Json& into, const model::ObjectMeta& meta,
                 description::ByHand<description::OwnerReferences> /*tag*/) {
  if (!meta.controller) return;
  Json owner = Json::object();
  put_text(owner, "apiVersion", meta.controller->api_version);
  put_text(owner, "kind", meta.controller->kind);
  put_text(owner, "name", meta.controller->name);
  put_text(owner, "uid", meta.controller->uid);
  owner["controller"] = true;
  into["ownerReferences"] = Json::array({std::move(owner)});
}

void put_by_hand(Json& into, const model::FieldManager& entry,
                 description::ByHand<description::OwnedFields> /*tag*/) {
  put_part(into, "fieldsV1", owned_fields_json(entry));
}

void put_by_hand(Json& into, const model::Pod& pod,
                 description::ByHand<description::LastWrite> /*tag*/) {
  if (!pod.last_write) return;
  Json entry = Json::object();
  put_time(entry, "time", pod.last_write);
  into["managedFields"] = Json::array({std::move(entry)});
}

void put_by_hand(Json& into, const model::Probe& probe,
                 description::ByHand<description::ProbeHandler> /*tag*/) {
  put_handler(into, probe.handler);
}

void put_by_hand(Json& into, const model::Volume& volume,
                 description::ByHand<description::VolumeSource> /*tag*/) {
  Json& source = into[volume.kind.str()] = Json::object();
  if (!volume.certificate_key.empty()) {
    source["sources"] = {{{"podCertificate", {{"keyType", volume.certificate_key.view()}}}}};
  }
  put_text(source, source_field(volume.kind), volume.source);
  put_flag(source, "readOnly", volume.read_only);
  put_flag(source, "optional", volume.optional);
  if (volume.must_exist) source["type"] = "Directory";
}

void put_by_hand(Json& /*into*/, const model::VolumeMount& /*mount*/,
                 description::ByHand<description::MountPath> /*tag*/) {}

void put_by_hand(Json& into, const model::Container& container,
                 description::ByHand<description::PluginArguments> /*tag*/) {
  for (const model::Text& driver : container.plugin_drivers) {
    into["args"].push_back("--drivername=" + driver.str());
  }
}

void put_by_hand(Json& into, const model::ContainerStatus& status,
                 description::ByHand<description::RunningState> /*tag*/) {
  if (!status.running) return;
  put_time(into["running"] = Json::object(), "startedAt", status.running_since);
}

void put_by_hand(Json& /*into*/, const model::ResourceQuota& /*quota*/,
                 description::ByHand<description::HardInSpec> /*tag*/) {}

void put_by_hand(Json& into, const model::ResourceQuota& quota,
                 description::ByHand<description::HardInStatus> /*tag*/) {
  put_map(into, "hard", quota.hard);
}

/// Writes an object by the description of its type in `model/fields.h`. Like the API, leaves out
/// fields with the zero value of their type, which readers treat as absent.
class FieldWriter {
 public:
  template <typename Names = description::UsualNames, typename T>
  void put_fields(Json& into, const T& of) {
    put_all(into, of, description::fields<T, Names>);
  }

 private:
  template <typename T, typename... Parts>
  void put_all(Json& into, const T& of, const std::tuple<Parts...>& parts) {
    std::apply([&](const auto&... part) { (put(into, of, part), ...); }, parts);
  }

  template <typename T, auto Member, typename Form>
  void put(Json& into, const T& of, const description::Field<Member, Form>& field) {
    put_as(field.form, into, std::string(field.key), field.of(of));
  }
  template <typename T, auto Member>
  void put(Json& /*into*/, const T& /*of*/,
           const description::Field<Member, description::Hidden>& /*field*/) {}
  template <typename T, auto Outer, auto Member>
  void put(Json& into, const T& of, const description::Inner<Outer, Member>& field) {
    put_as(description::Plain{}, into, std::string(field.key), field.of(of));
  }
  template <typename T, typename... Parts>
  void put(Json& into, const T& of, const description::Object<Parts...>& object) {
    Json part = Json::object();
    put_all(part, of, object.fields);
    put_part(into, std::string(object.key), std::move(part));
  }
  template <typename T, auto Member>
  void put(Json& into, const T& of, const description::Part<Member>& part) {
    put_fields(into, part.of(of));
  }
  template <typename T, auto Member>
  void put(Json& into, const T& of, const description::Annotation<Member>& annotation) {
    const auto& value = annotation.of(of);
    if (!value.empty()) into["annotations"][std::string(annotation.key)] = value.view();
  }
  template <typename T, typename Tag>
  void put(Json& into, const T& of, const description::ByHand<Tag>& tag) {
    put_by_hand(into, of, tag);
  }
  void put(Json& into, const model::Pod& pod,
           const description::ByHand<description::SpecOfPod>& /*tag*/) {
    model::PodTemplate spec;
    spec.node_name = pod.node_name;
    spec.node_selector = pod.node_selector;
    spec.node_affinity = pod.node_affinity;
    spec.tolerations = *pod.tolerations;
    spec.host_network = pod.host_network;
    spec.spec = *pod.spec;
    put_fields(into, spec);
  }

  // Overloads by the form and the type of a field.

  void put_as(description::Plain /*form*/, Json& into, const std::string& key,
              const model::Text& text) {
    put_text(into, key, text);
  }
  void put_as(description::Unique /*form*/, Json& into, const std::string& key, const auto& text) {
    put_text(into, key, text.str());
  }
  void put_as(description::Plain /*form*/, Json& into, const std::string& key, bool flag) {
    put_flag(into, key, flag);
  }
  template <typename Form>
  void put_as(Form /*form*/, Json& into, const std::string& key, std::int64_t number) {
    put_number(into, key, number);
  }
  void put_as(description::Plain /*form*/, Json& into, const std::string& key,
              const model::OptionalTime& time) {
    put_time(into, key, time);
  }
  void put_as(description::AnyTime /*form*/, Json& into, const std::string& key,
              const model::OptionalTime& time) {
    put_time(into, key, time);
  }
  template <typename Form>
  void put_as(Form /*form*/, Json& into, const std::string& key, const model::Labels& map) {
    put_map(into, key, map);
  }
  void put_as(description::Quantities /*form*/, Json& into, const std::string& key,
              const std::optional<model::Labels>& map) {
    if (map) put_map(into, key, *map);
  }
  void put_as(description::Existence /*form*/, Json& into, const std::string& key, bool exists) {
    if (exists) into[key] = "";
  }
  void put_as(description::Requests /*form*/, Json& into, const std::string& key,
              const std::optional<model::Labels>& requests) {
    if (requests) put_map(into[key] = Json::object(), "requests", *requests);
  }
  void put_as(description::Plain /*form*/, Json& into, const std::string& key,
              const std::vector<model::Text>& texts) {
    put_texts(into, key, texts);
  }
  void put_as(description::AnyTexts /*form*/, Json& into, const std::string& key,
              const std::vector<model::Text>& texts) {
    put_texts(into, key, texts);
  }
  void put_as(description::EachNamed form, Json& into, const std::string& key,
              const std::vector<model::Text>& names) {
    for (const model::Text& name : names) {
      into[key].push_back({{std::string(form.key), name.view()}});
    }
  }
  template <typename Form, typename T>
  void put_as(Form /*form*/, Json& into, const std::string& key, const std::optional<T>& value) {
    if (value) into[key] = json_of<description::UsualNames>(*value);
  }
  template <typename T>
  void put_as(description::Plain form, Json& into, const std::string& key,
              const model::SharedOptional<T>& value) {
    put_as(form, into, key, std::optional<T>(value));
  }
  template <description::Described T>
  void put_as(description::Plain /*form*/, Json& into, const std::string& key, const T& part) {
    put_part(into, key, json_of<description::UsualNames>(part));
  }
  template <description::Described T>
  void put_as(description::Plain /*form*/, Json& into, const std::string& key,
              const std::vector<T>& list) {
    put_as(description::CalledAs<description::UsualNames>{}, into, key, list);
  }
  template <description::KeptList List>
  void put_as(description::Plain form, Json& into, const std::string& key, const List& list) {
    put_as(form, into, key, std::vector<typename List::value_type>(list.begin(), list.end()));
  }
  template <typename Names, description::Described T>
  void put_as(description::CalledAs<Names> /*form*/, Json& into, const std::string& key,
              const std::vector<T>& list) {
    if (list.empty()) return;
    Json& elements = into[key] = Json::array();
    for (const T& element : list) elements.push_back(json_of<Names>(element));
  }

  template <typename Names, typename T>
  Json json_of(const T& value) {
    if constexpr (description::Described<T>) {
      Json result = Json::object();
      put_fields<Names>(result, value);
      return result;
    } else if constexpr (std::is_same_v<T, model::IntOrPercent>) {
      return value.percent ? Json(fmt::format("{}%", value.value)) : Json(value.value);
    } else {
      return value;
    }
  }
};

/// Writes the annotations that only a Snapshot has.
void put_kept(Json& into, const model::Labels& annotations, std::uint64_t fingerprint,
              const model::DaemonSet* ds) {
  model::Labels all = annotations;
  if (fingerprint != 0) {
    all.set(model::template_fingerprint_annotation, fmt::format("{:016x}", fingerprint));
  }
  if (ds != nullptr && !ds->edits.empty()) {
    all.set(model::spec_edits_annotation, edits_text(ds->edits));
  }
  if (ds != nullptr && ds->applied) {
    all.set(model::applied_template_annotation, applied_text(*ds->applied));
  }
  put_map(into["metadata"], "annotations", all);
}

}  // namespace

base::Status each_object_json(const model::Cluster& cluster,
                              const std::function<base::Status(const Json&)>& sink) {
  base::Status status = std::monostate{};
  FieldWriter writer;
  description::each_list(cluster, [&](const auto& list, const auto& described) {
    for (const auto& object : list) {
      if (!status) return;
      Json json = {{"apiVersion", described.api_version}, {"kind", described.kind}};
      writer.put_fields(json, object);
      using Object = std::remove_cvref_t<decltype(object)>;
      if constexpr (std::is_same_v<Object, model::DaemonSet>) {
        if (object.other_kind) {
          json["apiVersion"] = object.other_kind->api_version.str();
          json["kind"] = object.other_kind->kind.str();
        }
        put_kept(json, object.annotations, object.template_fingerprint, &object);
      } else if constexpr (std::is_same_v<Object, model::ControllerRevision>) {
        put_kept(json, {}, object.template_fingerprint, nullptr);
        writer.put_fields(json["data"]["spec"]["template"], object.pod_template);
      }
      status = sink(json);
    }
  });
  return status;
}

}  // namespace dsdoctor::decode
