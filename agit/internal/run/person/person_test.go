package person

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/task/tasktest"
	"github.com/agit-suite/agit/shared/registry"
)

// A process that descends from a run, or from the process that runs it, is not a person. A descendant of a run that has ended is one.
func TestNot(t *testing.T) {
	t.Parallel()
	db, _, _ := tasktest.Claimed(t)
	attempt := func(tx *registry.Tx, run, host, state string, pid, child int64) error {
		_, err := tx.Exec(`INSERT INTO attempts (run, item_id, agent_id, cause, client, host, pid, mark, child_pid, state, started_at) SELECT ?, item_id, agent_id, 'begun', 'x', ?, ?, 'm', ?, ?, ? FROM leases`,
			run, host, pid, child, state, tx.Stamp())
		return err
	}
	if err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for _, err := range []error{attempt(tx, "r1", registry.Host(), "running", 10, 11), attempt(tx, "r2", registry.Host(), "done", 20, 21),
			attempt(tx, "r3", "elsewhere", "running", 30, 31), attempt(tx, "r4", registry.Host(), "running", 40, 0)} {
			if err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	const started = "a process that an agent started"
	for _, test := range []struct {
		caller Caller
		want   string
	}{
		{Caller{}, ""}, {Caller{By: "agent ann", Ancestors: []int64{5}}, "agent ann"},
		{Caller{Ancestors: []int64{99, 11, 1}}, started}, {Caller{Ancestors: []int64{99, 10}}, started}, {Caller{Ancestors: []int64{40}}, started},
		{Caller{Ancestors: []int64{99, 21, 20}}, ""}, {Caller{Ancestors: []int64{30, 31}}, ""}, {Caller{Ancestors: []int64{0, 12}}, ""},
	} {
		if err := db.Read(t.Context(), func(tx *registry.Tx) error {
			got, err := test.caller.Not(tx)
			if got != test.want {
				t.Errorf("%+v is not a person: %q, want %q", test.caller, got, test.want)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}
