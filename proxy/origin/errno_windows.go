package origin

import "golang.org/x/sys/windows"

// How this system says that a connection could not be made.
const (
	errRefused         = windows.WSAECONNREFUSED
	errTimedOut        = windows.WSAETIMEDOUT
	errNetUnreachable  = windows.WSAENETUNREACH
	errHostUnreachable = windows.WSAEHOSTUNREACH
)
