package registrytest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/internal/postgres"
)

// ServerVariable has the tests of stores keep their registries in PostgreSQL: the URL of
// a server on which a database is made for each registry, or "postgres" for a server of
// the test process's own.
const ServerVariable = "AGIT_TEST_DB"

// OnServer reports whether registries of this package are in PostgreSQL.
func OnServer() bool { return os.Getenv(ServerVariable) != "" }

// OnlySQLite skips a test that is about the file, where registries are on a server; why
// completes "on a server …".
func OnlySQLite(t testing.TB, why string) {
	t.Helper()
	if OnServer() {
		t.Skip("on a server " + why)
	}
}

// place returns where the registry of a path is: the file itself, or a database that is
// named after it.
func place(t testing.TB, o registry.Options) registry.Options {
	t.Helper()
	if OnServer() {
		o.Server = ServerURL(t, o.Path)
	}
	return o
}

// ServerURL is the registry on the test server that stands for a path, until the end of
// the test.
func ServerURL(t testing.TB, path string) string {
	t.Helper()
	place, err := ServerPlace(path)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { DropPlace(path) })
	return place
}

// ServerPlace is the URL of the registry on the test server that stands for a path, whose
// database is made by the first call. Its error explains why there is
// no server.
func ServerPlace(path string) (string, error) {
	server, err := testServer()
	if err != nil {
		return "", fmt.Errorf("%s is set, and no PostgreSQL server answers: %w", ServerVariable, err)
	}
	name := databaseOf(path)
	if err := server.database(context.Background(), name); err != nil {
		return "", fmt.Errorf("make the database %s: %w", name, err)
	}
	return server.named(name), nil
}

// DropPlace removes the database that ServerPlace made for a path, if there is one.
func DropPlace(path string) {
	if server, err := testServer(); err == nil {
		server.drop(context.Background(), databaseOf(path))
	}
}

func databaseOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	return "agit_test_" + hex.EncodeToString(sum[:12])
}

// serverOfTests is where databases of tests are made.
type serverOfTests struct {
	url  *url.URL
	mu   sync.Mutex
	made map[string]bool // the databases, and whether this process made them
}

// template names a database with a registry's tables, from which those of tests are copied:
// that takes a fraction of making them. Other tables have another name.
var template = sync.OnceValue(func() string {
	text, err := registry.ServerSchema(0)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256([]byte(text))
	return "agit_template_" + hex.EncodeToString(sum[:6])
})

var testServer = sync.OnceValues(func() (*serverOfTests, error) {
	place := os.Getenv(ServerVariable)
	if !strings.Contains(place, "://") {
		var err error
		if place, err = ownServer(); err != nil {
			return nil, err
		}
		os.Setenv(ServerVariable, place) // for the processes that this one starts
	}
	u, err := url.Parse(place)
	if err != nil {
		return nil, err
	}
	s := &serverOfTests{url: u, made: map[string]bool{}}
	return s, s.makeTemplate(context.Background())
})

// makeTemplate makes the template in the process that comes first.
func (s *serverOfTests) makeTemplate(ctx context.Context) error {
	conn, err := s.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	const lock = 4821 // of those who make the template, any number
	if _, err := conn.Batch(ctx, fmt.Sprintf(`SELECT pg_advisory_lock(%d)`, lock)); err != nil {
		return err
	}
	name := template()
	there, err := conn.Batch(ctx, `SELECT 1 FROM pg_database WHERE datname = '`+name+`'`)
	if err != nil || len(there[0]) > 0 {
		return err
	}
	if _, err := conn.Batch(ctx, `DROP DATABASE IF EXISTS `+name+`_new`); err != nil {
		return err
	}
	if _, err := conn.Batch(ctx, `CREATE DATABASE `+name+`_new`); err != nil {
		return err
	}
	db, err := registry.Open(ctx, registry.Options{Path: "template.db", Server: s.named(name + "_new")})
	if err != nil {
		return err
	}
	err = db.Read(ctx, func(*registry.Tx) error { return nil })
	if err = cmp.Or(err, db.Close()); err == nil {
		_, err = conn.Batch(ctx, `ALTER DATABASE `+name+`_new RENAME TO `+name)
	}
	return err
}

// database makes a database of a name once.
func (s *serverOfTests) database(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.made[name]; known {
		return nil
	}
	conn, err := s.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	there, err := conn.Batch(ctx, `SELECT 1 FROM pg_database WHERE datname = '`+name+`'`)
	if err != nil {
		return err
	}
	here := len(there[0]) == 0 // or it is of the process that started this one
	if here {
		_, err = conn.Batch(ctx, `CREATE DATABASE `+name+` TEMPLATE `+template())
	}
	if err == nil {
		s.made[name] = here
	}
	return err
}

// drop removes a database; connections that still use it are cut off.
func (s *serverOfTests) drop(ctx context.Context, name string) {
	s.mu.Lock()
	made := s.made[name]
	delete(s.made, name)
	s.mu.Unlock()
	if made {
		_ = s.run(ctx, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) // or else it ends with the server
	}
}

func (s *serverOfTests) run(ctx context.Context, statement string) error {
	conn, err := s.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Batch(ctx, statement)
	return err
}

func (s *serverOfTests) dial(ctx context.Context) (*postgres.Conn, error) {
	server, err := postgres.Parse(s.url.String())
	if err != nil {
		return nil, err
	}
	return server.Dial(ctx)
}

// named is the URL of another database of the server.
func (s *serverOfTests) named(database string) string {
	u := *s.url
	u.Path = "/" + database
	return u.String()
}
