//go:build unix

package registry_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A server that crashes repeatedly under writers loses no acknowledged write and stores nothing twice. The writers wait and continue.
func TestServerCrashesUnderWriters(t *testing.T) {
	t.Parallel()
	c := registrytest.NewCluster(t)
	newProject(t, onServer(t, c, "postgres"), "first")
	const writers, each = 3, 25
	var running sync.WaitGroup
	written := make(chan string, writers*each)
	for w := range writers {
		db := onServer(t, c, "postgres")
		if got := names(t, db); len(got) == 0 { // it has reached the server
			t.Fatal("the server is empty")
		}
		running.Go(func() {
			for i := range each {
				name := fmt.Sprintf("w%d-%d", w, i)
				err := db.Write(t.Context(), registry.Named, func(tx *registry.Tx) error {
					_, err := tx.Insert(`INSERT INTO projects (uid, name, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id`, registry.NewUID(), name, tx.Stamp(), tx.Stamp())
					return err
				})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				written <- name
			}
		})
	}
	acknowledged := map[string]bool{}
	for crash := range 2 { // in the middle of the work
		for len(acknowledged) < (crash+1)*writers*each/4 {
			acknowledged[<-written] = true
		}
		if err := c.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	running.Wait()
	close(written)
	for name := range written {
		acknowledged[name] = true
	}
	times := map[string]int{}
	for _, name := range names(t, onServer(t, c, "postgres")) {
		times[name]++
	}
	for name := range acknowledged {
		if times[name] != 1 {
			t.Errorf("%s was acknowledged, and is there %d times", name, times[name])
		}
	}
	if len(times) != writers*each+1 {
		t.Errorf("%d rows are there, not %d", len(times), writers*each+1)
	}
}

// Processes wait for a server that accepts no more connections.
func TestServerIsOutOfConnections(t *testing.T) {
	t.Parallel()
	c := registrytest.NewCluster(t)
	admin := onServer(t, c, "postgres")
	newProject(t, admin, "one")
	if _, err := registry.Aside(admin, `CREATE ROLE team LOGIN CONNECTION LIMIT 1`); err != nil {
		t.Fatal(err)
	}
	settings, err := admin.Grant(t.Context(), "team", true)
	if err != nil {
		t.Fatal(err)
	}
	of := strings.Replace(c.URL("postgres"), "test@", "team@", 1) + "&" + settings
	var dbs [2]*registry.DB
	for i := range dbs {
		if dbs[i], err = registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: of}); err != nil {
			t.Fatal(err)
		}
		defer dbs[i].Close()
	}
	newProject(t, dbs[0], "two") // this keeps its connection open
	done := make(chan error, 1)
	go func() {
		done <- dbs[1].Read(t.Context(), func(*registry.Tx) error { return nil })
	}()
	for !strings.Contains(c.Logged(), "too many connections for role") {
		select {
		case err := <-done:
			t.Fatalf("it was not refused: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	dbs[0].Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A grant is what the role may do from now on; one that the server did not carry out is an error.
func TestGrant(t *testing.T) {
	t.Parallel()
	c := registrytest.NewCluster(t)
	admin := onServer(t, c, "postgres")
	newProject(t, admin, "one")
	if _, err := registry.Aside(admin, `CREATE ROLE team LOGIN; CREATE ROLE looker LOGIN; CREATE ROLE eve LOGIN`); err != nil {
		t.Fatal(err)
	}
	as := func(role string) *registry.DB {
		t.Helper()
		db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: strings.Replace(c.URL("postgres"), "test@", role+"@", 1)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	grant := func(by *registry.DB, role string, write bool) error {
		_, err := by.Grant(t.Context(), role, write)
		return err
	}
	if err := errors.Join(grant(admin, "team", true), grant(admin, "looker", false)); err != nil {
		t.Fatal(err)
	}
	newProject(t, as("team"), "two")
	if err := grant(admin, "team", false); err != nil {
		t.Fatal(err)
	}
	team := as("team")
	if got := names(t, team); len(got) != 2 {
		t.Errorf("a role that may read sees %v", got)
	}
	if err := team.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE projects SET name = 'x'`)
		return err
	}); err == nil {
		t.Error("a role that may read from now on still writes")
	}
	if err := grant(as("looker"), "eve", false); !fault.Is(err, fault.KindOperation) || !strings.Contains(err.Error(), `"eve" got no rights`) {
		t.Errorf("granted by a role without the right: %v", err)
	}
	if err := grant(admin, "test", false); !fault.Is(err, fault.KindOperation) || !strings.Contains(err.Error(), "can still write") {
		t.Errorf("the owner looks only: %v", err)
	}
	if err := grant(admin, "nobody", false); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("no such role: %v", err)
	}
}

// The certificate of a remote server is verified unless the URL asks for less: its authority, and the server's name in it.
func TestServerIsVerified(t *testing.T) {
	t.Parallel()
	address := ownAddress(t)
	good, key := certificate(t, address)
	wrong, wrongKey := certificate(t, net.IPv4(192, 0, 2, 1))
	c := registrytest.NewCluster(t)
	port := freePort(t, address)
	root := filepath.Join(t.TempDir(), "root.pem")
	for _, x := range []struct {
		what             string
		certificate, key []byte
		trusted          []byte
		query            string
		fails            bool
	}{
		{"one that is known", good, key, good, "", false},
		{"one of an authority that is not known", good, key, wrong, "", true},
		{"one of another name", wrong, wrongKey, wrong, "", true},
		{"one of another name, where the URL does not ask for it", wrong, wrongKey, wrong, "&sslmode=require", false},
	} {
		if err := c.Listen(address.String(), port, x.certificate, x.key); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(root, x.trusted, 0o600); err != nil {
			t.Fatal(err)
		}
		verified := x.query == ""
		if verified {
			x.query = "&sslrootcert=" + url.QueryEscape(root)
		}
		db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"),
			Server: fmt.Sprintf("postgres://test@%s/postgres?connect_timeout=10%s", net.JoinHostPort(address.String(), fmt.Sprint(port)), x.query)})
		if err != nil {
			t.Fatal(err)
		}
		status, err := db.Status(t.Context())
		switch {
		case x.fails && fault.From(err).Kind != fault.KindProvider:
			t.Errorf("%s is taken: %v", x.what, err)
		case !x.fails && (err != nil || !status.Server.Encrypted || status.Server.Verified != verified):
			t.Errorf("%s: %+v, %v", x.what, status.Server, err)
		}
		db.Close()
	}
}

// ownAddress returns an address of this machine that other machines can reach.
func ownAddress(t *testing.T) net.IP {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if ip, of := a.(*net.IPNet); of && ip.IP.To4() != nil && !ip.IP.IsLoopback() && !ip.IP.IsLinkLocalUnicast() {
			return ip.IP
		}
	}
	t.Skip("this machine has no address but its own, whose server need not be verified")
	return nil
}

func freePort(t *testing.T, address net.IP) int {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(address.String(), "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// certificate makes a self-signed certificate for an address, with its key.
func certificate(t *testing.T, address net.IP) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: address.String()}, IPAddresses: []net.IP{address},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	bytesOfKey, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	var out [2]bytes.Buffer
	for i, block := range []*pem.Block{{Type: "CERTIFICATE", Bytes: made}, {Type: "EC PRIVATE KEY", Bytes: bytesOfKey}} {
		if err := pem.Encode(&out[i], block); err != nil {
			t.Fatal(err)
		}
	}
	return out[0].Bytes(), out[1].Bytes()
}
