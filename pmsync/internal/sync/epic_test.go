package sync_test

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// TestAnEpicThatBlocks: an open epic holds back what it blocks, until the epic is done. No note is made of the
// link, which is an ordinary one.
func TestAnEpicThatBlocks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"jira", "azure_devops", "github"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSide(t, harnesses[name]())
			blocked := s.world.Add(providertest.Spec{Title: "blocked"})
			epic := s.world.Add(providertest.Spec{Title: "epic", Type: provider.TypeEpic, Blocks: []string{blocked}})
			held := func() (held bool) {
				item := s.local(blocked).Item().ID
				s.must(s.db.Read(t.Context(), func(tx *registry.Tx) (err error) {
					held, err = registry.One[bool](tx.QueryRow(`SELECT holds > 0 FROM items WHERE id = ?`, item))
					if wrong, err := work.Miscounted(tx); err != nil || wrong > 0 {
						t.Errorf("what waits is counted wrong for %d items, %v", wrong, err)
					}
					return err
				}))
				return held
			}
			if r := s.pull(false); len(r.Notes) != 0 || !held() {
				t.Errorf("held %v, told %q", held(), r.Notes)
			}
			s.world.Edit(epic, providertest.Edit{Status: ptr(s.world.StatusOf(provider.Done))})
			if s.pull(false); held() {
				t.Error("it waits for an epic that is done")
			}
			s.world.Edit(epic, providertest.Edit{Status: ptr(s.world.StatusOf(provider.InProgress))})
			if s.pull(false); !held() {
				t.Error("it does not wait for an epic that was opened again")
			}
		})
	}
}
