package origin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
)

// Phase says where in a fetch something failed.
type Phase string

// The phases, in their order.
const (
	PhaseConnect Phase = "connect" // name and dial, and the wait for a connection
	PhaseTLS     Phase = "tls"     // the handshake
	PhaseWrite   Phase = "write"
	PhaseHead    Phase = "head" // waiting for, or reading, the response head
	PhaseBody    Phase = "body"
)

// What an [Error] holds in Err, besides errors of the system and of TLS.
var (
	// ErrConnections: no connection became free in time; nothing was sent.
	ErrConnections = errors.New("no connection to the origin became free in time")
	// ErrHeaderTimeout: no head within Limits.Header.
	ErrHeaderTimeout = errors.New("no response head in time")
	// ErrFetchTimeout: not whole within Limits.Total.
	ErrFetchTimeout = errors.New("the fetch took too long")
	// ErrIdle: no byte of the body for Limits.Idle.
	ErrIdle = errors.New("no byte of the response body for too long")
	// ErrBadHead: what came is no head of an HTTP/1 response.
	ErrBadHead = errors.New("the response head is not HTTP")
	// ErrTruncated: the connection ended, or its framing broke, before the answer was whole.
	// Without a byte of it (Got is false) the origin may have done all or nothing.
	ErrTruncated = errors.New("the response broke off")

	errPoolClosed = errors.New("the pool is closed")
	errBodyClosed = errors.New("origin: read of a response body after its Close")
)

// badHead is ErrBadHead with a reason in our words.
func badHead(reason string) error { return &headError{reason} }

type headError struct{ reason string }

func (e *headError) Error() string {
	if e.reason == "" {
		return ErrBadHead.Error()
	}
	return ErrBadHead.Error() + ": " + e.reason
}

func (e *headError) Is(target error) bool { return target == ErrBadHead }

// Error is a fetch that failed: in which phase, and whether it may have cost
// something. Its text never has a byte from the origin.
type Error struct {
	Phase Phase
	Wrote bool   // a byte of the request may have left this machine
	Got   bool   // a byte of the response arrived
	Addr  string // host:port of the target
	Err   error
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Error returns one sentence for a person: who, what, and what can be done.
func (e *Error) Error() string { return e.Addr + " " + e.what() }

func (e *Error) what() string {
	var bad *headError
	switch {
	case errors.Is(e.Err, errPoolClosed):
		return "is not connected to any more: tailrace is ending"
	case errors.Is(e.Err, ErrConnections):
		return "has all its connections in use: raise connect.max_connections"
	case errors.Is(e.Err, ErrHeaderTimeout):
		return "sent no response head in time"
	case errors.Is(e.Err, ErrFetchTimeout):
		return "took longer than fetch_timeout for its answer"
	case errors.Is(e.Err, ErrIdle):
		return "went silent in the middle of its answer"
	case errors.As(e.Err, &bad) && bad.reason == "":
		return "speaks no HTTP/1.1"
	case errors.As(e.Err, &bad):
		return "sent an answer that is not valid HTTP/1.1: " + bad.reason
	case errors.Is(e.Err, ErrTruncated) && e.Phase == PhaseWrite:
		return "closed the connection while the request was written"
	case errors.Is(e.Err, ErrTruncated) && !e.Got:
		return "closed the connection without an answer"
	case errors.Is(e.Err, ErrTruncated) && e.Phase == PhaseHead:
		return "closed the connection in the middle of its response head"
	case errors.Is(e.Err, ErrTruncated):
		return "broke off in the middle of its answer"
	}
	switch e.Phase {
	case PhaseConnect:
		return connectWords(e.Err)
	case PhaseTLS:
		return tlsWords(e.Err)
	}
	return e.Err.Error() // our own: a request that cannot be written
}

func connectWords(err error) string {
	var forbidden *forbiddenError
	var dns *net.DNSError
	switch {
	case errors.As(err, &forbidden):
		return forbidden.why
	case errors.As(err, &dns) && dns.IsNotFound:
		return "does not resolve: check the host name"
	case errors.As(err, &dns):
		return "could not be resolved: the name server did not answer"
	case errors.Is(err, errRefused):
		return "refused the connection: is it running there?"
	case errors.Is(err, errNetUnreachable), errors.Is(err, errHostUnreachable):
		return "cannot be reached: check the network"
	case timedOut(err):
		return "did not accept a connection within connect.timeout"
	}
	return "cannot be connected to"
}

func tlsWords(err error) string {
	var (
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &authority):
		return "has a certificate that is not trusted: set tls.ca_file to the CA that signed it"
	case errors.As(err, &hostname):
		return "has a certificate for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "has a certificate that is expired or not yet valid"
	case errors.As(err, &invalid):
		return "has a certificate that is not valid"
	case errors.As(err, &record):
		return "speaks no TLS: use http:// in targets"
	case errors.As(err, &alert):
		return fmt.Sprintf("refused the TLS handshake (alert %d)", uint8(alert))
	case timedOut(err):
		return "did not finish the TLS handshake within connect.timeout"
	}
	return "closed the connection during the TLS handshake"
}

func timedOut(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errTimedOut)
}
