// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dsdoctor::cmd {

/// The help texts of a command.
struct CommandText {
  std::string_view name;
  std::string_view summary;  // a few words, for a list of commands
  std::string_view description;
  std::string_view examples;  // {} is the program's name
  std::string_view usage;
};

inline constexpr CommandText explain_text = {
    "explain", "Explain why a DaemonSet has or does not have a pod on each node",
    "Explain why a DaemonSet has or does not have a pod on each node, and how to fix it.",
    R"(  # One DaemonSet
  {} explain datadog-agent -n datadog

  # All DaemonSets of all namespaces, problems first
  {} explain -A

  # All DaemonSets of one node
  {} explain node/ip-10-0-1-7

  # The DaemonSet that owns a pod, on the pod's node
  {} explain pod/datadog-agent-5bgcx

  # From a file, one line for each node, with the evidence
  {} explain ds/datadog-agent -f cluster.json -o wide
)",
    "explain [NAME... | ds/NAME... | node/NAME | pod/NAME] [options]"};

inline constexpr CommandText diff_nodes_text = {
    "diff-nodes", "Show nodes with missing or unexpected pods; or compare two nodes",
    "Show nodes with missing or unexpected pods.\nOr compare two nodes: labels, taints, "
    "capacity, and which DaemonSets treat them differently; or compare two DaemonSets.\nOr show "
    "what changed on the nodes since an earlier state, and which verdicts changed because of "
    "it.\nExits with 1 when there is a difference.",
    R"(  # All DaemonSets of all namespaces
  {} diff-nodes -A

  # One DaemonSet
  {} diff-nodes falco -n security

  # Two nodes
  {} diff-nodes node/gpu-1 node/cp-1

  # Two DaemonSets: which nodes are eligible for only one of them, and why
  {} diff-nodes ds/falco ds/fluent-bit -n security

  # Changes on the nodes since a snapshot, or between two dumps
  {} diff-nodes -A --since before.json.zst
  {} diff-nodes -A --since monday.tar.gz -f tuesday.tar.gz
)",
    "diff-nodes [NAME... | node/A node/B | ds/A ds/B] [options]"};

inline constexpr CommandText suggest_text = {
    "suggest", "Suggest fixes: patches with their effect and risk",
    "Suggest fixes: the tolerations that make nodes eligible, with their effect and risk, "
    "alternatives, and the cause if no toleration helps.\nPrints a script in which only "
    "recommended commands are not comments. Changes nothing in the cluster.",
    R"(  # What makes the other nodes eligible
  {} suggest datadog-agent -n datadog

  # The smallest change that makes nodes with a misscheduled pod eligible
  {} suggest datadog-agent -n datadog --for misscheduled

  # The same as a JSON patch that fails if the list has changed in the meantime
  {} suggest datadog-agent -n datadog --for misscheduled -o json-patch > patch.json

  # As a part of a kustomization, for one node pool
  {} suggest node-exporter -n monitoring --for pool=gpu -o kustomize
)",
    "suggest [NAME...] [options]"};

inline constexpr CommandText check_text = {
    "check", "Check every DaemonSet and show only problems; or explain an alert",
    "Check every DaemonSet and show only problems.\nExits with 1 when something is wrong, and "
    "with 2 when that is unknown.",
    R"(  # All DaemonSets of all namespaces
  {} check -A

  # An alert: what fires it, whether it resolves without action, and when
  {} check -A --alert KubeDaemonSetMisScheduled

  # The clusters of several contexts, or dumps of several clusters, by problem
  {} check -A --contexts 'prod-*'
  {} check -A -f east.tar.gz -f west.tar.gz --by-file

  # For a CI system
  {} check -A -o junit > dsdoctor.xml

  # For node_exporter's textfile collector
  {} check -A -o prometheus > dsdoctor.prom
)",
    "check [NAME...] [options]"};

