package config

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// CheckListen refuses an address that others could reach. An address beyond
// this machine needs a token of its own, which comes with the security rules.
func CheckListen(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is no address to listen on; write host:port, as in %s", addr, DefaultHTTP)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n > 65535 {
		return fmt.Errorf("%q has no port from 0 to 65535; write host:port, as in %s", addr, DefaultHTTP)
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return fmt.Errorf("%q is not a loopback address, and others could use your keys through it; listen on 127.0.0.1, [::1] or localhost", addr)
	}
	return nil
}

// CheckOrigin refuses what no browser sends as Origin.
func CheckOrigin(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || strings.ToLower(u.Scheme+"://"+u.Host) != s {
		return fmt.Errorf("%q is no origin; write scheme://host or scheme://host:port in small letters, as in http://localhost:3000", s)
	}
	return nil
}

// samePort reports whether two addresses cannot both be listened on.
func samePort(a, b string) bool {
	_, port, err := net.SplitHostPort(a)
	return err == nil && port != "0" && strings.EqualFold(a, b)
}

// base splits a base URL into "scheme://host:port" and a path without a slash
// at its end. The port is always named, since a pool dials what it is given.
func base(s string) (target, path string, err error) {
	form := errors.New(strconv.Quote(s) + " is no upstream; write host:port, http://host or https://host")
	if !strings.Contains(s, "://") {
		if !strings.Contains(s, ":") {
			return "", "", form
		}
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.Opaque != "" {
		return "", "", form
	}
	port := u.Port()
	switch {
	case u.User != nil:
		return "", "", errors.New("an upstream carries no credential in its URL; send it in a header, or name it with auth: env:NAME")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "", "", errors.New(strconv.Quote(s) + " has a query or fragment; end the URL with its path")
	case u.Scheme == "http" && port == "":
		port = "80"
	case u.Scheme == "https" && port == "":
		port = "443"
	case u.Scheme != "http" && u.Scheme != "https":
		return "", "", form
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", "", errors.New(strconv.Quote(s) + " has no port from 1 to 65535; name one")
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port), strings.TrimRight(u.EscapedPath(), "/"), nil
}

// anyHost takes what CheckHost takes, and "" for every host.
func anyHost(s string) error {
	if s == "" {
		return nil
	}
	return CheckHost(s)
}

// CheckHost refuses what cannot stand in a Host header.
func CheckHost(s string) error {
	if s == "" || strings.ContainsAny(s, "/@?# \t") || strings.Contains(s, "://") {
		return fmt.Errorf("%q is no host name; write it as it stands in the Host header, without scheme or path", s)
	}
	return nil
}

func checkPath(s string) error {
	if s != "" && (s[0] != '/' || strings.ContainsAny(s, "?# ")) {
		return fmt.Errorf("%q is no path; begin it with / and leave queries out", s)
	}
	return nil
}

func checkMethod(s string) error {
	switch {
	case s == http.MethodConnect, s == http.MethodTrace:
		return fmt.Errorf("%s is never let in; name methods that requests can have", s)
	case !isToken(s) || s != strings.ToUpper(s):
		return fmt.Errorf("%q is no method; write it in capitals, as in POST", s)
	}
	return nil
}

// fixed are the fields that a connection or the proxy decides about.
var fixed = []string{
	"connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "trailer",
	"transfer-encoding", "upgrade",
}

func checkFieldName(s string) error {
	if !isToken(s) {
		return fmt.Errorf("%q is no name of a header field; write letters, digits and dashes", s)
	}
	if slices.Contains(fixed, strings.ToLower(s)) {
		return fmt.Errorf("%s belongs to the connection and is set by the proxy; leave it out", s)
	}
	return nil
}

func checkFieldValue(s string) error {
	if strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return errors.New("a header value has no control characters; write it in one line")
	}
	return nil
}

// isToken follows RFC 9110, section 5.6.2.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
	})
}

func oneOf(s string, words []string) error {
	if slices.Contains(words, s) {
		return nil
	}
	return fmt.Errorf("%q is not known; write one of %s", s, strings.Join(words, ", "))
}
