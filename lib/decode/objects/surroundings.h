#pragma once

#include "decode/json/json_reader.h"
#include "model/surroundings.h"

/// The objects around a DaemonSet into the model, each from its JSON.
/// Source of truth: k8s.io/api v0.36.2.
namespace dsdoctor::decode {

using Document = simdjson::ondemand::document;

/// `v1` or `events.k8s.io/v1`.
void read_event(JsonReader& reader, Document& doc, model::Event& into);
void read_namespace(JsonReader& reader, Document& doc, model::Namespace& into);
void read_resource_quota(JsonReader& reader, Document& doc, model::ResourceQuota& into);
void read_limit_range(JsonReader& reader, Document& doc, model::LimitRange& into);
void read_priority_class(JsonReader& reader, Document& doc, model::PriorityClass& into);
void read_runtime_class(JsonReader& reader, Document& doc, model::RuntimeClass& into);
void read_service_account(JsonReader& reader, Document& doc, model::ServiceAccount& into);
void read_claim(JsonReader& reader, Document& doc, model::PersistentVolumeClaim& into);
void read_volume(JsonReader& reader, Document& doc, model::PersistentVolume& into);
void read_storage_class(JsonReader& reader, Document& doc, model::StorageClass& into);
void read_csi_node(JsonReader& reader, Document& doc, model::CsiNode& into);
void read_lease(JsonReader& reader, Document& doc, model::Lease& into);
void read_cluster_role(JsonReader& reader, Document& doc, model::ClusterRole& into);
void read_cluster_role_binding(JsonReader& reader, Document& doc, model::ClusterRoleBinding& into);

}  // namespace dsdoctor::decode
