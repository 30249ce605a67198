package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tailrace/cmd/internal/config"
)

// certificate makes one for a template, signed by another, or by itself.
func certificate(t *testing.T, c, by *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if by == nil {
		by, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, by, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	return der, key
}

// authority makes a CA of our own: the file that a pool names, and a server's
// certificate for names and for 127.0.0.1.
func authority(t *testing.T, names ...string) (file string, leaf tls.Certificate) {
	t.Helper()
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a CA of our own"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	rootDER, rootKey := certificate(t, root, nil, nil)
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
	}
	leafDER, leafKey := certificate(t, server, root, rootKey)
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: rootDER}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, tls.Certificate{Certificate: [][]byte{leafDER}, PrivateKey: leafKey}
}

// secured is an https origin whose certificate is of a CA of our own.
func secured(t *testing.T) (url, ca string, hits *atomic.Int64) {
	t.Helper()
	ca, leaf := authority(t)
	hits = &atomic.Int64{}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[]}`)
	}))
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{leaf}}
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // it reports the handshake that is refused
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv.URL, ca, hits
}

func TestAnHTTPSOriginOfOurOwnCANeedsItsFile(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{true, false} {
		url, ca, hits := secured(t)
		text := "upstream_pools:\n  - name: llm\n    targets: [\"" + url + "\"]\n"
		if trusted {
			text += "    connect: { tls: { ca_file: \"" + ca + "\" } }\n"
		}
		text += "routes:\n  - { match: { path_prefix: / }, pool: llm, journal: { mode: idempotent } }\n"
		c, err := config.Parse("tailrace.yaml", []byte(text), config.Options{Env: os.LookupEnv})
		if err != nil {
			t.Fatal(err)
		}
		r := begin(t, url, t.TempDir(), func(m *Main) {
			c.Listen.HTTP, c.Listen.Admin = "127.0.0.1:0", "127.0.0.1:0"
			m.Config = c
		})
		token, err := r.state.token()
		if err != nil {
			t.Fatal(err)
		}
		s := newStand(t, r.ProxyURL, r.AdminURL, token)
		got := s.send(t.Context(), say("secret", false))
		switch {
		case trusted && (got.status != 200 || got.body != `{"choices":[]}` || hits.Load() != 1):
			t.Errorf("with the file: %d %s", got.status, got.body)
		case !trusted && (got.status != 502 || !got.is("X-Tailrace-Sent", "no") || !inDialect(got.body) || !strings.Contains(got.body, "tls.ca_file") || hits.Load() != 0):
			t.Errorf("without it: %d %v %s", got.status, got.header, got.body)
		}
		if names := s.row("1").names(); !trusted && names != "ATTEMPT NOT_SENT ATTEMPT NOT_SENT" {
			t.Errorf("without it the journal has %s", names)
		}
		r.end()
	}
}
