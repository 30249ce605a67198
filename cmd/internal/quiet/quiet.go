// Package quiet keeps a library from asking the terminal for its colours before
// main has begun. bubbletea does that in an init function, in every subcommand,
// and waits up to five seconds for terminals that do not answer. It does not
// when CI is set, so CI is set until [Restore].
//
// That only helps if it happens first. Go initializes packages in the order of
// their import paths, as soon as all that they import is initialized (release
// notes of Go 1.21). This package imports syscall alone, and its path comes
// before "time", which bubbletea needs: so it must import nothing else. A test
// of the program on a pseudo-terminal holds that.
package quiet

import "syscall"

var hidden = hide()

func hide() bool {
	if _, set := syscall.Getenv("CI"); set {
		return false
	}
	return syscall.Setenv("CI", "1") == nil
}

// Restore gives the environment back as it was. It is called once, at the
// beginning of main; until then every package sees CI.
func Restore() {
	if hidden {
		_ = syscall.Unsetenv("CI") // cannot fail for a name that could be set
	}
}
