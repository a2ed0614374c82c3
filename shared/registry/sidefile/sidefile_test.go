package sidefile_test

import (
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/registry/sidefile"
)

// A schema sets the size of its file's pages, and how many of them are kept in memory; the default is 16 MB of pages.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema      sidefile.Schema
		page, cache int
	}{
		{sidefile.Schema{Version: 1, SQL: `CREATE TABLE t (n)`}, 4096, -16000},
		{sidefile.Schema{Version: 1, SQL: `CREATE TABLE t (n)`, Page: 8192, Cache: 4000}, 8192, -4000},
	} {
		f, err := sidefile.Open(t.Context(), filepath.Join(t.TempDir(), "side.db"), c.schema)
		if err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]int{`PRAGMA page_size`: c.page, `PRAGMA cache_size`: c.cache} {
			err := f.Each(t.Context(), func(scan func(...any) error) error {
				var got int
				if err := scan(&got); err != nil {
					return err
				}
				if got != want {
					t.Errorf("%+v: %s is %d, want %d", c.schema, query, got, want)
				}
				return nil
			}, query)
			if err != nil {
				t.Error(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
