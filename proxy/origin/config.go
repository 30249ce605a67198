package origin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"
)

// Config says where a pool connects to, and how.
type Config struct {
	Name    string   // of the pool, for messages
	Targets []string // base URLs scheme://host:port, http or https; taken in turn

	ConnectTimeout time.Duration // name, dial and TLS handshake together; 0 = no limit
	KeepAlive      time.Duration // between TCP probes; 0 = none
	MaxIdle        time.Duration // an idle connection is closed after it; 0 = no limit
	MaxConnections int           // per target, idle ones included; 0 = no limit

	CAFile string // PEM; when set, the only roots that are trusted

	// Dial replaces the dialer; for tests.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Forbidden are addresses of our own (host:port) that are never dialled:
	// a proxy that fetches from itself does not end.
	Forbidden []string
}

// New checks the configuration and returns a pool without connections.
func New(cfg Config) (*Pool, error) {
	if len(cfg.Targets) == 0 {
		return nil, fmt.Errorf("pool %q has no targets: name at least one base URL", cfg.Name)
	}
	roots, err := readRoots(cfg.CAFile)
	if err != nil {
		return nil, fmt.Errorf("pool %q: %w", cfg.Name, err)
	}
	forbidden, err := newGuard(cfg.Forbidden)
	if err != nil {
		return nil, fmt.Errorf("pool %q: %w", cfg.Name, err)
	}
	d := newDialer(cfg, forbidden)
	p := &Pool{}
	for _, base := range cfg.Targets {
		t, err := newTarget(base, roots)
		if err != nil {
			return nil, fmt.Errorf("pool %q: %w", cfg.Name, err)
		}
		t.dialer, t.max, t.maxIdle = d, cfg.MaxConnections, cfg.MaxIdle
		p.targets = append(p.targets, t)
	}
	return p, nil
}

// readRoots reads the CA certificates of a file. Without a file it returns nil,
// which stands for the roots of the system.
func readRoots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("tls.ca_file cannot be read: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("tls.ca_file %s holds no PEM certificate: put the CA's certificate there", file)
	}
	return roots, nil
}

// newTarget reads a base URL. A path is refused, since it would never be sent:
// the request's target goes out as it stands.
func newTarget(base string, roots *x509.CertPool) (*target, error) {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" || u.User != nil || (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("target %q is no base URL: write scheme://host:port without a path", base)
	}
	t := &target{base: base}
	port := u.Port()
	switch u.Scheme {
	case "http":
		if port == "" {
			port = "80"
		}
	case "https":
		if port == "" {
			port = "443"
		}
		t.tls = &tls.Config{
			ServerName: u.Hostname(),
			RootCAs:    roots,
			MinVersion: tls.VersionTLS12,
			NextProtos: []string{"http/1.1"},
			// Only the latest session of one name is worth keeping.
			ClientSessionCache: tls.NewLRUClientSessionCache(4),
		}
	default:
		return nil, fmt.Errorf("target %q has no scheme that is spoken here: write http:// or https://", base)
	}
	t.addr = net.JoinHostPort(u.Hostname(), port)
	return t, nil
}
