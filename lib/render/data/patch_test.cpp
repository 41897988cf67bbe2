// SPDX-License-Identifier: Apache-2.0
#include "render/data/patch.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "render/data/patch_forms.h"

using namespace dsdoctor;
using namespace dsdoctor::render;

namespace {

model::DaemonSet with_tolerations(std::vector<model::Toleration> tolerations) {
  model::DaemonSet ds;
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.pod_template.tolerations = std::move(tolerations);
  return ds;
}

/// The part of a DaemonSet that patches touch, as the API server holds it.
Json object_of(const model::DaemonSet& ds) {
  Json spec = {{"containers", Json::array()}};
  if (!ds.pod_template.tolerations.empty()) {
    spec["tolerations"] = Json::array();
    for (const auto& each : ds.pod_template.tolerations) {
      spec["tolerations"].push_back(toleration_json(each));
    }
  }
  return {{"spec", {{"template", {{"spec", std::move(spec)}}}}}};
}

/// Applies RFC 6902 as Kubernetes does: a test for null passes if the value is absent.
Json applied(Json object, const Json& patch) {
  for (const Json& operation : patch) {
    const Json::json_pointer path(operation["path"].get<std::string>());
    const bool asks_for_nothing = operation["op"] == "test" && operation["value"].is_null();
    if (asks_for_nothing) {
      REQUIRE_FALSE(object.contains(path));
    } else {
      object = object.patch(Json::array({operation}));
    }
  }
  return object;
}

const std::vector<std::vector<model::Toleration>> lists = {
    {},
    {{"a", "Exists", "", "NoSchedule", {}}},
    {{"a", "Exists", "", "NoExecute", 300}, {"", "Exists", "", "", {}}, {"b", "", "v", "", {}}}};
const std::vector<model::Toleration> two = {{"k", "Equal", "v", "NoSchedule", {}},
                                            {"l/m", "Exists", "", "NoExecute", {}}};

}  // namespace

TEST_CASE("patches of all forms lead to the same list and can be undone", "[render][patch]") {
  for (const auto& list : lists) {
    const model::DaemonSet before = with_tolerations(list);
    for (std::size_t count : {1U, 2U}) {
      fixes::TemplateChange change;
      change.added = {two.begin(), two.begin() + static_cast<std::ptrdiff_t>(count)};
      model::DaemonSet after = before;
      after.pod_template = fixes::changed(before.pod_template, change);
      CAPTURE(list.size(), count);
      const Json wanted = object_of(after);
      const Json patched = applied(object_of(before), *guarded_json_patch(before, change));
      CHECK(patched == wanted);
      CHECK(applied(patched, undo_patch(before, change)) == object_of(before));
      Json merged = object_of(before);
      merged.merge_patch(strategic_patch(before, change));
      CHECK(merged == wanted);
      merged.merge_patch(strategic_undo(before, change));
      CHECK(merged == object_of(before));
    }
  }
}

TEST_CASE("a guarded patch fails when the list has changed", "[render][patch]") {
  const model::DaemonSet before = with_tolerations(lists[1]);
  const model::DaemonSet meanwhile = with_tolerations(lists[2]);
  fixes::TemplateChange change;
  change.added = two;
  const Json patch = *guarded_json_patch(before, change);
  CHECK_THROWS(object_of(meanwhile).patch(patch));
}

TEST_CASE("a wide toleration is replaced at its index", "[render][patch]") {
  const model::DaemonSet before = with_tolerations(lists[2]);
  fixes::TemplateChange change;
  change.removed = 1;
  change.added = two;
  model::DaemonSet after = before;
  after.pod_template = fixes::changed(before.pod_template, change);
  CHECK(applied(object_of(before), *guarded_json_patch(before, change)) == object_of(after));
  Json merged = object_of(after);
  merged.merge_patch(strategic_undo(before, change));
  CHECK(merged == object_of(before));
}

TEST_CASE("commands are quoted for each shell", "[render][patch]") {
  const model::DaemonSet ds = with_tolerations(lists[1]);
  fixes::TemplateChange change;
  change.added = {two.front()};
  Presentation style;
  const auto command = [&](base::Shell shell) {
    style.address.shell = shell;
    return patch_command(ds, change, style).value_or("");
  };
  const std::string head = "kubectl --namespace x patch daemonset agent --type=json --patch";
  const std::string json = R"([{"op":"add","path":"/spec/template/spec/tolerations/-","value":)"
                           R"({"key":"k","operator":"Equal","value":"v","effect":"NoSchedule"}}])";
  const std::string yaml =
      R"([{'op': 'add', 'path': '/spec/template/spec/tolerations/-', 'value': )"
      R"({'key': 'k', 'operator': 'Equal', 'value': 'v', 'effect': 'NoSchedule'}}])";
  CHECK(command(base::Shell::Posix) == head + "='" + json + "'");
  CHECK(command(base::Shell::Fish) == head + "='" + json + "'");
  CHECK(command(base::Shell::PowerShell) == head + " \"" + yaml + "\"");
  CHECK(command(base::Shell::Cmd) == head + " \"" + yaml + "\"");
}

TEST_CASE("without double quotes kubectl does not parse an object patch as JSON",
          "[render][patch]") {
  fixes::TemplateChange change;
  change.annotations.set("a/b", "true");
  Presentation style;
  for (const base::Shell shell : {base::Shell::PowerShell, base::Shell::Cmd}) {
    style.address.shell = shell;
    CHECK(patch_command(with_tolerations({}), change, style) ==
          "kubectl --namespace x patch daemonset agent --type=strategic --patch "
          R"("'spec': {'template': {'metadata': {'annotations': {'a/b': 'true'}}}}")");
  }
}

TEST_CASE("no command contains control characters", "[render][patch]") {
  model::DaemonSet ds = with_tolerations({});
  ds.meta.name = "a\nb";
  fixes::TemplateChange change;
  change.added = two;
  CHECK_FALSE(patch_command(ds, change, {}));
  fixes::NodeCommand nodes;
  nodes.nodes = {"n1"};
  nodes.labels = {{"k", "v\x1b[31m"}};
  CHECK_FALSE(node_command(nodes, {}));
  nodes.labels = {{"k", "v"}};
  CHECK(node_command(nodes, {}) == "kubectl label node n1 k=v");
}

TEST_CASE("an error about a form names the forms that can express the change", "[render][patch]") {
  model::DaemonSet ds = with_tolerations(lists[1]);
  fixes::TemplateChange change;
  change.annotations.set("k", "v");
  for (const PatchForm form : {PatchForm::JsonPatch, PatchForm::Helm}) {
    const auto document = patch_document(form, ds, change);
    REQUIRE_FALSE(document);
    CHECK(document.error().what.find("use -o strategic, manifest or kustomize") !=
          std::string::npos);
  }
  for (const PatchForm form : {PatchForm::Strategic, PatchForm::Manifest, PatchForm::Kustomize}) {
    CHECK(patch_document(form, ds, change)->find("k: v") != std::string::npos);
  }
}
