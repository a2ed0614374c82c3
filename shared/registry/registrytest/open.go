// Package registrytest opens real registries for tests. It is for tests only.
package registrytest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
)

// Open returns a fresh registry in the test's own folder, closed at its end.
func Open(t testing.TB) *registry.DB {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "agit.db"))
}

// OpenAt opens the registry at path, making it when it is missing.
func OpenAt(t testing.TB, path string) *registry.DB {
	t.Helper()
	return open(t, registry.Options{Path: path})
}

// OpenFile opens the registry in a file, wherever those of other tests are: what is merged
// into another or restored is one.
func OpenFile(t testing.TB, path string) *registry.DB {
	t.Helper()
	return opened(t, registry.Options{Path: path, Readers: 4, Strict: scopeTriggers})
}

// OptionsOf is OptionsAt for a process that a test starts, whose registry the test made.
func OptionsOf(path string) (o registry.Options, err error) {
	o.Path = path
	if OnServer() {
		o.Server, err = ServerPlace(path)
	}
	return o, err
}

// OptionsAt is how OpenAt finds the registry at path, for tests that open it otherwise.
func OptionsAt(t testing.TB, path string) registry.Options {
	t.Helper()
	return place(t, registry.Options{Path: path})
}

func open(t testing.TB, o registry.Options) *registry.DB {
	t.Helper()
	o.Readers, o.Log, o.Strict = 4, trace(), scopeTriggers
	if !OnServer() {
		copyEmpty(t, o.Path)
	}
	return opened(t, place(t, o))
}

// opened opens a registry until the end of the test.
func opened(t testing.TB, o registry.Options) *registry.DB {
	t.Helper()
	db, err := registry.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open registry: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// empty holds a registry without rows, which is made once in a process: hundreds of CREATE statements take three times as long as
// all else that opening one does.
var empty = sync.OnceValues(func() (e struct {
	file []byte
	uid  []byte
}, err error) {
	dir, err := os.MkdirTemp("", "agit-empty-")
	if err != nil {
		return e, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "agit.db")
	db, err := registry.Open(context.Background(), registry.Options{Path: path, Strict: scopeTriggers})
	if err != nil {
		return e, err
	}
	err = db.Read(context.Background(), func(tx *registry.Tx) error {
		uid, err := registry.One[string](tx.QueryRow(`SELECT value FROM registry_meta WHERE key = 'registry_uid'`))
		e.uid = []byte(uid)
		return err
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return e, err
	}
	e.file, err = os.ReadFile(path)
	return e, err
})

// copyEmpty puts an empty registry with ids of its own at path, unless it or the file with its id exists.
func copyEmpty(t testing.TB, path string) {
	t.Helper()
	for _, name := range []string{path, path + "-id"} {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
	e, err := empty()
	if err != nil {
		t.Fatalf("make an empty registry: %v", err)
	}
	uid := []byte(registry.NewUID())
	if len(uid) != len(e.uid) || bytes.Count(e.file, e.uid) != 1 {
		t.Fatalf("the id %s is not once in an empty registry", e.uid)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	file := bytes.Replace(e.file, e.uid, uid, 1)
	binary.BigEndian.PutUint32(file[68:], rand.Uint32()>>1|1) // SQLite's application_id, which the log of a registry holds too
	for name, content := range map[string][]byte{path: file, path + "-id": append(uid, '\n')} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// OpenRepeating returns a fresh registry that runs the function of every write twice,
// as one may that has to give way to another program.
func OpenRepeating(t testing.TB) *registry.DB {
	t.Helper()
	return open(t, registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Repeat: true})
}

// OpenPlain returns a fresh registry as a server opens it, without the checks that
// make a test's writes slower: for benchmarks.
func OpenPlain(b *testing.B) *registry.DB {
	b.Helper()
	return opened(b, place(b, registry.Options{Path: filepath.Join(b.TempDir(), "agit.db"), Readers: 2}))
}
