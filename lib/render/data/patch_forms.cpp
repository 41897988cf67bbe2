// SPDX-License-Identifier: Apache-2.0
#include "render/data/patch_forms.h"

#include <fmt/format.h>

#include <sstream>

#include "base/printable.h"
#include "render/data/json.h"
#include "render/data/patch.h"
#include "render/data/yaml.h"

namespace dsdoctor::render {
namespace {

base::Error cannot_carry(std::string_view form, std::string_view what) {
  return {base::ErrorKind::Usage, "",
          fmt::format("-o {} cannot express this fix, {}: use -o strategic, manifest or kustomize",
                      form, what)};
}

Json identity(const model::DaemonSet& ds, bool with_namespace) {
  Json meta = {{"name", ds.meta.name.str()}};
  if (with_namespace) meta["namespace"] = ds.meta.ns.str();
  return {{"apiVersion", "apps/v1"}, {"kind", "DaemonSet"}, {"metadata", std::move(meta)}};
}

Json manifest(const model::DaemonSet& ds, const fixes::TemplateChange& change,
              bool with_namespace) {
  Json result = identity(ds, with_namespace);
  result.update(strategic_patch(ds, change));
  return result;
}

/// The text with each line indented by `indent` blanks, as a YAML block.
std::string indented(const std::string& text, std::size_t indent) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    result += std::string(indent, ' ') + line + "\n";
  }
  return result;
}

std::string kustomize(const model::DaemonSet& ds, const fixes::TemplateChange& change) {
  const Json target = {
      {"group", "apps"}, {"version", "v1"}, {"kind", "DaemonSet"}, {"name", ds.meta.name.str()}};
  return "# Add to kustomization.yaml.\npatches:\n- target:\n" + indented(yaml_text(target), 4) +
         "  patch: |-\n" + indented(yaml_text(manifest(ds, change, false)), 4);
}

/// `value` below a dotted path: {"agents": {"tolerations": value}}.
Json below(std::string_view path, Json value) {
  for (std::size_t dot = path.rfind('.'); dot != std::string_view::npos; dot = path.rfind('.')) {
    value = Json{{std::string(path.substr(dot + 1)), std::move(value)}};
    path = path.substr(0, dot);
  }
  return Json{{std::string(path), std::move(value)}};
}

std::string helm_values(const model::DaemonSet& ds, const fixes::TemplateChange& change) {
  std::string path;
  std::string releases;
  for (const fixes::Owner& owner : fixes::owners_of(ds)) {
    if (!owner.chart) continue;
    const std::string chart = owner.chart->empty() ? "" : fmt::format(", chart {}", *owner.chart);
    releases += "\n# " + base::printable_line(owner.name + chart) + ".";
    if (path.empty()) path = owner.tolerations;
  }
  std::string result = "# Add to values.yaml.";
  if (path.empty()) {
    result +=
        " The key `tolerations` is a guess: it may be below another key;\n# see the "
        "values.yaml of the chart.";
  } else {
    result += " If another chart includes this one, put it below the name of this chart.";
  }
  const Json list = strategic_patch(ds, change)["spec"]["template"]["spec"]["tolerations"];
  return result + releases + "\n" +
         yaml_text(
             below(path.empty() ? "tolerations" : path, list.is_null() ? Json::array() : list));
}

constexpr std::string_view merge_comment =
    "# Merge this into the manifest; a list is replaced as a whole.\n";

std::string apply_manifest(const model::DaemonSet& ds, const fixes::TemplateChange& change,
                           PatchTarget target) {
  if (target == PatchTarget::Manifest) {
    return std::string(merge_comment) + yaml_text(manifest(ds, change, true));
  }
  return "# kubectl apply --server-side --field-manager=dsdoctor --force-conflicts -f FILE\n"
         "# takes over these fields from their current manager; a list is replaced as a whole.\n" +
         yaml_text(manifest(ds, change, true));
}

std::string strategic_document(const model::DaemonSet& ds, const fixes::TemplateChange& change,
                               PatchTarget target) {
  if (target == PatchTarget::Manifest) {
    return std::string(merge_comment) + yaml_text(strategic_patch(ds, change));
  }
  const auto command = shell_line(
      daemon_set_command({"patch"}, ds.meta.ns, ds.meta.name, {"--patch-file", "FILE"}), {});
  return fmt::format("# {}: a list is replaced as a whole.\n",
                     command.value_or("kubectl patch daemonset --patch-file FILE")) +
         yaml_text(strategic_patch(ds, change));
}

}  // namespace

base::Result<std::string> patch_document(PatchForm form, const model::DaemonSet& ds,
                                         const fixes::TemplateChange& change, PatchTarget target) {
  switch (form) {
    case PatchForm::JsonPatch: {
      const auto patch = guarded_json_patch(ds, change);
      if (!patch) return cannot_carry("json-patch", "which is not about tolerations");
      return json_text(*patch);
    }
    case PatchForm::Strategic: return strategic_document(ds, change, target);
    case PatchForm::Manifest: return apply_manifest(ds, change, target);
    case PatchForm::Kustomize: return kustomize(ds, change);
    case PatchForm::Helm:
      if (!change.requirements.empty() || !change.annotations.empty()) {
        return cannot_carry("helm", "for which charts have no usual key");
      }
      return helm_values(ds, change);
  }
  return std::string();
}

}  // namespace dsdoctor::render
