//go:build !unix

package origin

import "net"

func newLook(c net.Conn) look { return &watch{conn: c} }
