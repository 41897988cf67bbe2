// SPDX-License-Identifier: Apache-2.0

// Package pki creates the certificates of a test run. An authority exists as long as the process:
// each start creates its own, so a kubeconfig of an earlier run cannot reach a later one by
// accident.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// Authority signs certificates.
type Authority struct {
	// PEM is the authority's own certificate.
	PEM  []byte
	Cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Identity is a certificate with its key, both PEM.
type Identity struct {
	Cert, Key []byte
}

// NewAuthority creates an authority with that common name.
func NewAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := Template(pkix.Name{CommonName: name})
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{Cert: cert, key: key, PEM: certificatePEM(der)}, nil
}

// Server signs a server's certificate for these host names and addresses.
func (a *Authority) Server(names ...string) (Identity, error) {
	return a.Sign(ServerTemplate(names...))
}

// Client signs a user's certificate.
func (a *Authority) Client(user string, groups ...string) (Identity, error) {
	template := Template(pkix.Name{CommonName: user, Organization: groups})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.Sign(template)
}

// Sign creates a key and signs its certificate by the template.
func (a *Authority) Sign(template *x509.Certificate) (Identity, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Identity{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.Cert, key.Public(), a.key)
	if err != nil {
		return Identity{}, err
	}
	keyPEM, err := PrivateKeyPEM(key)
	return Identity{Cert: certificatePEM(der), Key: keyPEM}, err
}

// ServerTemplate is for these host names and addresses, valid from an hour ago for a week.
func ServerTemplate(names ...string) *x509.Certificate {
	template := Template(pkix.Name{CommonName: "kube-apiserver"})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	return template
}

// Template is valid from an hour ago for a week.
func Template(subject pkix.Name) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		panic(err) // without randomness of the system nothing can work
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(7 * 24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func certificatePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// PrivateKeyPEM writes a key as SEC1.
func PrivateKeyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}