inline constexpr CommandText serve_text = {
    "serve", "Serve metrics and the current problems by HTTP",
    "Stay current as check -w does, and serve the answer by HTTP, without TLS and read-only: "
    "/metrics for Prometheus, /problems as JSON, /report as a page, /healthz for probes.\nPrints a "
    "line for each change.",
    R"(  # On this machine: http://127.0.0.1:8080/report
  {} serve

  # In a pod, for Prometheus
  {} serve --listen :8080
)",
    "serve [options]"};

inline constexpr CommandText findings_text = {
    "findings", "Look up a word of an answer: a finding, a verdict, a reason, a term",
    "List findings, verdicts, reasons and terms, or look one up: what it means, how it is detected "
    "and how to fix it. WORD is an id, the id of a problem, a reason of Kubernetes such as "
    "CrashLoopBackOff, a term such as eligible, or a family such as rollout. Reads no cluster.",
    R"(  # All, by family
  {} findings

  # A word of an answer, or of kubectl
  {} findings MISSCHEDULED
  {} findings FailedCreate

  # The terms that answers use
  {} findings terms -o wide

  # Every entry in full
  {} findings --all
)",
    "findings [WORD] [options]"};

inline constexpr CommandText taints_text = {
    "taints", "Show every taint, what it means, and which DaemonSets tolerate it",
    "Show every taint: its nodes, what it means, who sets it, when it is removed; and which "
    "DaemonSets tolerate it.",
    R"(  # All taints, against the DaemonSets of all namespaces
  {} taints -A

  # One DaemonSet, with the tolerations that match
  {} taints datadog-agent -n datadog

  # With descriptions of your own taints
  {} taints -A --taints-file taints.yaml
)",
    "taints [NAME... | ds/NAME... | node/NAME...] [options]"};

inline constexpr CommandText snapshot_text = {
    "snapshot", "Save the cluster state to a file, for later use with -f",
    "Save the state that the other commands read, for later use with -f FILE.\nAll DaemonSets, "
    "or with -n those of one namespace; other objects whatever their namespace. Secrets are never "
    "read. The default file name consists of the context and "
    "the time. FILE.json is not compressed, FILE.gz is compressed with gzip, any other with zstd.",
    R"(  # The cluster of the current context
  {} snapshot

  # Into a file, to read it later
  {} snapshot before.json.zst
  {} explain -A -f before.json.zst

  # With names replaced, to share it
  {} snapshot --redact for-the-report.json.zst
)",
    "snapshot [FILE | -] [options]"};

inline constexpr CommandText rbac_text = {
    "rbac", "Print the Role or ClusterRole that a question needs",
    "Print the RBAC permissions that commands need, as a Role or ClusterRole, and the commands "
    "that "
    "check whether they are granted: get and list, with -w also watch. Without a COMMAND: those of "
    "all commands. Without the second role, dsdoctor-causes, answers list what could not be read. "
    "Reads no cluster and writes none.",
    R"(  # All commands, in all namespaces
  {} rbac

  # For a pipeline that waits for the DaemonSets of one namespace
  {} rbac check -w -n logging

  # As a List, for a file
  {} rbac explain diff-nodes -o yaml
)",
    "rbac [COMMAND...] [options]"};

inline constexpr CommandText version_text = {"version", "Print the version",
                                             "Print the version of this program. Reads no cluster.",
                                             R"(  # As JSON
  {} version -o json
)",
                                             "version [options]"};

inline constexpr CommandText completion_text = {
    "completion", "Print the completion script of a shell",
    "Print the completion script of a shell: bash, zsh or fish; or the helper for kubectl's own "
    "completion.\nFor `kubectl dsdoctor`, use kubectl's own completion with the helper on PATH.",
    R"(  # For this bash session, when kubectl-dsdoctor is called directly
  source <({} completion bash)

  # The helper for kubectl, which kubectl finds by this name
  {} completion kubectl > ~/.local/bin/kubectl_complete-dsdoctor
  chmod +x ~/.local/bin/kubectl_complete-dsdoctor
)",
    "completion SHELL"};

}  // namespace dsdoctor::cmd
