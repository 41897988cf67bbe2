// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"os"
	"path/filepath"

	"dsdoctor.dev/e2e/pki"
)

// keyFiles are the paths of the files that the components read.
type keyFiles struct {
	authority                                 *pki.Authority
	caFile, certFile, keyFile, serviceAccount string
}

func writeKeys(dir string) (*keyFiles, error) {
	ca, err := pki.NewAuthority("dsdoctor-e2e")
	if err != nil {
		return nil, err
	}
	server, err := ca.Server("127.0.0.1", "localhost")
	if err != nil {
		return nil, err
	}
	signing, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	signingPEM, err := pki.PrivateKeyPEM(signing)
	if err != nil {
		return nil, err
	}
	k := &keyFiles{
		authority:      ca,
		caFile:         filepath.Join(dir, "ca.crt"),
		certFile:       filepath.Join(dir, "apiserver.crt"),
		keyFile:        filepath.Join(dir, "apiserver.key"),
		serviceAccount: filepath.Join(dir, "service-account.key"),
	}
	for file, content := range map[string][]byte{
		k.caFile: ca.PEM, k.certFile: server.Cert, k.keyFile: server.Key, k.serviceAccount: signingPEM,
	} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return nil, err
		}
	}
	return k, nil
}
