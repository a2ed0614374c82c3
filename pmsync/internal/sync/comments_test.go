package sync

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
)

// TestLastComments: the last comments come oldest first, as Markdown, without secrets and without the marks of what was sent from here.
func TestLastComments(t *testing.T) {
	t.Parallel()
	for name, harness := range conformance.All {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := harness().Begin(t)
			id := r.World.Add(providertest.Spec{Title: "one"})
			r.World.Comment(id, "the first")
			r.World.Comment(id, "the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789")
			item := r.Item(id)
			if _, err := r.Provider.(provider.Commenter).AddComment(t.Context(), item, provider.NewComment{Key: provider.UUID("k"), Text: "sent from here"}); err != nil {
				t.Fatal(err)
			}
			all, err := lastComments(t.Context(), r.Provider, r.Item(id), 2)
			all = ticket.CleanComments(all)
			if err != nil || len(all) != 2 || strings.TrimSpace(all[1].Text) != "sent from here" || strings.Contains(all[0].Text, "ghp_abc") || all[0].Author == "" || all[0].At.IsZero() {
				t.Errorf("%+v, %v", all, err)
			}
		})
	}
}
