//go:build unix

package registrytest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy stands between programs and a cluster, and counts round trips.
type Proxy struct {
	dir string
	// Delay is how long each answer is held back, to feel a server that is far away.
	Delay time.Duration

	mu    sync.Mutex
	trips []Trip
	lose  atomic.Bool
}

// Lose has the next answer of the server lost, with the connection that waits for it.
func (p *Proxy) Lose() { p.lose.Store(true) }

// Trip is a round trip to a server: the messages of a client until the server was ready for the next.
type Trip struct {
	Connection int // numbered from 1
	Statements []string
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
		for n := 1; ; n++ {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", filepath.Join(c.dir, socketName))
			if err != nil {
				client.Close()
				continue
			}
			said := &spoken{}
			go func() {
				_, _ = io.Copy(server, io.TeeReader(client, said))
				server.Close()
			}()
			go func() {
				p.relay(client, server, func() (Trip, bool) {
					statements, last := said.take()
					return Trip{n, statements}, last
				})
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

// Take returns the round trips since the last call: each time that a server was ready for the next message and the client had sent none
// before. The first is that of the connection, which has no statement.
func (p *Proxy) Take() []Trip {
	p.mu.Lock()
	defer p.mu.Unlock()
	trips := p.trips
	p.trips = nil
	return trips
}

// relay hands on what a server sends: messages of a type, a length and content.
// https://www.postgresql.org/docs/current/protocol-message-formats.html
func (p *Proxy) relay(client io.Writer, server io.Reader, trip func() (Trip, bool)) {
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
			if one, last := trip(); last {
				p.mu.Lock()
				p.trips = append(p.trips, one)
				p.mu.Unlock()
				<-time.After(p.Delay)
				if p.lose.Swap(false) {
					return
				}
			}
		}
		if p.lose.Load() {
			continue
		}
		if _, err := client.Write(append(head, body...)); err != nil {
			return
		}
	}
}

// spoken collects the statements of the messages that a client writes.
type spoken struct {
	mu         sync.Mutex
	rest       []byte
	greeted    bool
	statements []string
	waits      int // number of answers to come at whose end the server is ready again
}

// take is called when the server is ready: last means that it has answered all that was sent, with the statements of that.
func (s *spoken) take() (list []string, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits--; s.waits > 0 {
		return nil, false
	}
	list, s.statements, s.waits = s.statements, nil, 0
	return list, true
}

// Write implements io.Writer. The first message of a client has no type.
func (s *spoken) Write(part []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, part...)
	for {
		head := 1
		if !s.greeted {
			head = 0
		}
		if len(s.rest) < head+4 {
			return len(part), nil
		}
		end := head + int(binary.BigEndian.Uint32(s.rest[head:]))
		if len(s.rest) < end {
			return len(part), nil
		}
		if s.greeted {
			s.hear(s.rest[0], s.rest[5:end])
		}
		s.greeted, s.rest = true, s.rest[end:]
	}
}

// hear keeps the text of a message that has one.
func (s *spoken) hear(kind byte, body []byte) {
	const query, parse, sync = 'Q', 'P', 'S'
	if kind == query || kind == sync {
		s.waits++
	}
	if kind == parse { // the statement's name stands first
		body = body[bytes.IndexByte(body, 0)+1:]
	}
	if kind == query || kind == parse {
		text, _, _ := strings.Cut(string(body), "\x00")
		s.statements = append(s.statements, strings.Join(strings.Fields(text), " "))
	}
}
