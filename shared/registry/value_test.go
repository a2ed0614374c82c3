package registry_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// Read and Write return what their functions return, and a row that does not exist is the zero value, or nil.
func TestValues(t *testing.T) {
	db := registrytest.Open(t)
	const insert = `INSERT INTO projects (uid, name, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id`
	id, err := registry.Write(t.Context(), db, registry.Everything, func(tx *registry.Tx) (int64, error) {
		return tx.Insert(insert, "p-1", "one", tx.Stamp(), tx.Stamp())
	})
	if err != nil || id == 0 {
		t.Fatal(id, err)
	}
	type found struct {
		Names   map[string]string
		Here    string
		Nowhere string
		There   *string
		None    *string
	}
	got, err := registry.Read(t.Context(), db, func(tx *registry.Tx) (f found, err error) {
		one := func(uid string) (string, error) {
			return registry.One[string](tx.QueryRow(`SELECT name FROM projects WHERE uid = ?`, uid))
		}
		if f.Names, err = registry.Map[string, string](tx, `SELECT uid, name FROM projects`); err != nil {
			return f, err
		}
		if f.Here, err = registry.OrZero(one("p-1")); err != nil {
			return f, err
		}
		if f.Nowhere, err = registry.OrZero(one("p-2")); err != nil {
			return f, err
		}
		if f.There, err = registry.OrNil(one("p-1")); err != nil {
			return f, err
		}
		f.None, err = registry.OrNil(one("p-2"))
		return f, err
	})
	name := "one"
	if diff := cmp.Diff(found{Names: map[string]string{"p-1": name}, Here: name, There: &name}, got); diff != "" || err != nil {
		t.Errorf("%s%v", diff, err)
	}
	if _, err := registry.Read(t.Context(), db, func(tx *registry.Tx) (string, error) {
		return registry.OrZero(registry.One[string](tx.QueryRow(`SELECT nothing FROM projects`)))
	}); err == nil {
		t.Error("a query that failed is not an error")
	}
}
