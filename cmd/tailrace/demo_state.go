package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"tailrace/proxy/fakellm"
	"tailrace/tui"
)

// findState names the demo's folder, sees that nobody uses it, and empties it
// when that was asked for.
func (d *demo) findState(fresh bool) error {
	if d.State == "" && !d.Ephemeral {
		home, _ := os.UserHomeDir()
		dir, err := defaultState(runtime.GOOS, os.Getenv, home)
		if err != nil {
			return fmt.Errorf("finding the state directory: %w", err)
		}
		d.State = filepath.Join(dir, "demo")
	}
	s, err := openState(d.State, d.Ephemeral)
	if err != nil {
		return err
	}
	d.State, s.temporary = s.dir, false // the child and the program need it after this
	if fresh {
		err = s.forget()
	}
	return errors.Join(err, s.close())
}

// forget removes the journal and nothing else that lies there. The lock beside
// it stays: removing that would race with the next process.
func (s *state) forget() error {
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, journalFile) && !strings.HasSuffix(name, ".lock") {
			err = errors.Join(err, os.Remove(s.path(name)))
		}
	}
	if err != nil {
		return fmt.Errorf("emptying the demo's journal: %w; remove the folder %s by hand", err, s.dir)
	}
	return nil
}

// provide starts the fake provider. It has the same address each time, where
// that is free: the journal finds yesterday's answers by it.
func (d *demo) provide() error {
	ln, err := net.Listen("tcp", defaultMock)
	if err != nil {
		ln, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return fmt.Errorf("starting the fake provider: %w; the demo needs a free port on 127.0.0.1", err)
	}
	d.origin, d.address = fakellm.New(fakellm.Config{}), ln.Addr().String()
	go func() {
		defer tui.Guard()
		_ = d.origin.Serve(ln) // until Close; if it fails, every request shows it
	}()
	return nil
}

// findPorts takes others where the usual ones are in use. One that was asked
// for is not changed in silence.
func (d *demo) findPorts() error {
	l := &d.Config.Listen
	for _, at := range []struct {
		flag string
		addr *string
	}{{"listen", &l.HTTP}, {"admin", &l.Admin}} {
		ln, err := net.Listen("tcp", *at.addr)
		switch {
		case err == nil:
			_ = ln.Close()
		case d.given(at.flag):
			return taken("--"+at.flag, *at.addr, err)
		default:
			*at.addr = "127.0.0.1:0"
		}
	}
	return nil
}

// tilde writes a path as people read it.
func tilde(path string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && err == nil {
		return filepath.Join("~", rest)
	}
	return path
}
