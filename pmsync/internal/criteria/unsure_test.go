package criteria_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// A line that its author did not call a criterion is shown but not required, until it is judged or confirmed.
func TestUnsureCriteriaAreNotAskedFor(t *testing.T) {
	t.Parallel()
	db, item, write := ticketSEM1(t)
	read := func() {
		write(func(tx *registry.Tx) error {
			_, err := criteria.Reparse(tx, item.ID, []criteria.Found{
				{Text: "The mail is sent", Why: "a heading"}, {Text: "It should be quick", Why: "a sentence", Unsure: true}, {Text: "It should be small", Why: "a sentence", Unsure: true}})
			return err
		})
	}
	read()
	st, who := &criteria.Store{DB: db}, caller.Caller{Place: project.Place{Named: "p-1"}}
	state := func() (criteria.Status, criteria.Check, int) {
		t.Helper()
		s, err := st.Status(t.Context(), who, "SEM-1")
		if err != nil {
			t.Fatal(err)
		}
		c, err := st.CheckAll(t.Context(), who, "SEM-1")
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		err = db.Read(t.Context(), func(tx *registry.Tx) error {
			return tx.QueryRow(`SELECT COUNT(*) FROM item_criteria WHERE item_id = ?`, item.ID).Scan(&asked)
		})
		if err != nil {
			t.Fatal(err)
		}
		return s, c, asked
	}
	s, c, asked := state()
	if s.Total != 3 || s.Unsure != 2 || len(c.Pending) != 1 || len(c.Unsure) != 2 || asked != 1 || s.Criteria[1].Why != "a sentence" || !s.Criteria[1].Unsure || s.Criteria[0].Unsure {
		t.Fatalf("after reading: %+v, %+v, %d asked for", s, c, asked)
	}
	judge := func(place, verdict string) {
		t.Helper()
		if _, err := st.Verify(t.Context(), who, criteria.Verdict{ID: "SEM-1#" + place, Status: verdict}); err != nil {
			t.Fatal(err)
		}
	}
	judge("1", criteria.Verified)
	if s, c, _ = state(); s.Completion != 100 || !c.ReadyToClose || c.Summary != "the one criterion of SEM-1 is verified and nothing blocks it: it can be closed" {
		t.Errorf("all sure ones are verified: %+v, %+v", s, c)
	}
	pending := criteria.Pending
	if done, err := st.Update(t.Context(), who, "SEM-1#2", nil, &pending); err != nil || done.Unsure {
		t.Errorf("confirmed: %+v, %v", done, err)
	}
	judge("3", criteria.Failed)
	read() // a judged or confirmed one stays sure
	if s, c, asked = state(); s.Unsure != 0 || s.Completion != 33.3 || len(c.Pending) != 1 || len(c.Failed) != 1 || c.ReadyToClose || asked != 3 {
		t.Errorf("after a confirmation and a verdict: %+v, %+v, %d asked for", s, c, asked)
	}
	only := criteria.CheckOf("SEM-1", []criteria.Criterion{{Unsure: true, Status: criteria.Pending}}, nil)
	if only.AllVerified || only.ReadyToClose || !strings.HasPrefix(only.Summary, "1 line of the text of SEM-1 may be criteria") {
		t.Errorf("unsure ones alone: %+v", only)
	}
}
