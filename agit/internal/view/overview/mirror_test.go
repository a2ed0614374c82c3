package overview

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/timestamp"
)

// TestMirrorWords: the age of the local copy of a tracker.
func TestMirrorWords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC)
	at := func(d time.Duration) *timestamp.Time { return &timestamp.Time{Time: now.Add(-d)} }
	for want, s := range map[string]*Sync{
		"":                       nil,
		"jira never pulled":      {Provider: "jira"},
		"jira just now":          {Provider: "jira", PulledAt: at(59 * time.Second)},
		"github 3h ago":          {Provider: "github", PulledAt: at(3 * time.Hour)},
		"linear 2m ago, offline": {Provider: "linear", PulledAt: at(2 * time.Minute), Offline: true},
	} {
		if got := s.Words(now); got != want {
			t.Errorf("%+v is %q, not %q", s, got, want)
		}
	}
}

// TestMirror: the state has the tracker of its project, and for all projects the one that was pulled longest ago.
func TestMirror(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	if err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for uid, pulled := range map[string]any{"old": "2026-01-02T00:00:00.000Z", "young": "2026-01-03T00:00:00.000Z", "bare": nil} {
			p, err := project.Ensure(tx, project.Identity{UID: uid, Name: uid, Folder: "/" + uid})
			if err != nil {
				return err
			}
			if uid == "bare" {
				continue
			}
			if _, err := tx.Exec(`INSERT INTO trackers (project_id, provider, pulled_at, updated_at) VALUES (?, ?, ?, ?)`, p.ID, "of-"+uid, pulled, tx.Stamp()); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	s := New(Options{DB: db, Conflicts: &conflict.Store{DB: db, CacheDir: t.TempDir()}})
	for project, want := range map[string]string{"": "of-old", "young": "of-young", "old": "of-old", "bare": ""} {
		state, err := s.State(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m := state.Totals.Mirror; m != nil {
			got = m.Provider
		}
		if got != want {
			t.Errorf("of %q it is %q, not %q", project, got, want)
		}
	}
}
