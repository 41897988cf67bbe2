// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/node.h"
#include "model/text.h"

namespace dsdoctor::decode {

/// Reports whether objects of the kind describe new nodes: Karpenter's NodePool, a
/// MachineDeployment or MachineSet of Cluster API, OpenShift's MachineSet.
[[nodiscard]] bool is_node_template(std::string_view api_version, std::string_view kind);

/// The objects that `NodeTemplates` reads, for messages.
inline constexpr std::string_view node_template_kinds =
    "NodePools of Karpenter, MachineDeployments and MachineSets of Cluster API or OpenShift, tags "
    "of "
    "AutoScalingGroups as the AWS CLI prints them";

/// Collects the templates of new nodes from objects: those of `is_node_template`, and the answers
/// of `aws autoscaling describe-auto-scaling-groups` and `describe-tags`, whose tags
/// k8s.io/cluster-autoscaler/node-template/... describe nodes.
///
/// Source of truth: karpenter v1.15.0 pkg/apis/v1/nodepool.go; cluster-api v1.12, the labels that
/// it copies from a Machine to its Node; cluster-autoscaler 1.35
/// cloudprovider/clusterapi/clusterapi_unstructured.go and cloudprovider/aws/aws_manager.go.
class NodeTemplates {
 public:
  /// Returns false if the object does not describe new nodes. A MachineSet that a MachineDeployment
  /// owns is accepted, but not added. REQUIRES: `json_padding` readable bytes after `json`. `file`
  /// is named in errors. Errors: Malformed, with the object and the field's path, for a field of
  /// the wrong type, a requirement with an unknown operator, and an annotation or a tag that cannot
  /// be parsed.
  [[nodiscard]] base::Result<bool> add(std::string_view json, const std::string& file);

  [[nodiscard]] std::vector<model::NodeTemplate>& all() { return all_; }

 private:
  simdjson::dom::parser parser_;
  model::TextPool pool_;
  std::vector<model::NodeTemplate> all_;
};

}  // namespace dsdoctor::decode
