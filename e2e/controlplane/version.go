// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	_ "unsafe" // for go:linkname

	"k8s.io/component-base/version"

	"dsdoctor.dev/oracle/release"
)

// gitVersion is set by the linker in official builds. Modules do not have the value, and the API
// server would report v0.0.0-master, which clients cannot use.
//
//go:linkname gitVersion k8s.io/component-base/version.gitVersion
var gitVersion string

func stampVersion() error {
	built := release.Version()
	if built == "" {
		return nil // keep the placeholder
	}
	gitVersion = built
	return version.SetDynamicVersion(built)
}
