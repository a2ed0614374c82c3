package message

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/run/person"
	"github.com/agit-suite/agit/agit/internal/task/tasktest"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// desk is a store with two agents; ann holds a task.
type desk struct {
	*testing.T
	*Store
	ann, bob, item int64
	task           string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	db, _, claimed := tasktest.Claimed(t)
	d := &desk{T: t, Store: &Store{DB: db}, task: claimed.ID}
	d.write(func(tx *registry.Tx) error {
		bob, err := agent.Register(tx, agent.Registration{Name: "bob"})
		if err != nil {
			return err
		}
		d.bob = bob.ID
		return tx.QueryRow(`SELECT agent_id, item_id FROM leases`).Scan(&d.ann, &d.item)
	})
	return d
}

func (d *desk) write(fn func(*registry.Tx) error) {
	d.Helper()
	if err := d.DB.Write(d.Context(), registry.Everything, fn); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) say(agentName, text string, now bool) Told {
	d.Helper()
	t, err := d.Tell(d.Context(), New{Agent: agentName, Text: text, AtOnce: now})
	if err != nil {
		d.Fatal(err)
	}
	return t
}

func (d *desk) take(agentID int64, run string) string {
	d.Helper()
	list, err := d.Take(d.Context(), agentID, run)
	if err != nil {
		d.Fatal(err)
	}
	return texts(list)
}

func texts(list []Message) string {
	var all []string
	for _, m := range list {
		all = append(all, m.Text)
	}
	return strings.Join(all, ", ")
}

// waiting returns the undelivered messages with their states.
func (d *desk) waiting() (all []string) {
	d.Helper()
	list, err := d.List(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	for _, m := range list {
		all = append(all, m.Agent+" "+string(m.State)+" "+m.Text)
	}
	return all
}

// A message waits only for its agent, reaches it once and in order, and then leaves the list.
func TestDeliveredOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.say("ann", "  leave the parser alone \n", false)
	if first.Task != d.task || first.Text != "leave the parser alone" || first.State != Waiting || first.Run != "" {
		t.Errorf("%+v", first)
	}
	d.say("ann", "and its tests", true)
	if other := d.say("bob", "rest", false); other.Task != "" {
		t.Errorf("%+v", other)
	}
	if _, now, err := d.Waits(t.Context(), d.bob); err != nil || now {
		t.Errorf("what is told ann at once interrupts bob: %v", err)
	}
	if waits, now, err := d.Waits(t.Context(), d.ann); err != nil || !waits || !now {
		t.Errorf("waits %v, at once %v, %v", waits, now, err)
	}
	if got := d.take(d.ann, "run-1"); got != "leave the parser alone, and its tests" {
		t.Errorf("taken: %s", got)
	}
	if got := d.take(d.ann, "run-1"); got != "" {
		t.Errorf("taken twice: %s", got)
	}
	if diff := cmp.Diff([]string{"ann sent leave the parser alone", "ann sent and its tests", "bob waiting rest"}, d.waiting()); diff != "" {
		t.Error(diff)
	}
	var counts map[string]int
	d.write(func(tx *registry.Tx) (err error) { counts, err = Counts(tx); return err })
	if diff := cmp.Diff(map[string]int{"ann": 2, "bob": 1}, counts); diff != "" {
		t.Error(diff)
	}
	if err := d.Deliver(t.Context(), "run-1", "s-1"); err != nil {
		t.Fatal(err)
	}
	d.write(func(tx *registry.Tx) error { return Ended(tx, "run-1", "s-1") })
	if diff := cmp.Diff([]string{"bob waiting rest"}, d.waiting()); diff != "" {
		t.Error(diff)
	}
	if got := d.take(d.ann, "run-2"); got != "" {
		t.Errorf("delivered again: %s", got)
	}
}

