package registry_test

import (
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A loop over rows may stop early, and an error from any side ends it.
func TestRows(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	const three = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n`
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for _, most := range []int{1, 3} {
			n := 0
			for row, err := range tx.Rows(three) {
				if err != nil {
					return err
				}
				if i, err := registry.One[int](row); err != nil || i != n+1 {
					t.Errorf("row %d is %d, %v", n, i, err)
				}
				if n++; n == most {
					break
				}
			}
			if n != most {
				t.Errorf("%d rows, want %d", n, most)
			}
		}
		for query, want := range map[string]int{`SELECT nothing`: 0, `SELECT 1 UNION ALL SELECT abs(-9223372036854775808)`: 1} {
			if tx.OnServer() && want > 0 {
				continue // it answers with all rows or with none
			}
			rows, failed := 0, false
			_ = tx.Attempt(func() (last error) { // it fails, and the transaction continues
				for _, err := range tx.Rows(query) {
					if failed {
						t.Errorf("%s: more follows an error", query)
					}
					if failed, last = err != nil, err; !failed {
						rows++
					}
				}
				return last
			})
			if !failed || rows != want {
				t.Errorf("%s: %d rows, failed %v", query, rows, failed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
