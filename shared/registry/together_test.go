//go:build unix

package registry_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// Functions that run together find what they would find alone, also where one begins others.
func TestTogether(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	for i := range 3 {
		newProject(t, db, fmt.Sprint("p", i))
	}
	refused := errors.New("refused")
	err := db.Read(t.Context(), func(tx *registry.Tx) error {
		var one, two, three string
		var all []string
		read := func(into *string, name string) func() error {
			return func() (err error) {
				*into, err = registry.One[string](tx.QueryRow(`SELECT name FROM projects WHERE name = ? AND created_at <= ?`, name, tx.Stamp()))
				return err
			}
		}
		err := tx.Together(read(&one, "p0"), func() error {
			return tx.Together(read(&two, "p1"), read(&three, "p2"), func() (err error) {
				for row, err := range tx.Rows(`SELECT name FROM projects ORDER BY name`) {
					if err != nil {
						return err
					}
					name, err := registry.One[string](row)
					if err != nil {
						return err
					}
					again, err := registry.One[string](tx.QueryRow(`SELECT name FROM projects WHERE name = ?`, name))
					if err != nil {
						return err
					}
					all = append(all, again)
				}
				return nil
			})
		}, func() error { return nil })
		if err != nil || one+two+three != "p0p1p2" || fmt.Sprint(all) != "[p0 p1 p2]" {
			t.Errorf("found %q %q %q %q, %v", one, two, three, all, err)
		}
		if err := tx.Together(read(&one, "p1"), func() error { return refused }, read(&two, "none")); !errors.Is(err, refused) {
			t.Errorf("the first error is not returned: %v", err)
		}
		if err := read(&one, "none")(); !registry.NoRows(err) {
			t.Errorf("after that: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A file spares what an answer before it has made needless; a server is asked at once.
func TestUnless(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	newProject(t, db, "p")
	for _, skip := range []bool{false, true} {
		asked := false
		err := db.Read(t.Context(), func(tx *registry.Tx) error {
			var name string
			err := tx.Together(
				func() (err error) {
					name, err = registry.One[string](tx.QueryRow(`SELECT name FROM projects`))
					return err
				},
				tx.Unless(func() bool { return skip && name == "p" }, func() error { asked = true; return nil }),
			)
			if want := !skip || tx.OnServer(); asked != want {
				t.Errorf("with skip %t it was asked: %t", skip, asked)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// The statements of functions that run together are one round trip, and the begin of a transaction goes with
// its first statement.
func TestRoundTripsOfTransactions(t *testing.T) {
	t.Parallel()
	p := registrytest.NewProxy(t, registrytest.NewCluster(t))
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: p.URL("postgres")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	id := newProject(t, db, "counted")
	ask := func(tx *registry.Tx, times int) func() error {
		return func() error {
			for range times {
				if _, err := registry.One[string](tx.QueryRow(`SELECT name FROM projects WHERE id = ?`, id)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	later := func(times int) func() error { // changes whose answer is of no interest
		return func() error {
			return db.Write(t.Context(), registry.Scope{Project: id}, func(tx *registry.Tx) error {
				for range times {
					if err := tx.Do(`UPDATE projects SET description = description || 'y', updated_at = ? WHERE id = ?`, tx.Time(), id); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	for _, c := range []struct {
		what string
		want int
		act  func() error
	}{
		{"a question", 1, func() error {
			return db.Read(t.Context(), func(tx *registry.Tx) error { return ask(tx, 1)() })
		}},
		{"ten questions, three of which wait for others", 4, func() error {
			return db.Read(t.Context(), func(tx *registry.Tx) error {
				return tx.Together(ask(tx, 4), ask(tx, 3), ask(tx, 1), ask(tx, 2))
			})
		}},
		{"twenty times a question beside two, and one after them", 40, func() error {
			return db.Read(t.Context(), func(tx *registry.Tx) error {
				for range 20 {
					err := tx.Together(ask(tx, 2), func() error {
						return errors.Join(tx.Together(ask(tx, 1), ask(tx, 1)), ask(tx, 1)())
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}},
		{"a change", 2, func() error {
			return db.Write(t.Context(), registry.Scope{Project: id}, func(tx *registry.Tx) error {
				_, err := tx.Exec(`UPDATE projects SET description = 'x' WHERE id = ?`, id)
				return err
			})
		}},
		{"a change at the time of the transaction", 2, func() error {
			return db.Write(t.Context(), registry.Scope{Project: id}, func(tx *registry.Tx) error {
				_, err := tx.Exec(`UPDATE projects SET description = '', updated_at = ? WHERE id = ?`, tx.Time(), id)
				return err
			})
		}},
		{"a hundred changes", 1, later(100)},
		{"five hundred changes, of which two hundred wait at most", 3, later(500)},
		{"two changes that are counted, and one that is not", 2, func() error {
			return db.Write(t.Context(), registry.Scope{Project: id}, func(tx *registry.Tx) error {
				counted := func() error {
					n, err := tx.Exec(`UPDATE projects SET description = description || 'z' WHERE id = ?`, id)
					if n != 1 {
						t.Errorf("%d projects were changed", n)
					}
					return err
				}
				return tx.Together(counted, counted, func() error {
					tx.Changed(registry.TopicSessions, id, "")
					return tx.Do(`UPDATE projects SET description = description || 'z' WHERE id = ?`, id)
				})
			})
		}},
		{"no question", 1, func() error {
			return db.Read(t.Context(), func(*registry.Tx) error { return nil })
		}},
	} {
		p.Take()
		err := c.act()
		if got := len(p.Take()); got != c.want {
			t.Errorf("%s took %d round trips, not %d (%v)", c.what, got, c.want, err)
		}
	}
	var changed int
	err = db.Read(t.Context(), func(tx *registry.Tx) (err error) {
		changed, err = registry.One[int](tx.QueryRow(`SELECT LENGTH(description) FROM projects WHERE id = ?`, id))
		return err
	})
	if err != nil || changed != 603 {
		t.Errorf("%d of 603 changes were made, %v", changed, err)
	}
}

// The time that goes into a statement is that of its transaction, asked for before or after.
func TestTimeOfATransaction(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	id := newProject(t, db, "dated")
	err := db.Write(t.Context(), registry.Scope{Project: id}, func(tx *registry.Tx) error {
		const dated = `UPDATE projects SET description = '?', created_at = ?, name = ?, updated_at = ? WHERE id = ?`
		for _, first := range []bool{true, false} {
			n, err := tx.Exec(dated, tx.Time(), "dated anew", tx.Time(), id)
			if err != nil || n != 1 {
				t.Errorf("%d rows, %v", n, err)
			}
			var description, name, created, updated string
			if err := tx.QueryRow(`SELECT description, name, created_at, updated_at FROM projects WHERE id = ?`, id).Scan(&description, &name, &created, &updated); err != nil {
				return err
			}
			if description != "?" || name != "dated anew" || created != tx.Stamp() || updated != tx.Stamp() {
				t.Errorf("first %v: %q %q, %s and %s at %s", first, description, name, created, updated, tx.Stamp())
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A transaction that notifies waits for every other one that does, so that the notification comes after it, in the same round trip.
func TestNotificationFollowsTheCommit(t *testing.T) {
	t.Parallel()
	p := registrytest.NewProxy(t, registrytest.NewCluster(t))
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: p.URL("postgres")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	newProject(t, db, "told")
	for _, changed := range []bool{true, false} {
		p.Take()
		err := db.Write(t.Context(), registry.Named, func(tx *registry.Tx) error {
			if changed {
				tx.Changed(registry.TopicAgents, 0, "a-1")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var asked []string
		for _, trip := range p.Take() {
			asked = append(asked, trip.Statements...)
		}
		want := []string{"COMMIT"}
		if changed {
			want = append(want, "NOTIFY agit_changes")
		}
		if len(asked) < len(want) || !slices.Equal(asked[len(asked)-len(want):], want) {
			t.Errorf("changed %t: %q ends otherwise than by %q", changed, asked, want)
		}
	}
}
