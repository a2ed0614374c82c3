//go:build unix

package registry_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

func TestSchemaVersionIsTheNumberOfMigrations(t *testing.T) {
	t.Parallel()
	history := registry.Migrations()
	if len(history) != registry.SchemaVersion {
		t.Fatalf("%d migrations, SchemaVersion is %d", len(history), registry.SchemaVersion)
	}
	for i, m := range history {
		if number, _, _ := strings.Cut(m.Name(), "_"); number != pad(i+1) {
			t.Errorf("migration %d is called %s", i+1, m.Name())
		}
	}
}

var update = flag.Bool("update", false, "rewrite newest.sql")

// A new registry has what all migrations make, one after the other.
func TestNewestIsWhatMigrationsMake(t *testing.T) {
	t.Parallel()
	embedded, made, err := registry.Newest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(filepath.FromSlash("newest.sql"), []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(made, embedded); diff != "" {
		t.Errorf("newest.sql is not what the migrations make (-update writes it):\n%s", diff)
	}
}

func pad(n int) string { return strings.Repeat("0", 4-len(strconv.Itoa(n))) + strconv.Itoa(n) }

func TestOldSQLiteIsRefused(t *testing.T) {
	t.Parallel()
	for version, good := range map[string]bool{
		"3.51.3": true, "3.51.2": false, "3.50.9": false, "3.54.1": true, "4.0.0": true, "2.99.99": false, "": false, "x": false,
	} {
		if err := registry.CheckSQLiteVersion(version); (err == nil) != good {
			t.Errorf("SQLite %q: %v", version, err)
		}
	}
}

func TestIDsSortByCreation(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	last := ""
	for range 1000 {
		id := registry.NewIDAt("t-", at)
		if len(id) != 12 || id <= last {
			t.Fatalf("id %q after %q", id, last)
		}
		last, at = id, at.Add(time.Second*86400)
		if at.Year() > 2058 {
			break
		}
	}
}

// TestMigrationsLoadOnPostgreSQL keeps the SQL honest: the registry of a team
// will run on PostgreSQL with nothing but the integer key rewritten.
func TestMigrationsLoadOnPostgreSQL(t *testing.T) {
	t.Parallel()
	psql := registrytest.PostgreSQL(t, "-v", "ON_ERROR_STOP=1")
	for _, m := range registry.Migrations() {
		if out, err := psql(registry.PostgreSQLText(m.Text())); err != nil {
			t.Fatalf("%s: %v\n%s", m.Name(), err, out)
		}
	}
	for _, name := range append(registry.NamesOfViews(), "items") {
		if out, err := psql(registry.Views(`SELECT COUNT(*) FROM ` + name + `;`)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
