// Package registrytest opens real registries for tests. It is for tests only.
package registrytest

import (
	"path/filepath"
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
	db, err := registry.Open(t.Context(), registry.Options{Path: path, Readers: 4, Strict: true})
	if err != nil {
		t.Fatalf("open registry: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	return db
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
	o.Readers, o.Log, o.Strict = 4, trace(), true
	db, err := registry.Open(t.Context(), place(t, o))
	if err != nil {
		t.Fatalf("open registry: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	return db
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
	db, err := registry.Open(b.Context(), place(b, registry.Options{Path: filepath.Join(b.TempDir(), "agit.db"), Readers: 2}))
	if err != nil {
		b.Fatalf("open registry: %v", err)
	}
	b.Cleanup(func() { db.Close() })
	return db
}
