package ticket

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// TestStoringAsksByKeys: the cost of a page or a file depends on its own tickets, and not on how many are stored already. No statement
// scans a project's tickets.
func TestStoringAsksByKeys(t *testing.T) {
	var wide []string
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "r.db"), Explain: func(statement string, plan []string) {
		if strings.HasPrefix(statement, "INSERT") { // its plan includes lookups of foreign keys
			return
		}
		for _, step := range plan {
			for _, table := range []string{"items", "i", "tickets", "t", "ticket_links", "l", "ticket_labels", "o"} {
				if step == "SCAN "+table || strings.HasPrefix(step, "SCAN "+table+" ") || strings.HasPrefix(step, "SEARCH "+table+" ") && (strings.HasSuffix(step, "(project_id=?)") || strings.HasSuffix(step, "(kind=?)")) {
					wide = append(wide, step+"\n   of "+strings.Join(strings.Fields(statement), " "))
				}
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, provider := range []string{Local, "linear"} {
		for _, title := range []string{"a", "b"} { // new ones, then known ones
			err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
				p, err := project.Ensure(tx, project.Identity{UID: "p-1", Name: "app", Folder: "/app"})
				if err != nil {
					return err
				}
				all := make([]New, 5)
				for i := range all {
					key := fmt.Sprintf("%s-%d", provider, i)
					all[i] = New{Provider: provider, Key: key, RemoteID: key, Title: title, Labels: []string{"x"}, Sprint: Ref{Name: "S", ID: "S"}, Parent: Ref{Key: "P-1"},
						Links: []Link{{Relation: "blocked_by", Target: Ref{Key: fmt.Sprintf("%s-%d", provider, i+1)}}}}
				}
				if provider == Local {
					for i := range all {
						all[i].RemoteID = ""
					}
					if err := notATrackers(tx, p.ID, all); err != nil {
						return err
					}
				}
				_, err = PutMany(tx, all, Put{ProjectID: p.ID, Actor: "import", Parse: true, Same: func(itemID int64, n New) (bool, error) { return asExported(tx, itemID, n) }})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range wide {
		t.Error(step)
	}
}
