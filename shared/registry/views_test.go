package registry_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// TestViews reads each view, wherever a statement may name it.
func TestViews(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	for _, name := range registry.NamesOfViews() {
		for _, statement := range []string{
			`SELECT COUNT(*) FROM NAME`,
			`SELECT COUNT(*) FROM NAME a JOIN NAME b ON 1 = 1`,
			"\n\tSELECT (SELECT COUNT(*) FROM NAME)",
			`WITH n (i) AS (SELECT 1) SELECT COUNT(*) FROM NAME, n`,
			`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT COUNT(*) FROM n, NAME`,
		} {
			statement = strings.ReplaceAll(statement, "NAME", name)
			err := db.Read(t.Context(), func(tx *registry.Tx) error {
				for row, err := range tx.Rows(statement) {
					if err != nil {
						return err
					}
					if _, err := registry.One[int](row); err != nil {
						return err
					}
				}
				_, err := registry.One[int](tx.QueryRow(statement))
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	}
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		if _, err := tx.Exec(`UPDATE agents SET status = 'idle' WHERE id IN (SELECT agent_id FROM halted_agents)`); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO registry_meta (key, value) SELECT ref, agent FROM session_times`)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if plain := `SELECT name FROM agents`; registry.Views(plain) != plain {
		t.Errorf("%q became %q", plain, registry.Views(plain))
	}
}
