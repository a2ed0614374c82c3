//go:build unix

package registry_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// describe changes the description of a project, which has to exist.
func describe(id int64, text string, refusal error) func(*registry.Tx) error {
	return func(tx *registry.Tx) error {
		return tx.Must(refusal, `UPDATE projects SET description = ?, updated_at = ? WHERE id = ?`, text, tx.Time(), id)
	}
}

func description(tx *registry.Tx, id int64) (string, error) {
	return registry.One[string](tx.QueryRow(`SELECT description FROM projects WHERE id = ?`, id))
}

// A change that a write requires ends it with the refusal where there is nothing to change, wherever in the write it stands.
func TestMust(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	id := newProject(t, db, "required")
	refusal, other := errors.New("there is none"), errors.New("there is another")
	for _, c := range []struct {
		what   string
		writes []func(*registry.Tx) error
		want   error
		text   string
	}{
		{"what is there", []func(*registry.Tx) error{describe(id, "a", refusal)}, nil, "a"},
		{"what is not", []func(*registry.Tx) error{describe(id+1, "b", refusal)}, refusal, "a"},
		{"what is not, after what is", []func(*registry.Tx) error{describe(id, "c", other), describe(id+1, "c", refusal)}, refusal, "a"},
		{"what is not, before a question", []func(*registry.Tx) error{describe(id+1, "d", refusal), func(tx *registry.Tx) error {
			_, err := description(tx, id)
			return err
		}}, refusal, "a"},
		{"what is not, where its error is survived", []func(*registry.Tx) error{func(tx *registry.Tx) error {
			if err := tx.Attempt(func() error { return describe(id+1, "e", refusal)(tx) }); !errors.Is(err, refusal) {
				t.Errorf("attempted: %v", err)
			}
			return nil
		}, describe(id, "f", other)}, nil, "f"},
	} {
		err := db.Write(t.Context(), registry.Scope{Project: id}, func(tx *registry.Tx) error {
			for _, write := range c.writes {
				if err := write(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, not %v", c.what, err, c.want)
		}
		err = db.Read(t.Context(), func(tx *registry.Tx) error {
			text, err := description(tx, id)
			if text != c.text {
				t.Errorf("%s: %q is stored, not %q", c.what, text, c.text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A read that follows a write sees what that stored. A write that fails is not followed, and one that is stored stays stored when the
// read fails.
func TestWriteThenRead(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	id := newProject(t, db, "followed")
	refusal, broken := errors.New("there is none"), errors.New("cannot be read")
	for _, c := range []struct {
		what        string
		write       func(*registry.Tx) error
		fails, want error
		ask         bool
		text        string
	}{
		{"both", describe(id, "a", refusal), nil, nil, true, "a"},
		{"a write that fails at its end", describe(id+1, "b", refusal), nil, refusal, true, "a"},
		{"a write that fails before", func(*registry.Tx) error { return refusal }, nil, refusal, true, "a"},
		{"a read that fails", describe(id, "c", refusal), broken, broken, true, "c"},
		{"a read that fails before it asks", describe(id, "d", refusal), broken, broken, false, "d"},
		{"a read that asks nothing", describe(id, "e", refusal), nil, nil, false, "e"},
	} {
		got := "not read"
		err := db.WriteThenRead(t.Context(), registry.Scope{Project: id}, c.write, func(tx *registry.Tx) (err error) {
			if c.ask {
				if got, err = description(tx, id); err != nil {
					return err
				}
			}
			return c.fails
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, not %v", c.what, err, c.want)
		}
		if c.want == nil && c.ask && got != c.text {
			t.Errorf("%s: read %q, not %q", c.what, got, c.text)
		}
		err = db.Read(t.Context(), func(tx *registry.Tx) error {
			text, err := description(tx, id)
			if text != c.text {
				t.Errorf("%s: %q is stored, not %q", c.what, text, c.text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !db.Wrote() {
		t.Error("nothing was written")
	}
}

// On a server a write and the read after it are one message where the write asks nothing. A connection that ends in that message is
// told apart: a stored write is not repeated, and the read is.
func TestWriteThenReadOnAServer(t *testing.T) {
	t.Parallel()
	p := registrytest.NewProxy(t, registrytest.NewCluster(t))
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: p.URL("postgres")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	id := newProject(t, db, "followed")
	more := func(tx *registry.Tx) error {
		tx.Changed(registry.TopicSessions, id, "")
		return tx.Do(`UPDATE projects SET description = description || 'x' WHERE id = ?`, id)
	}
	p.Take()
	text := ""
	err = db.WriteThenRead(t.Context(), registry.Scope{Project: id}, more, func(tx *registry.Tx) (err error) {
		text, err = description(tx, id)
		return err
	})
	if trips := len(p.Take()); trips != 1 || text != "x" || err != nil {
		t.Errorf("%q after %d round trips, %v", text, trips, err)
	}
	reads := 0
	err = db.WriteThenRead(t.Context(), registry.Scope{Project: id}, more, func(tx *registry.Tx) (err error) {
		if reads++; reads == 1 {
			_, err := registry.One[bool](tx.QueryRow(`SELECT pg_terminate_backend(pg_backend_pid())`))
			return err
		}
		text, err = description(tx, id)
		return err
	})
	if text != "xx" || reads != 2 || err != nil {
		t.Errorf("%q after %d reads, %v", text, reads, err)
	}
	// A write that fails leaves the connection as it should be.
	refusal := errors.New("there is none")
	for range 3 {
		err := db.WriteThenRead(t.Context(), registry.Scope{Project: id}, describe(id+1, "y", refusal), func(tx *registry.Tx) error {
			_, err := description(tx, id)
			return err
		})
		if !errors.Is(err, refusal) {
			t.Errorf("refused: %v", err)
		}
	}
	if text := names(t, db); len(text) != 1 {
		t.Errorf("%q", text)
	}
}
