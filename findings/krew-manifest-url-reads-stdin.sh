#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# krew install --manifest-url reads its standard input, and fails if there is any; --manifest does not read it.
#
# Good guess:  a plugin that is given by its manifest needs no names, so krew ignores standard input, whether the
#              manifest is a file or a URL.
# Seen:        sigs.k8s.io/krew v0.5.0: with --manifest=FILE --archive=FILE a loop installs as often as it has lines.
#              With --manifest-url=URL of the same manifest, krew reads all of its standard input as names of plugins
#              and fails ("not both"); the loop ends after its first line. With /dev/null or an empty pipe it installs.
# Why:         without a terminal, and without --manifest, names are read from standard input; --manifest-url is not
#              part of that condition, but counts when names and a manifest exclude each other.
# Matters for: install lines with --manifest-url in a script that comes by a pipe (ssh host <script, bash -s), in a
#              here-document, or in a `while read` loop: the rest of the script is swallowed, and the install fails.
#              </dev/null helps.
#
# Needs Go 1.26 or later, a module proxy, git and python3.
set -euo pipefail

work=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
GOPATH=$work/go GOBIN=$work GOFLAGS=-modcacherw go install sigs.k8s.io/krew/cmd/krew@v0.5.0

# A plugin, its manifest, and an index without plugins, which krew needs.
export HOME=$work/home
mkdir -p plugin served "$HOME/.krew/index"
printf '#!/bin/sh\necho hello\n' >plugin/kubectl-hello
chmod +x plugin/kubectl-hello
echo 'Public domain.' >plugin/LICENSE
tar -C plugin -czf served/hello.tar.gz kubectl-hello LICENSE
python3 -c '
import functools, http.server
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="served")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()' >port 2>/dev/null &
server=$!
for _ in {1..100}; do [[ -s port ]] && break; sleep 0.1; done
url=http://127.0.0.1:$(<port)
cat >served/hello.yaml <<END
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata: {name: hello}
spec:
  version: v1.0.0
  homepage: https://example.com
  shortDescription: Say hello
  platforms:
  - selector: {matchLabels: {os: linux}}
    uri: $url/hello.tar.gz
    sha256: $(sha256sum served/hello.tar.gz | cut -d ' ' -f 1)
    bin: kubectl-hello
END
git init -q empty
git -C empty -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m empty
git clone -q empty "$HOME/.krew/index/default"

# loop FLAG...: installs the plugin for each of three lines, and counts what happened.
loop() {
  local installed=0 refused=0
  while read -r _; do
    rm -rf "$HOME"/.krew/{store,receipts,bin}
    if ./krew install "$@" >log 2>&1; then
      installed=$((installed + 1))
    elif grep -q 'not both' log; then
      refused=$((refused + 1))
    fi
  done < <(printf '%s\n' one two three)
  echo "$installed installed, $refused refused"
}
failed=0
expect() {
  echo "$1: $2"
  [[ $2 == "$3" ]] || { echo "  changed: it was $3"; failed=1; }
}
expect '--manifest' "$(loop --manifest=served/hello.yaml --archive=served/hello.tar.gz)" '3 installed, 0 refused'
expect '--manifest-url' "$(loop "--manifest-url=$url/hello.yaml")" '0 installed, 1 refused'
rm -rf "$HOME"/.krew/{store,receipts,bin}
./krew install "--manifest-url=$url/hello.yaml" >log 2>&1 </dev/null
expect '--manifest-url </dev/null' "$("$HOME/.krew/bin/kubectl-hello")" hello
exit "$failed"
