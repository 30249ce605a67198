//go:build !windows

package origin

import "syscall"

// How this system says that a connection could not be made.
const (
	errRefused         = syscall.ECONNREFUSED
	errTimedOut        = syscall.ETIMEDOUT
	errNetUnreachable  = syscall.ENETUNREACH
	errHostUnreachable = syscall.EHOSTUNREACH
)
