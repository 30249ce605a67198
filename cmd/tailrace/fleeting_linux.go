package main

import "golang.org/x/sys/unix"

// fileSystemThatEnds asks by the magic numbers of statfs(2). An overlay is
// nearly always a container's own layer, which goes with the container.
func fileSystemThatEnds(dir string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return ""
	}
	switch uint32(s.Type) { // as 32 bits: some architectures have it signed
	case unix.TMPFS_MAGIC:
		return "tmpfs, which is memory"
	case unix.RAMFS_MAGIC:
		return "ramfs, which is memory"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlay, the layer of a container"
	}
	return ""
}
