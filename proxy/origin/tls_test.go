package origin

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority is a CA of our own with a server certificate for 127.0.0.1.
type authority struct {
	file string // its certificate, PEM
	leaf tls.Certificate
}

func newCA(t *testing.T) *authority {
	t.Helper()
	return newCAFor(t, net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour))
}

func newCAFor(t *testing.T, ip net.IP, until time.Time) *authority {
	t.Helper()
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	sign := func(c, by *x509.Certificate, k, byKey *ecdsa.PrivateKey) []byte {
		der, err := x509.CreateCertificate(rand.Reader, c, by, &k.PublicKey, byKey)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	caKey, leafKey := key(), key()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, NotBefore: time.Now().Add(-48 * time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "origin"}, NotBefore: time.Now().Add(-24 * time.Hour),
		NotAfter: until, IPAddresses: []net.IP{ip}, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	a := &authority{file: filepath.Join(t.TempDir(), "ca.pem")}
	b := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: sign(ca, ca, caKey, caKey)})
	if err := os.WriteFile(a.file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	a.leaf = tls.Certificate{Certificate: [][]byte{sign(leaf, ca, leafKey, caKey)}, PrivateKey: leafKey}
	return a
}

func (a *authority) server(c net.Conn) net.Conn {
	return tls.Server(c, &tls.Config{Certificates: []tls.Certificate{a.leaf}, MinVersion: tls.VersionTLS12})
}

func TestAnOriginOfAnOwnCAIsTrustedWithItsFileOnly(t *testing.T) {
	ca := newCA(t)
	o := startOn(t, "https", ca.server, answerAll(ok2))
	p := startPool(t, Config{Targets: []string{o.url}, CAFile: ca.file})
	for i := range 3 {
		// Session tickets come before the first answer and are read with it:
		// they must not make the connection look dirty.
		if a := mustFetch(t, p, request("GET", "/", "")); a.body != "ok" || a.reused != (i > 0) {
			t.Errorf("request %d: %+v", i, a)
		}
	}
	for name, c := range map[string]struct {
		cfg  Config
		want string
	}{
		"system roots":        {Config{}, "not trusted: set tls.ca_file"},
		"the CA of another":   {Config{CAFile: newCA(t).file}, "not trusted: set tls.ca_file"},
		"plain":               {Config{Targets: []string{startRaw(t, func(c *rawConn) { c.say("HTTP/1.1 400 No\r\n\r\n") }).url}, CAFile: ca.file}, "speaks no TLS: use http://"},
		"closed in handshake": {Config{Targets: []string{startRaw(t, func(*rawConn) {}).url}, CAFile: ca.file}, "closed the connection during the TLS handshake"},
	} {
		if c.cfg.Targets == nil {
			c.cfg.Targets = []string{o.url}
		}
		c.cfg.Targets[0] = strings.Replace(c.cfg.Targets[0], "http://", "https://", 1)
		e := failure(t, fetch(startPool(t, c.cfg), request("GET", "/", "")).err)
		if e.Phase != PhaseTLS || e.Wrote || !strings.Contains(e.Error(), c.want) || strings.Contains(e.Error(), "x509") {
			t.Errorf("%s: %v, want %q", name, e, c.want)
		}
	}
}

func TestACertificateForAnotherNameOrTimeIsRefused(t *testing.T) {
	for want, ca := range map[string]*authority{
		"for another name":         newCAFor(t, net.IPv4(127, 0, 0, 9), time.Now().Add(time.Hour)),
		"expired or not yet valid": newCAFor(t, net.IPv4(127, 0, 0, 1), time.Now().Add(-time.Hour)),
	} {
		o := startOn(t, "https", ca.server, answerAll(ok2))
		e := failure(t, fetch(startPool(t, Config{Targets: []string{o.url}, CAFile: ca.file}), request("GET", "/", "")).err)
		if e.Phase != PhaseTLS || !strings.Contains(e.Error(), want) {
			t.Errorf("got %v, want %q", e, want)
		}
	}
}

func TestABrokenConfigurationIsOneClearSentence(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, cfg := range map[string]Config{
		"has no targets":             {},
		"no base URL":                {Targets: []string{"http://a/path"}},
		"write http:// or https://":  {Targets: []string{"ftp://a"}},
		"cannot be read":             {Targets: []string{"https://a"}, CAFile: empty + ".not"},
		"holds no PEM certificate":   {Targets: []string{"https://a"}, CAFile: empty},
		"the host is no IP address":  {Targets: []string{"http://a"}, Forbidden: []string{"b:1"}},
		"forbidden address \"here\"": {Targets: []string{"http://a"}, Forbidden: []string{"here"}},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
