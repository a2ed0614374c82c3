package sync

import (
	"errors"
	"testing"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// TestRecordCountsOnlyWhatIsStored: a transaction that fails changes neither rows nor the result.
func TestRecordCountsOnlyWhatIsStored(t *testing.T) {
	t.Parallel()
	e := &Engine{DB: registrytest.Open(t), Tracker: unsearched{}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(e.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, project.Identity{UID: "app", Name: "app", Folder: "/app"})
		e.Project = p.ID
		return err
	}))
	turn, err := e.take(t.Context())
	must(err)
	defer turn.end(t.Context())
	r := &Result{}
	must(turn.record(t.Context(), r, func(*registry.Tx) error { r.Sent++; return nil }))
	failure := errors.New("the disk is full")
	if err := turn.record(t.Context(), r, func(*registry.Tx) error { r.Sent++; return failure }); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	if r.Sent != 1 {
		t.Errorf("%d changes count as sent after one was stored", r.Sent)
	}
}
