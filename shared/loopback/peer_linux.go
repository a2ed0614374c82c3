package loopback

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// The kernel's lists of TCP sockets, by the family of the socket that connected.
const tcp4, tcp6 = "/proc/net/tcp", "/proc/net/tcp6"

// peerCheck returns a function that reports whether the socket at the other end of a connection within this machine belongs to the user of
// this process; nil where the system does not list sockets.
func peerCheck() func(client, server net.Addr) bool {
	f, err := os.Open(tcp4)
	if err != nil {
		return nil
	}
	f.Close()
	return func(client, server net.Addr) bool {
		from, okFrom := addrPort(client)
		to, okTo := addrPort(server)
		return okFrom && okTo && (ownSocket(tcp4, from, to, address4) || ownSocket(tcp6, from, to, address6))
	}
}

func addrPort(a net.Addr) (netip.AddrPort, bool) {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}, false
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port()), true
}

// ownSocket looks for the socket that connected from one address to another. A socket that its process has closed has inode 0 and is listed
// as root's; it belongs to no one.
func ownSocket(list string, from, to netip.AddrPort, written func(netip.AddrPort) string) bool {
	f, err := os.Open(list)
	if err != nil {
		return false
	}
	defer f.Close()
	want := " " + written(from) + " " + written(to) + " "
	me := strconv.Itoa(os.Geteuid())
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), want) {
			continue
		}
		// sl local remote state queues timer retransmits uid timeout inode
		const uid, inode = 7, 9
		fields := strings.Fields(lines.Text())
		return len(fields) > inode && fields[uid] == me && fields[inode] != "0"
	}
	return false
}

// address4 writes an address as the kernel does: the words of the address in the
// machine's own order, in hexadecimal.
func address4(a netip.AddrPort) string {
	if !a.Addr().Is4() {
		return "-"
	}
	bytes := a.Addr().As4()
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(bytes[:]), a.Port())
}

func address6(a netip.AddrPort) string {
	bytes := a.Addr().As16()
	var b strings.Builder
	for word := 0; word < len(bytes); word += 4 {
		fmt.Fprintf(&b, "%08X", binary.NativeEndian.Uint32(bytes[word:]))
	}
	return fmt.Sprintf("%s:%04X", b.String(), a.Port())
}
