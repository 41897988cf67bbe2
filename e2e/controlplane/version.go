// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"fmt"
	_ "unsafe" // for go:linkname

	"k8s.io/component-base/version"

	"dsdoctor.dev/oracle/release"
)

// gitVersion is set by the linker in official builds. Modules do not have the value, and the API
// server would report v0.0.0-master, which clients cannot use.
//
//go:linkname gitVersion k8s.io/component-base/version.gitVersion
var gitVersion string

// Version is that of the control plane. Tests have no module information: theirs is v1.37.0 for any
// patch release of 1.37.
func Version() string {
	if built := release.Version(); built != "" {
		return built
	}
	return "v" + version.DefaultKubeBinaryVersion + ".0"
}

// IsRelease reports whether the control plane is of release 1.MINOR or newer.
func IsRelease(minor int) bool {
	var built int
	_, err := fmt.Sscanf(Version(), "v1.%d.", &built)
	return err == nil && built >= minor
}

func stampVersion() error {
	gitVersion = Version()
	return version.SetDynamicVersion(gitVersion)
}
