package controlplane

import (
	_ "unsafe" // for go:linkname

	"k8s.io/component-base/version"

	"dsdoctor.dev/oracle/release"
)

// gitVersion is what the release's own build stamps with the linker. Modules come without the
// stamp and the API server would call itself v0.0.0-master, which no client can judge by.
//
//go:linkname gitVersion k8s.io/component-base/version.gitVersion
var gitVersion string

func stampVersion() error {
	built := release.Version()
	if built == "" {
		return nil // the placeholder stays
	}
	gitVersion = built
	return version.SetDynamicVersion(built)
}
