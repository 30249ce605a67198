package config

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tailrace/proxy"
)

// poolDefaults are the documented ones of connect.
func poolDefaults(name string, targets ...string) proxy.Pool {
	return proxy.Pool{
		Name:                  name,
		Targets:               targets,
		ConnectTimeout:        10 * time.Second,
		KeepAlive:             30 * time.Second,
		MaxConnections:        64,
		MaxIdle:               90 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,
	}
}

// pool reads one item of upstream_pools.
func (r *reader) pool(c *Config, at string, n node) {
	p := poolDefaults("")
	nameAt, caAt := n, n
	if !r.mapping(n, at, keys{
		"name": func(at string, n node) {
			nameAt = n
			r.text(&p.Name, notEmpty)(at, n)
		},
		"targets": r.texts(&p.Targets, checkTarget),
		"connect": func(at string, n node) {
			r.mapping(n, at, keys{
				"timeout":                 r.duration(&p.ConnectTimeout, aboveZero),
				"keep_alive":              r.duration(&p.KeepAlive, aboveZero),
				"max_connections":         r.count(&p.MaxConnections, 0, maxCount),
				"max_idle_conn_duration":  r.duration(&p.MaxIdle, aboveZero),
				"response_header_timeout": r.duration(&p.ResponseHeaderTimeout, aboveZero),
				"tls": func(at string, n node) {
					r.mapping(n, at, keys{"ca_file": func(at string, n node) {
						caAt = n
						r.text(&p.CAFile, r.checkCA)(at, n)
					}})
				},
			})
		},
	}) {
		return
	}
	if p.Name == "" {
		r.problem(n, at+": this pool has no name; add name: and let routes refer to it")
	}
	for _, other := range c.Pools {
		if other.Name == p.Name && p.Name != "" {
			r.problem(nameAt, fmt.Sprintf("%s.name: another pool is called %q too; rename one", at, p.Name))
		}
	}
	if len(p.Targets) == 0 {
		r.problem(n, at+": this pool has no targets; add targets: [\"https://host\"]")
	}
	secure := false
	for i, t := range p.Targets {
		if target, _, err := base(t); err == nil {
			p.Targets[i] = target
			secure = secure || strings.HasPrefix(target, "https:")
		}
	}
	if p.CAFile != "" {
		p.CAFile = r.relative(p.CAFile)
		if !secure {
			r.problem(caAt, at+".connect.tls.ca_file: no target of this pool is https://, so it would verify nothing; write https:// or take it out")
		}
	}
	c.Pools = append(c.Pools, p)
}

func checkTarget(s string) error {
	_, path, err := base(s)
	if err == nil && path != "" {
		return fmt.Errorf("%q has a path, and pools name hosts only; write %q", s, strings.TrimSuffix(strings.TrimRight(s, "/"), path))
	}
	return err
}

// relative gives a path of the file its meaning: it begins where the file lies,
// wherever the program was started.
func (r *reader) relative(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(r.file), name)
}

func (r *reader) checkCA(name string) error {
	if name == "" {
		return nil
	}
	pem, err := os.ReadFile(r.relative(name))
	if err != nil {
		return fmt.Errorf("the CA file cannot be read (%w); name a readable PEM file", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s holds no certificate in PEM form; name a file that begins with BEGIN CERTIFICATE", r.relative(name))
	}
	return nil
}

func notEmpty(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("an empty name cannot be referred to; write one")
	}
	return nil
}
