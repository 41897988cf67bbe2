// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/annotations.h"
#include "model/field.h"
#include "model/node.h"
#include "model/pod_spec.h"

/// Descriptions of nodes, and of the types that several kinds of objects contain.
namespace dsdoctor::model::description {

template <>
inline constexpr auto fields<ControllerRef> =
    std::tuple(field<&ControllerRef::kind>("kind", Holds::Key),
               field<&ControllerRef::name>("name", Holds::OwnName),
               field<&ControllerRef::uid>("uid", Holds::Uid),
               field<&ControllerRef::api_version>("apiVersion", Holds::ByHand));

/// `fieldsV1`
struct OwnedFields;
template <>
inline constexpr auto fields<FieldManager> = std::tuple(
    field<&FieldManager::manager>("manager", Holds::Program),
    field<&FieldManager::operation>("operation"), field<&FieldManager::subresource>("subresource"),
    field<&FieldManager::time>("time", Holds::Nothing, AnyTime{}), ByHand<OwnedFields>{},
    hidden<&FieldManager::labels>(Holds::Key), hidden<&FieldManager::spec>(),
    hidden<&FieldManager::taints>(), hidden<&FieldManager::unschedulable>(),
    hidden<&FieldManager::tolerations>());

/// `ownerReferences`; only the controller's is kept.
struct OwnerReferences;
template <>
inline constexpr auto fields<ObjectMeta> =
    std::tuple(field<&ObjectMeta::name>("name", Holds::OwnName, Unique{}),
               field<&ObjectMeta::ns>("namespace", Holds::Namespace),
               field<&ObjectMeta::uid>("uid", Holds::Uid, Unique{}),
               field<&ObjectMeta::resource_version>("resourceVersion", Holds::Nothing, Unique{}),
               field<&ObjectMeta::created>("creationTimestamp"),
               field<&ObjectMeta::deleted>("deletionTimestamp"),
               field<&ObjectMeta::grace_seconds>("deletionGracePeriodSeconds"),
               field<&ObjectMeta::labels>("labels", Holds::Value),
               field<&ObjectMeta::finalizers>("finalizers", Holds::Key), ByHand<OwnerReferences>{},
               hidden<&ObjectMeta::controller>(), field<&ObjectMeta::managers>("managedFields"));

template <>
inline constexpr auto fields<Condition> = std::tuple(
    field<&Condition::type>("type", Holds::Key), field<&Condition::status>("status"),
    field<&Condition::reason>("reason"), field<&Condition::message>("message", Holds::Message),
    field<&Condition::last_transition>("lastTransitionTime"),
    field<&Condition::last_heartbeat>("lastHeartbeatTime"));

template <>
inline constexpr auto fields<Taint> = std::tuple(field<&Taint::key>("key", Holds::Key),
                                                 field<&Taint::value>("value", Holds::Value),
                                                 field<&Taint::effect>("effect"),
                                                 field<&Taint::time_added>("timeAdded"));

template <>
inline constexpr auto fields<Toleration> = std::tuple(
    field<&Toleration::key>("key", Holds::Key), field<&Toleration::op>("operator"),
    field<&Toleration::value>("value", Holds::Value), field<&Toleration::effect>("effect"),
    field<&Toleration::toleration_seconds>("tolerationSeconds"));

template <>
inline constexpr auto fields<NodeSelectorRequirement> =
    std::tuple(field<&NodeSelectorRequirement::key>("key", Holds::Key),
               field<&NodeSelectorRequirement::op>("operator"),
               field<&NodeSelectorRequirement::values>("values", Holds::Value));

/// Requirements of `matchFields`: node names.
struct NodeFields;
template <>
inline constexpr auto fields<NodeSelectorRequirement, NodeFields> =
    std::tuple(field<&NodeSelectorRequirement::key>("key", Holds::Key),
               field<&NodeSelectorRequirement::op>("operator"),
               field<&NodeSelectorRequirement::values>("values", Holds::Node));

/// Requirements of a quota's `scopeSelector`.
struct Scopes;
template <>
inline constexpr auto fields<NodeSelectorRequirement, Scopes> =
    std::tuple(field<&NodeSelectorRequirement::key>("scopeName"),
               field<&NodeSelectorRequirement::op>("operator"),
               field<&NodeSelectorRequirement::values>("values", Holds::Object));

template <>
inline constexpr auto fields<NodeSelectorTerm> =
    std::tuple(field<&NodeSelectorTerm::match_expressions>("matchExpressions"),
               called_as<&NodeSelectorTerm::match_fields, NodeFields>("matchFields"));

/// Requirements of a storage class: expressions without operator, which all mean In.
struct Topology;
template <>
inline constexpr auto fields<NodeSelectorRequirement, Topology> = std::tuple(
    field<&NodeSelectorRequirement::key>("key", Holds::Key), hidden<&NodeSelectorRequirement::op>(),
    field<&NodeSelectorRequirement::values>("values", Holds::Value));
template <>
inline constexpr auto fields<NodeSelectorTerm, Topology> =
    std::tuple(called_as<&NodeSelectorTerm::match_expressions, Topology>("matchLabelExpressions"),
               called_as<&NodeSelectorTerm::match_fields, NodeFields>({}));  // absent

template <>
inline constexpr auto fields<NodeSelector> =
    std::tuple(field<&NodeSelector::terms>("nodeSelectorTerms"));

template <>
inline constexpr auto fields<LabelSelector> =
    std::tuple(field<&LabelSelector::match_labels>("matchLabels", Holds::Value),
               field<&LabelSelector::match_expressions>("matchExpressions"));

template <>
inline constexpr auto fields<Node> = std::tuple(
    object("metadata", part<&Node::meta>(),
           object("annotations",
                  field<&Node::feature_labels>(feature_labels_annotation, Holds::Key),
                  field<&Node::machine_config_state>(machine_config_state_annotation))),
    object("spec", field<&Node::taints>("taints"), field<&Node::unschedulable>("unschedulable"),
           field<&Node::provider_id>("providerID", Holds::ByHand)),
    object("status", quantities<&Node::capacity>("capacity"),
           quantities<&Node::allocatable>("allocatable"), field<&Node::conditions>("conditions"),
           field<&Node::declared_features>("declaredFeatures", Holds::Nothing, AnyTexts{}),
           object("nodeInfo", field<&Node::kubelet_version>("kubeletVersion"),
                  field<&Node::os>("operatingSystem"), field<&Node::architecture>("architecture"),
                  field<&Node::os_image>("osImage", Holds::Message),
                  field<&Node::kernel_version>("kernelVersion", Holds::Message),
                  field<&Node::container_runtime>("containerRuntimeVersion"))));

}  // namespace dsdoctor::model::description
