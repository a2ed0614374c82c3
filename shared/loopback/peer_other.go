//go:build !linux

package loopback

import (
	"io/fs"
	"net"
	"runtime"
)

// peerCheck returns nil: this system has no list of sockets with their owners.
func peerCheck() func(client, server net.Addr) bool { return nil }

// ownersAlone reports whether only the owner can read a file. It is true on Windows, where the mode does not show it and the user's folder
// keeps others out.
func ownersAlone(info fs.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
}
