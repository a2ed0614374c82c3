package ticket

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// site is a project into which tests put tickets page by page.
type site struct {
	t  *testing.T
	db *registry.DB
	id int64
}

func newSite(t *testing.T) *site {
	s := &site{t: t, db: registrytest.Open(t)}
	s.write(func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, project.Identity{UID: "p-1", Name: "app", Folder: "/app"})
		s.id = p.ID
		return err
	})
	return s
}

func (s *site) write(fn func(*registry.Tx) error) {
	s.t.Helper()
	if err := s.db.Write(s.t.Context(), registry.Everything, fn); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) put(all ...New) {
	s.t.Helper()
	s.write(func(tx *registry.Tx) error {
		for i := range all {
			all[i].Provider, all[i].Title = "jira", "x"
		}
		_, err := PutMany(tx, all, Put{ProjectID: s.id, Actor: "jira"})
		return err
	})
}

// reasons returns why a ticket is not ready, "" when it is.
func (s *site) reasons(key string) string {
	s.t.Helper()
	var said []string
	s.write(func(tx *registry.Tx) error {
		t, err := Find(tx, s.id, "id", key)
		if err != nil {
			return err
		}
		e, err := work.Explain(tx, t.Item(), 0)
		for _, r := range e.Reasons {
			said = append(said, r.Sentence)
		}
		if wrong, err := work.Miscounted(tx); wrong > 0 || err != nil {
			s.t.Errorf("%d miscounted, %v", wrong, err)
		}
		return err
	})
	return strings.Join(said, "; ")
}

func (s *site) want(when, key, want string) {
	s.t.Helper()
	if got := s.reasons(key); got != want {
		s.t.Errorf("%s: %s: %q, want %q", when, key, got, want)
	}
}

func blockedBy(id, key string, resolved bool) []Link {
	return []Link{{Relation: "blocked_by", Target: Ref{ID: id, Key: key, Name: "the other"}, Resolved: resolved}}
}

func TestBlockerOfAnotherProject(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.put(New{RemoteID: "1", Key: "P-1", Links: blockedBy("9", "PLAT-9", false)}, New{RemoteID: "2", Key: "P-2", Links: blockedBy("8", "PLAT-8", true)})
	s.want("first", "P-1", "it waits for PLAT-9, not here")
	s.want("a finished one", "P-2", "")
	s.put(New{RemoteID: "1", Key: "P-1", Links: blockedBy("9", "PLAT-9", true)})
	s.want("finished there", "P-1", "")
	s.put(New{RemoteID: "1", Key: "P-1", Links: blockedBy("9", "PLAT-9", false)})
	s.want("opened again there", "P-1", "it waits for PLAT-9, not here")
	s.put(New{RemoteID: "9", Key: "P-9"})
	s.want("it came here", "P-1", "it waits for P-9")
	s.put(New{RemoteID: "9", Key: "P-9", Category: Done})
	s.want("and is done", "P-1", "")
}

func TestLinkThatIsTakenAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.put(New{RemoteID: "1", Key: "P-1", Links: blockedBy("9", "PLAT-9", false)})
	s.put(New{RemoteID: "1", Key: "P-1"})
	s.want("without its link", "P-1", "")
}

func TestBlockerLeaves(t *testing.T) {
	t.Parallel()
	for why, want := range map[string]string{Moved: "it waits for P-9, not here", Archived: "", "deleted": ""} {
		s := newSite(t)
		s.put(New{RemoteID: "1", Key: "P-1", Links: blockedBy("9", "P-9", false)}, New{RemoteID: "9", Key: "P-9"})
		s.want("before", "P-1", "it waits for P-9")
		leave := func() {
			s.write(func(tx *registry.Tx) error {
				_, _, err := Leave(tx, s.id, "jira", "9", why)
				return err
			})
		}
		leave()
		s.want(why, "P-1", want)
		if why != Moved {
			continue
		}
		s.put(New{RemoteID: "1", Key: "P-1", Links: blockedBy("9", "OPS-4", false)})
		s.want("read again", "P-1", "it waits for P-9, not here")
		s.put(New{RemoteID: "9", Key: "P-9"})
		s.want("it came back", "P-1", "it waits for P-9")
		s.put(New{RemoteID: "9", Key: "P-9", Category: Done})
		s.want("and is done", "P-1", "")
		leave()
		s.want("a finished one moves", "P-1", "")
	}
}

func TestOutsideBlockersAreAskedFor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.put(New{RemoteID: "1", Key: "P-1", Links: blockedBy("9", "PLAT-9", false)}, New{RemoteID: "2", Key: "P-2", Links: blockedBy("8", "PLAT-8", true)},
		New{RemoteID: "3", Key: "P-3", Links: blockedBy("9", "PLAT-9", false)})
	s.write(func(tx *registry.Tx) error {
		ids, err := OutsideBlockers(tx, s.id, "jira", 10)
		if err != nil || strings.Join(ids, " ") != "9" {
			t.Errorf("asked for %v, %v", ids, err)
		}
		return work.HereNow(tx, s.id, "9", work.Event{})
	})
	s.want("let go", "P-1", "")
	s.want("let go", "P-3", "")
}
