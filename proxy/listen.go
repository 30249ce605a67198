package proxy

import (
	"net"
)

// listener makes every accepted connection a conn.
type listener struct {
	net.Listener
	p *Proxy
}

func (p *Proxy) listen(ln net.Listener) net.Listener { return &listener{ln, p} }

func (l *listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: nc, p: l.p}
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	l.p.conns[c] = struct{}{}
	if most := l.p.cfg.MaxConnections; most > 0 && len(l.p.conns) > most {
		c.over = true
	}
	return c, nil
}

// closeConns closes every client connection; it is the last thing before the
// server's Shutdown can return.
func (p *Proxy) closeConns() {
	p.mu.Lock()
	all := make([]*conn, 0, len(p.conns))
	for c := range p.conns {
		all = append(all, c)
	}
	p.mu.Unlock()
	for _, c := range all {
		_ = c.Conn.Close()
	}
}
