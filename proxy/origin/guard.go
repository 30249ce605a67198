package origin

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// guard knows the addresses that are never dialled: our own, and link-local
// ones, behind which clouds keep the credentials of the machine.
type guard struct {
	own []ownAddr
}

type ownAddr struct {
	ip   netip.Addr
	port uint16
}

// forbiddenError says why an address is not dialled.
type forbiddenError struct{ why string }

func (e *forbiddenError) Error() string { return e.why }

func newGuard(addrs []string) (*guard, error) {
	g := &guard{}
	for _, a := range addrs {
		host, port, err := net.SplitHostPort(a)
		if err != nil {
			return nil, fmt.Errorf("forbidden address %q: write host:port", a)
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("forbidden address %q: the port is no number", a)
		}
		var ip netip.Addr
		switch host {
		case "localhost":
			ip = netip.IPv6Loopback()
		case "":
			ip = netip.IPv6Unspecified()
		default:
			if ip, err = netip.ParseAddr(host); err != nil {
				return nil, fmt.Errorf("forbidden address %q: the host is no IP address", a)
			}
		}
		g.own = append(g.own, ownAddr{ip.Unmap().WithZone(""), uint16(n)})
	}
	return g, nil
}

// check refuses a resolved address (ip:port). What is no IP address (a pipe of a
// test) is let through.
func (g *guard) check(addr string) error {
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil
	}
	ip := ap.Addr().Unmap().WithZone("")
	if ip.IsLinkLocalUnicast() {
		return &forbiddenError{"is not connected to: " + ip.String() + " is a link-local address"}
	}
	for _, o := range g.own {
		if ap.Port() == o.port && o.meets(ip) {
			return &forbiddenError{"is not connected to: " + addr + " is tailrace itself"}
		}
	}
	return nil
}

// meets reports whether a connection to ip arrives at a listener on o.ip. The
// unspecified address connects to loopback, and one loopback address stands for
// all: hosts alias them to each other.
func (o ownAddr) meets(ip netip.Addr) bool {
	local := ip.IsLoopback() || ip.IsUnspecified()
	switch {
	case ip == o.ip:
		return true
	case o.ip.IsLoopback():
		return local
	case o.ip.IsUnspecified():
		return local || ofThisMachine(ip)
	}
	return false
}

func ofThisMachine(ip netip.Addr) bool {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap().WithZone("") == ip {
			return true
		}
	}
	return false
}
