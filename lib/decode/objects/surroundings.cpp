#include "decode/objects/surroundings.h"

#include "decode/objects/annotations.h"
#include "decode/objects/meta_fields.h"
#include "decode/objects/pod_fields.h"
#include "decode/objects/selector_fields.h"
#include "decode/objects/toleration_text.h"

namespace dsdoctor::decode {
namespace {

using Value = JsonReader::Value;

/// The field `name` of each object in a list.
/// scopeSelector.matchExpressions[]: {scopeName, operator, values}
std::vector<model::NodeSelectorRequirement> read_scopes(JsonReader& reader, Value value) {
  std::vector<model::NodeSelectorRequirement> result;
  reader.object(value, [&](std::string_view key, Value list) {
    if (key != "matchExpressions") return;
    reader.array(list, [&](Value element) {
      model::NodeSelectorRequirement& scope = result.emplace_back();
      reader.object(element, [&](std::string_view name, Value field) {
        if (name == "scopeName")
          scope.key = reader.text(field);
        else if (name == "operator")
          scope.op = reader.text(field);
        else if (name == "values")
          scope.values = reader.texts(field);
      });
    });
  });
  return result;
}

model::LimitRangeItem read_limit(JsonReader& reader, Value value) {
  model::LimitRangeItem item;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "type")
      item.type = reader.text(field);
    else if (key == "min")
      item.min = read_quantities(reader, field);
    else if (key == "max")
      item.max = read_quantities(reader, field);
    else if (key == "default")
      item.default_limit = read_quantities(reader, field);
    else if (key == "defaultRequest")
      item.default_request = read_quantities(reader, field);
    else if (key == "maxLimitRequestRatio")
      item.max_ratio = read_quantities(reader, field);
  });
  return item;
}

model::PolicyRule read_rule(JsonReader& reader, Value value) {
  model::PolicyRule rule;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "verbs")
      rule.verbs = reader.texts(field);
    else if (key == "apiGroups")
      rule.api_groups = reader.texts(field);
    else if (key == "resources")
      rule.resources = reader.texts(field);
    else if (key == "resourceNames")
      rule.resource_names = reader.texts(field);
  });
  return rule;
}

model::Subject read_subject(JsonReader& reader, Value value) {
  model::Subject subject;
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "kind")
      subject.kind = reader.text(field);
    else if (key == "namespace")
      subject.ns = reader.text(field);
    else if (key == "name")
      subject.name = reader.text(field);
  });
  return subject;
}

/// allowedTopologies[].matchLabelExpressions[]: {key, values}, which means In.
model::NodeSelectorTerm read_topology(JsonReader& reader, Value value) {
  model::NodeSelectorTerm term;
  reader.object(value, [&](std::string_view key, Value list) {
    if (key == "matchLabelExpressions") term.match_expressions = read_requirements(reader, list);
  });
  for (auto& requirement : term.match_expressions) requirement.op = "In";
  return term;
}

}  // namespace

void read_namespace(JsonReader& reader, Document& doc, model::Namespace& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      read_meta(reader, field, into.meta, &into.annotations);
    } else if (key == "status") {
      reader.object(field, [&](std::string_view name, Value text) {
        if (name == "phase") into.phase = reader.text(text);
      });
    }
  });
  if (const model::Text* text = into.annotations.find(default_tolerations_annotation)) {
    into.default_tolerations = parse_tolerations(*text);
  }
}

void read_resource_quota(JsonReader& reader, Document& doc, model::ResourceQuota& into) {
  model::Labels wanted;
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      read_meta(reader, field, into.meta);
    } else if (key == "spec") {
      reader.object(field, [&](std::string_view name, Value of_spec) {
        if (name == "hard")
          wanted = read_quantities(reader, of_spec);
        else if (name == "scopes")
          into.scopes = reader.texts(of_spec);
        else if (name == "scopeSelector")
          into.scope_selector = read_scopes(reader, of_spec);
      });
    } else if (key == "status") {
      reader.object(field, [&](std::string_view name, Value of_status) {
        if (name == "hard") into.hard = read_quantities(reader, of_status);
        if (name == "used") into.used = read_quantities(reader, of_status);
      });
    }
  });
  if (into.hard.empty()) into.hard = std::move(wanted);
}

void read_limit_range(JsonReader& reader, Document& doc, model::LimitRange& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      read_meta(reader, field, into.meta);
    } else if (key == "spec") {
      reader.object(field, [&](std::string_view name, Value list) {
        if (name != "limits") return;
        reader.array(list,
                     [&](Value element) { into.limits.push_back(read_limit(reader, element)); });
      });
    }
  });
}

void read_priority_class(JsonReader& reader, Document& doc, model::PriorityClass& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata")
      read_meta(reader, field, into.meta);
    else if (key == "value")
      into.value = reader.integer(field);
    else if (key == "globalDefault")
      into.global_default = reader.boolean(field);
    else if (key == "preemptionPolicy")
      into.preemption_policy = reader.text(field);
  });
}

void read_runtime_class(JsonReader& reader, Document& doc, model::RuntimeClass& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      read_meta(reader, field, into.meta);
    } else if (key == "handler") {
      into.handler = reader.text(field);
    } else if (key == "overhead") {
      reader.object(field, [&](std::string_view name, Value list) {
        if (name == "podFixed") into.overhead = read_quantities(reader, list);
      });
    } else if (key == "scheduling") {
      reader.object(field, [&](std::string_view name, Value part) {
        if (name == "nodeSelector") into.node_selector = reader.string_map(part);
        if (name == "tolerations") into.tolerations = read_tolerations(reader, part);
      });
    }
  });
}

