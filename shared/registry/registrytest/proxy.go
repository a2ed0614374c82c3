//go:build unix

package registrytest

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy stands between programs and a cluster, and counts round trips.
type Proxy struct {
	dir   string
	trips atomic.Int64
	// Delay is how long each answer is held back, to feel a server that is far away.
	Delay time.Duration
}

// NewProxy starts a proxy that ends with the test.
func NewProxy(t testing.TB, c *Cluster) *Proxy {
	t.Helper()
	dir, err := os.MkdirTemp("", "agit-px") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{dir: dir}
	listener, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		listener.Close()
		os.RemoveAll(dir)
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", filepath.Join(c.dir, socketName))
			if err != nil {
				client.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(server, client)
				server.Close()
			}()
			go func() {
				p.relay(client, server)
				client.Close()
			}()
		}
	}()
	return p
}

// socketName is that of a server on the default port.
const socketName = ".s.PGSQL.5432"

// URL names a database of the cluster, through the proxy.
func (p *Proxy) URL(database string) string {
	return "postgres://test@/" + database + "?host=" + url.QueryEscape(p.dir)
}

// Take returns how many round trips there were since the last call: how often a server was
// ready for the next message, which begins with a connection.
func (p *Proxy) Take() int { return int(p.trips.Swap(0)) }

// relay hands on what a server sends: messages of a type, a length and content.
// https://www.postgresql.org/docs/current/protocol-message-formats.html
func (p *Proxy) relay(client io.Writer, server io.Reader) {
	const readyForQuery = 'Z'
	from := bufio.NewReader(server)
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(from, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		if head[0] == readyForQuery {
			p.trips.Add(1)
			<-time.After(p.Delay)
		}
		if _, err := client.Write(append(head, body...)); err != nil {
			return
		}
	}
}
