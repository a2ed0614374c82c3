//go:build !linux

package loopback

import (
	"net"
)

// peerCheck returns nil: this system has no list of sockets with their owners.
func peerCheck() func(client, server net.Addr) bool { return nil }
