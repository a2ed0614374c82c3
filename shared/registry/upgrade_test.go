package registry_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// fixture unpacks a registry that an earlier release wrote.
func fixture(t *testing.T, name string) string {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	reader, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "agit.db")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(file, reader); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every registry of an earlier schema comes out whole, with the tables of a new
// one, and a copy of it as it was lies beside it.
func TestUpgrades(t *testing.T) {
	registrytest.OnlySQLite(t, "no schema is as old")
	t.Parallel()
	schema := func(db *registry.DB) []string {
		statements, err := db.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(statements)
		return statements
	}
	fresh := schema(registrytest.Open(t))
	for _, name := range []string{"schema-1.db", "schema-2.db", "schema-9.db", "schema-11.db"} {
		t.Run(name, func(t *testing.T) {
			path := fixture(t, name)
			db := registrytest.OpenAt(t, path)
			if diff := cmp.Diff(fresh, schema(db)); diff != "" {
				t.Errorf("the upgraded schema differs from a new one (-new +upgraded):\n%s", diff)
			}
			want := []string{
				"one c-one under t-one held by one in one at w-one history 1",
				"two c-two under t-two held by two in two at w-two history 1",
			}
			if diff := cmp.Diff(want, linked(t, db)); diff != "" {
				t.Errorf("the rows differ (-want +got):\n%s", diff)
			}
			report, err := db.Check(t.Context())
			if err != nil || len(report.Problems) > 0 || report.SchemaVersion != registry.SchemaVersion {
				t.Errorf("after the upgrade: %+v, %v", report, err)
			}
			if _, err := os.Stat(path + "." + strings.TrimSuffix(name, ".db")); err != nil {
				t.Errorf("no copy was kept: %v", err)
			}
		})
	}
}

// An upgrade that fails in its last steps leaves the registry as it was, so that the program that wrote it still opens it.
func TestUpgradeThatFailsChangesNothing(t *testing.T) {
	registrytest.OnlySQLite(t, "no schema is as old")
	t.Parallel()
	path := fixture(t, "schema-1.db")
	execute(t, path, `CREATE TABLE landings (x)`) // which migration 16 makes
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = registry.Open(t.Context(), registry.Options{Path: path})
	wantFault(t, err, "0016_landings.sql", "the registry is as it was")
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the registry was changed (%v)", err)
	}
}

// A registry of an earlier schema can be merged, and is left as it was.
func TestMergeOfAnEarlierSchema(t *testing.T) {
	t.Parallel()
	source := fixture(t, "schema-1.db")
	db := registrytest.Open(t)
	if _, err := db.Merge(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	if rows := linked(t, db); len(rows) != 2 {
		t.Errorf("merged %v", rows)
	}
}

// What schema 9 held for all hosts is each one's own after the upgrade.
func TestUpgradeGivesHostsTheirOwn(t *testing.T) {
	registrytest.OnlySQLite(t, "no schema is as old")
	t.Parallel()
	db := registrytest.OpenAt(t, fixture(t, "schema-9.db"))
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		hosts, err := registry.Collect(tx, registry.One[string], `SELECT ref || ' on ' || host FROM worktrees ORDER BY ref`)
		if err != nil {
			return err
		}
		if diff := cmp.Diff([]string{"w-one on h", "w-two on here"}, hosts); diff != "" {
			t.Errorf("worktrees (-want +got):\n%s", diff)
		}
		if _, err := tx.Exec(`UPDATE repos SET name = 'one', name_key = 'one' WHERE name = 'two'`); err != nil {
			t.Errorf("a name that another host has: %v", err)
		}
		if _, err := tx.Exec(`UPDATE worktrees SET port = 4000`); err != nil {
			t.Errorf("a port that another host has: %v", err)
		}
		if _, err := tx.Exec(`UPDATE repos SET host = 'h'`); !registry.IsDuplicate(err) {
			t.Errorf("one name twice on a host: %v", err)
		}
		if _, err := tx.Exec(`UPDATE worktrees SET host = 'h'`); !registry.IsDuplicate(err) {
			t.Errorf("one port twice on a host: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
