package loopback

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// Owner is the user who started the server. The user is recognised by the owner of the socket at the other end where the system lists it,
// else by a token that only this user can read.
type Owner struct {
	token string // "" where the system tells users
	mine  func(client, server net.Addr) bool
}

// OwnerFor finds out how users are told apart on this system. tokenFile holds the token for systems that do not list the owners of sockets;
// it is made when it is missing.
func OwnerFor(tokenFile string) (Owner, error) {
	if mine := peerCheck(); mine != nil {
		return Owner{mine: mine}, nil
	}
	token, err := readToken(tokenFile)
	return Owner{token: token}, err
}

// Peers returns the owner as recognised by sockets. It recognises no one on a system that does not list the owners of sockets.
func Peers() Owner { return Owner{mine: peerCheck()} }

// ByToken reports whether clients have to send the token, because the system cannot tell users apart.
func (o Owner) ByToken() bool { return o.mine == nil }

// readToken returns the token in a file, and makes both when the file is missing. A token that others can read is refused.
func readToken(path string) (string, error) {
	if path == "" {
		return "", fault.Operation(nil, "this system does not say which user a connection comes from").WithHint("serve over stdio")
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeToken(path); err != nil && !errors.Is(err, fs.ErrExist) { // another server may have made it meanwhile
			return "", fault.Operation(err, "make a token in %q", path)
		}
		info, err = os.Stat(path)
	}
	if err == nil && !ownersAlone(info) {
		return "", fault.Operation(nil, "the token in %q can be read by others", path).WithHint("move it away; a new one is made")
	}
	data, err := os.ReadFile(path)
	token := strings.TrimSpace(string(data))
	if err == nil && token == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return "", fault.Operation(err, "read the token in %q", path)
	}
	return token, nil
}

// ownersAlone reports whether only the owner can read a file. It is true on Windows, where the mode does not show it and the user's folder
// keeps others out.
func ownersAlone(info fs.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
}

// makeToken puts a new token in a file that does not exist yet; fs.ErrExist when it
// does.
func makeToken(path string) error {
	if err := durable.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := durable.Create(path, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(rand.Text() + "\n"); err != nil {
		return err
	}
	return f.CommitNew()
}

type peerKey struct{}

// peer is a connection with whether its other end is the user's, found out when it is first needed.
type peer struct {
	conn net.Conn
	once sync.Once
	mine bool
}

// ConnContext stores the connection of a request in its context; it is for http.Server.
func (o Owner) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	if o.mine == nil {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, &peer{conn: conn})
}

// Mine reports whether a request comes from a process of the owner. It is false where the system does not list the owners of sockets.
func (o Owner) Mine(r *http.Request) bool {
	p, ok := r.Context().Value(peerKey{}).(*peer)
	if !ok || o.mine == nil {
		return false
	}
	p.once.Do(func() { p.mine = o.mine(p.conn.RemoteAddr(), p.conn.LocalAddr()) })
	return p.mine
}

// Only lets the owner's requests through.
func (o Owner) Only(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case o.mine != nil && !o.Mine(r):
			http.Error(w, "this server answers only the user who started it", http.StatusForbidden)
		case o.mine == nil && (!bearer || subtle.ConstantTimeCompare([]byte(given), []byte(o.token)) != 1):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the token of this server as Authorization: Bearer", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