// Messages that a run had taken but not written when it ended wait for the next run; written ones do not.
func TestARunThatWasKilled(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.say("ann", "one", false)
	d.take(d.ann, "run-1")
	if err := d.Deliver(t.Context(), "run-1", ""); err != nil {
		t.Fatal(err)
	}
	d.say("ann", "two", false)
	d.take(d.ann, "run-1")
	d.write(func(tx *registry.Tx) error { return Ended(tx, "run-other", "s-0") })
	if got := d.take(d.ann, "run-2"); got != "" {
		t.Errorf("the end of another run returned %s", got)
	}
	d.write(func(tx *registry.Tx) error { return Ended(tx, "run-1", "s-1") })
	if got := d.take(d.ann, "run-2"); got != "two" {
		t.Errorf("the next run takes %s", got)
	}
}

// A session that has not seen an earlier session's messages gets them; a session that has seen them does not.
func TestMissed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i, session := range []string{"s-1", "s-2"} {
		run := "run-" + session
		d.say("ann", []string{"one", "two"}[i], false)
		d.take(d.ann, run)
		if err := d.Deliver(t.Context(), run, ""); err != nil {
			t.Fatal(err)
		}
		d.write(func(tx *registry.Tx) error { return Ended(tx, run, session) }) // the session is known at the end
	}
	d.say("ann", "waits", false)
	for _, test := range []struct {
		item, agent int64
		session     string
		want        string
	}{{d.item, 0, "", "one, two"}, {d.item, 0, "s-1", "two"}, {d.item, 0, "s-2", "one"}, {d.item, d.ann, "", "one, two"}, {d.item, d.bob, "", ""}, {d.item + 1, 0, "", ""}} {
		var got []Message
		d.write(func(tx *registry.Tx) (err error) {
			got, err = Missed(tx, test.item, test.agent, test.session)
			return err
		})
		if texts(got) != test.want {
			t.Errorf("%+v: %q", test, texts(got))
		}
	}
}

// Only a person may send an agent a message, and only to an existing agent; secrets are removed.
func TestWhoMayTell(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, test := range map[string]struct {
		n    New
		kind fault.Kind
	}{
		"an agent": {New{Agent: "ann", Text: "x", Caller: person.Caller{By: `agent "bob"`}}, fault.KindConflict},
		"no agent": {New{Agent: "amn", Text: "x"}, fault.KindNotFound},
		"no text":  {New{Agent: "ann", Text: " \n"}, fault.KindValidation},
		"not text": {New{Agent: "ann", Text: "\xff"}, fault.KindValidation},
		"too long": {New{Agent: "ann", Text: strings.Repeat("x", 2<<20)}, fault.KindValidation},
	} {
		if _, err := d.Tell(t.Context(), test.n); !fault.Is(err, test.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := d.waiting(); len(got) != 0 {
		t.Errorf("kept: %v", got)
	}
	key := "ghp_" + strings.Repeat("a1B2", 9)
	if told := d.say("ann", "use "+key, false); strings.Contains(told.Text, key) {
		t.Errorf("the secret stays: %s", told.Text)
	}
}

// A person can withdraw a message while it waits.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	m := d.say("ann", "one", true)
	if _, err := d.Withdraw(t.Context(), m.ID, person.Caller{By: "agent ann"}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("an agent withdraws: %v", err)
	}
	for _, unknown := range []string{"", "m-zzz", "%", "m_"} {
		if _, err := d.Withdraw(t.Context(), unknown, person.Caller{}); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("%q: %v", unknown, err)
		}
	}
	if got, err := d.Withdraw(t.Context(), " "+strings.ToUpper(m.ID[:6])+" ", person.Caller{}); err != nil || got.State != Withdrawn || got.ID != m.ID {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := d.Withdraw(t.Context(), m.ID, person.Caller{}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("twice: %v", err)
	}
	if got := d.take(d.ann, "run-1"); got != "" || len(d.waiting()) != 0 {
		t.Errorf("taken all the same: %s", got)
	}
}
