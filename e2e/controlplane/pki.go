package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority signs every certificate of one run. It lives as long as the cluster: each start
// makes its own, so a kubeconfig of an earlier run can never reach a later one by accident.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

// identity is a certificate with its key, both PEM.
type identity struct {
	cert, key []byte
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificateTemplate(pkix.Name{CommonName: "dsdoctor-e2e"})
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
	return &authority{cert: cert, key: key, pem: certificatePEM(der)}, nil
}

func (a *authority) server() (identity, error) {
	template := certificateTemplate(pkix.Name{CommonName: "kube-apiserver"})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.DNSNames = []string{"localhost"}
	return a.sign(template)
}

func (a *authority) client(user string, groups ...string) (identity, error) {
	template := certificateTemplate(pkix.Name{CommonName: user, Organization: groups})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(template)
}

func (a *authority) sign(template *x509.Certificate) (identity, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return identity{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return identity{}, err
	}
	keyPEM, err := privateKeyPEM(key)
	return identity{cert: certificatePEM(der), key: keyPEM}, err
}

func certificateTemplate(subject pkix.Name) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		panic(err) // the system has no randomness: nothing below could work
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

func privateKeyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

// pki names the files the components read.
type pki struct {
	authority                                 *authority
	caFile, certFile, keyFile, serviceAccount string
}

func writePKI(dir string) (*pki, error) {
	ca, err := newAuthority()
	if err != nil {
		return nil, err
	}
	server, err := ca.server()
	if err != nil {
		return nil, err
	}
	signing, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	signingPEM, err := privateKeyPEM(signing)
	if err != nil {
		return nil, err
	}
	p := &pki{
		authority:      ca,
		caFile:         filepath.Join(dir, "ca.crt"),
		certFile:       filepath.Join(dir, "apiserver.crt"),
		keyFile:        filepath.Join(dir, "apiserver.key"),
		serviceAccount: filepath.Join(dir, "service-account.key"),
	}
	for file, content := range map[string][]byte{
		p.caFile: ca.pem, p.certFile: server.cert, p.keyFile: server.key, p.serviceAccount: signingPEM,
	} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return nil, err
		}
	}
	return p, nil
}
