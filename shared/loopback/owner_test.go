package loopback

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func TestTokenDecidesWhereTheSystemDoesNotSay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "home", "serve-token")
	token, err := readToken(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("token file: %v %v", info.Mode(), err)
	}
	if again, err := readToken(file); err != nil || again != token {
		t.Errorf("the token changed: %q, %v", again, err)
	}
	handler := Owner{token: token}.Only(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for header, want := range map[string]int{
		"": 401, "Bearer ": 401, "Bearer x": 401, token: 401, "Bearer " + token + "x": 401, "Bearer " + token: 204,
	} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		if header != "" {
			r.Header.Set("Authorization", header)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q: status %d, want %d", header, w.Code, want)
		}
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readToken(file); err == nil {
		t.Error("a token that others can read is used")
	}
	if _, err := readToken(""); err == nil {
		t.Error("a server without users and token would answer anybody")
	}
}

// Servers that start at once on a new machine all take the token that the file keeps.
func TestOneTokenOfManyServers(t *testing.T) {
	for range 20 {
		file := filepath.Join(t.TempDir(), "home", "serve-token")
		tokens := make([]string, 8)
		var all sync.WaitGroup
		for i := range tokens {
			all.Go(func() {
				var err error
				if tokens[i], err = readToken(file); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if kept := slices.Compact(tokens); len(kept) != 1 {
			t.Fatalf("the servers have %d tokens", len(kept))
		}
	}
}

func TestPeerOfAConnection(t *testing.T) {
	mine := peerCheck()
	if mine == nil {
		t.Skip("this system does not say whose a connection is")
	}
	for _, network := range []string{"tcp4", "tcp6"} {
		t.Run(network, func(t *testing.T) {
			address := "127.0.0.1:0"
			if network == "tcp6" {
				address = "[::1]:0"
			}
			ln, err := net.Listen(network, address)
			if err != nil {
				t.Skip(err)
			}
			defer ln.Close()
			client, err := net.Dial(network, ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			server, err := ln.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			if !mine(server.RemoteAddr(), server.LocalAddr()) {
				t.Error("an own connection is not recognised")
			}
			if mine(server.LocalAddr(), &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}) {
				t.Error("a connection that is not there is recognised")
			}
			client.Close()
			if mine(server.RemoteAddr(), server.LocalAddr()) {
				t.Error("a closed connection is somebody's")
			}
		})
	}
}
