package sync_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// TestCommentsOfWhatChanged: a pull reads the comments of open tickets that changed, but not those of finished tickets or of the tickets of
// a first pull. Comments that the tracker no longer has are removed.
func TestCommentsOfWhatChanged(t *testing.T) {
	t.Parallel()
	everyTracker(t, func(t *testing.T, s *side) {
		open, old := s.world.Add(providertest.Spec{Title: "open"}), s.world.Add(providertest.Spec{Title: "old"})
		s.world.Comment(old, "before the first pull")
		s.pull(false)
		comments := func(id string) (texts []string) {
			s.must(s.db.Read(t.Context(), func(tx *registry.Tx) error {
				all, err := ticket.CommentsOf(tx, itemOf(s.local(id)), 3)
				for _, c := range all {
					texts = append(texts, strings.TrimSpace(c.Text))
				}
				return err
			}))
			return texts
		}
		if got := append(comments(open), comments(old)...); len(got) != 0 {
			t.Errorf("after the first pull: %q", got)
		}
		for _, text := range []string{"one", "two", "three", "four"} {
			s.tracker.Clock.Advance(1e9)
			s.world.Comment(open, text)
		}
		s.pull(false)
		if got := strings.Join(comments(open), " "); got != "two three four" {
			t.Errorf("after the next: %q", got)
		}
		if got := comments(old); len(got) != 0 {
			t.Errorf("of one that did not change: %q", got)
		}
	})
}

// TestFilesAreKept: attachments and pages that come with a ticket are shown with it.
func TestFilesAreKept(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"linear", "jira", "azure_devops"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSide(t, harnesses[name]())
			id := s.world.Add(providertest.Spec{Title: "one"})
			files := func() (all []ticket.File) {
				s.must(s.db.Read(t.Context(), func(tx *registry.Tx) (err error) {
					all, err = ticket.FilesOf(tx, itemOf(s.local(id)))
					return err
				}))
				return all
			}
			s.pull(false)
			if got := files(); len(got) != 0 {
				t.Errorf("%+v", got)
			}
			size, kind := int64(77), ticket.Attachment
			if name == "linear" {
				size, kind = 0, ticket.Web
			}
			s.world.Attach(id, "trace.txt", "https://example.com/7", size)
			s.pull(false)
			if got := files(); len(got) != 1 || got[0] != (ticket.File{Kind: kind, Name: "trace.txt", URL: "https://example.com/7", Size: size}) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestRefuseOffline: a project that queues nothing while its tracker is unreachable refuses a change then, and accepts it before.
func TestRefuseOffline(t *testing.T) {
	t.Parallel()
	s := newSide(t, harnesses["linear"]())
	id := s.world.Add(providertest.Spec{Title: "one"})
	s.pull(false)
	s.tickets.RefuseOffline = true
	s.edit(id, ticket.Edit{Comment: "yes"})
	s.tracker.Server.Close()
	if _, err := s.engine.Pull(t.Context(), false); err == nil || s.status().OfflineSince == nil {
		t.Fatalf("a tracker that is gone answered: %v", err)
	}
	if _, err := s.tickets.Update(t.Context(), s.caller, "id", s.local(id).ID, ticket.Edit{Comment: "no"}); !fault.Is(err, fault.KindProvider) {
		t.Errorf("offline: %v", err)
	}
}
