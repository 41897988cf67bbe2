#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# formula.sh FOLDER: writes the Homebrew formula, FOLDER/kubectl-dsdoctor.rb, and, if there is a
# program for Windows, the Scoop manifest, FOLDER/kubectl-dsdoctor.json. All data is from the Krew
# manifest, FOLDER/dsdoctor.yaml.
set -euo pipefail

readonly folder=$1
manifest=$(<"$folder/dsdoctor.yaml")
readonly manifest

field() { sed -nE "s/^  $1: //p" <<<"$manifest"; }
version=$(field version) homepage=$(field homepage) description=$(field shortDescription)
version=${version#v}
readonly version homepage description

# Lines "OS ARCH URI SHA256" from the manifest.
platforms=$(awk '$1 == "os:" { os = $2 } $1 == "arch:" { arch = $2 } $1 == "uri:" { uri = $2 }
                 $1 == "sha256:" { print os, arch, uri, $2 }' <<<"$manifest")
readonly platforms

homebrew_system() { # the formula's block for macOS or Linux
  local os=$1 block=$2 name arch uri sha
  grep -q "^$os " <<<"$platforms" || return 0
  printf '\n  on_%s do\n' "$block"
  while read -r name arch uri sha; do
    [[ $name == "$os" ]] || continue
    if [[ $arch == arm64 ]]; then echo '    on_arm do'; else echo '    on_intel do'; fi
    printf '      url "%s"\n      sha256 "%s"\n    end\n' "$uri" "$sha"
  done <<<"$platforms"
  echo '  end'
}

homebrew() {
  cat <<EOF_RUBY
# Made by cmd/packaging/formula.sh from the Krew manifest; not to be edited.
class KubectlDsdoctor < Formula
  desc "$description"
  homepage "$homepage"
  version "$version"
  license "Apache-2.0"
EOF_RUBY
  homebrew_system darwin macos
  homebrew_system linux linux
  cat <<'EOF_RUBY'

  def install
    bin.install "kubectl-dsdoctor", "kubectl_complete-dsdoctor"
    man1.install "kubectl-dsdoctor.1"
    bash_completion.install "dsdoctor.bash" => "kubectl-dsdoctor"
    zsh_completion.install "dsdoctor.zsh" => "_kubectl-dsdoctor"
    fish_completion.install "dsdoctor.fish" => "kubectl-dsdoctor.fish"
  end

  test do
    assert_match "Client Version: v#{version}", shell_output("#{bin}/kubectl-dsdoctor version")
    assert_match "MISSCHEDULED", shell_output("#{bin}/kubectl-dsdoctor explain -A --demo")
  end
end
EOF_RUBY
}

scoop() { # URI SHA256
  cat <<EOF_JSON
{
    "version": "$version",
    "description": "$description",
    "homepage": "$homepage",
    "license": "Apache-2.0",
    "architecture": {
        "64bit": {
            "url": "$1",
            "hash": "$2"
        }
    },
    "bin": [
        "kubectl-dsdoctor.exe",
        ["kubectl-dsdoctor.exe", "kubectl_complete-dsdoctor", "__complete"]
    ],
    "checkver": "github",
    "autoupdate": {
        "architecture": {
            "64bit": {
                "url": "${1//$version/\$version}"
            }
        },
        "hash": {
            "url": "\$baseurl/checksums.txt"
        }
    }
}
EOF_JSON
}

homebrew >"$folder/kubectl-dsdoctor.rb"
rm -f "$folder/kubectl-dsdoctor.json"
while read -r os arch uri sha; do
  [[ $os/$arch != windows/amd64 ]] || scoop "$uri" "$sha" >"$folder/kubectl-dsdoctor.json"
done <<<"$platforms"