void read_service_account(JsonReader& reader, Document& doc, model::ServiceAccount& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") read_meta(reader, field, into.meta);
    if (key == "imagePullSecrets") into.image_pull_secrets = read_names(reader, field, "name");
  });
}

void read_claim(JsonReader& reader, Document& doc, model::PersistentVolumeClaim& into) {
  model::Labels annotations;
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      read_meta(reader, field, into.meta, &annotations);
    } else if (key == "spec") {
      reader.object(field, [&](std::string_view name, Value of_spec) {
        if (name == "accessModes")
          into.access_modes = reader.texts(of_spec);
        else if (name == "volumeName")
          into.volume_name = reader.text(of_spec);
        else if (name == "storageClassName")
          into.storage_class = reader.text(of_spec);
        else if (name == "resources") {
          reader.object(of_spec, [&](std::string_view part, Value list) {
            if (part == "requests") into.requests = read_quantities(reader, list);
          });
        }
      });
    } else if (key == "status") {
      reader.object(field, [&](std::string_view name, Value text) {
        if (name == "phase") into.phase = reader.text(text);
      });
    }
  });
  if (const model::Text* node = annotations.find(selected_node_annotation)) {
    into.selected_node = *node;
  }
}

void read_volume(JsonReader& reader, Document& doc, model::PersistentVolume& into) {
  const auto read_spec = [&](std::string_view name, Value field) {
    if (name == "accessModes")
      into.access_modes = reader.texts(field);
    else if (name == "storageClassName")
      into.storage_class = reader.text(field);
    else if (name == "capacity")
      into.capacity = read_quantities(reader, field);
    else if (name == "nodeAffinity") {
      reader.object(field, [&](std::string_view part, Value required) {
        if (part == "required" && !reader.is_null(required)) {
          into.node_affinity = read_node_selector(reader, required);
        }
      });
    } else if (name == "csi") {
      reader.object(field, [&](std::string_view part, Value text) {
        if (part == "driver") into.driver = reader.text(text);
      });
    } else if (name == "claimRef") {
      reader.object(field, [&](std::string_view part, Value text) {
        if (part == "namespace") into.claim_ns = reader.text(text);
        if (part == "name") into.claim_name = reader.text(text);
      });
    }
  };
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      read_meta(reader, field, into.meta);
    } else if (key == "spec") {
      reader.object(field, read_spec);
    } else if (key == "status") {
      reader.object(field, [&](std::string_view name, Value text) {
        if (name == "phase") into.phase = reader.text(text);
      });
    }
  });
}

void read_storage_class(JsonReader& reader, Document& doc, model::StorageClass& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata")
      read_meta(reader, field, into.meta);
    else if (key == "provisioner")
      into.provisioner = reader.text(field);
    else if (key == "volumeBindingMode")
      into.binding_mode = reader.text(field);
    else if (key == "allowedTopologies") {
      reader.array(field, [&](Value element) {
        into.allowed_topologies.push_back(read_topology(reader, element));
      });
    }
  });
}

void read_csi_node(JsonReader& reader, Document& doc, model::CsiNode& into) {
  const auto read_driver = [&](Value element) {
    model::CsiDriverOnNode& driver = into.drivers.emplace_back();
    reader.object(element, [&](std::string_view key, Value field) {
      if (key == "name") driver.name = reader.text(field);
      if (key != "allocatable") return;
      reader.object(field, [&](std::string_view name, Value count) {
        if (name == "count" && !reader.is_null(count)) driver.limit = reader.integer(count);
      });
    });
  };
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      read_meta(reader, field, into.meta);
    } else if (key == "spec") {
      reader.object(field, [&](std::string_view name, Value list) {
        if (name == "drivers") reader.array(list, read_driver);
      });
    }
  });
}

void read_lease(JsonReader& reader, Document& doc, model::Lease& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      read_meta(reader, field, into.meta);
    } else if (key == "spec") {
      reader.object(field, [&](std::string_view name, Value of_spec) {
        if (name == "holderIdentity")
          into.holder = reader.text(of_spec);
        else if (name == "leaseDurationSeconds")
          into.duration = reader.integer(of_spec);
        else if (name == "renewTime")
          into.renewed = reader.time(of_spec);
      });
    }
  });
}

void read_cluster_role(JsonReader& reader, Document& doc, model::ClusterRole& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") read_meta(reader, field, into.meta);
    if (key == "rules") {
      reader.array(field, [&](Value element) { into.rules.push_back(read_rule(reader, element)); });
    }
  });
}

void read_cluster_role_binding(JsonReader& reader, Document& doc, model::ClusterRoleBinding& into) {
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata") {
      read_meta(reader, field, into.meta);
    } else if (key == "roleRef") {
      reader.object(field, [&](std::string_view name, Value text) {
        if (name == "name") into.role = reader.text(text);
      });
    } else if (key == "subjects") {
      reader.array(field,
                   [&](Value element) { into.subjects.push_back(read_subject(reader, element)); });
    }
  });
}

}  // namespace dsdoctor::decode
