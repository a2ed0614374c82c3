package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/timestamp"
)

func within(t *testing.T, db *registry.DB, fn func(*registry.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), registry.Everything, fn); err != nil {
		t.Fatal(err)
	}
}

func TestRegisterRevivesByNameWithoutCase(t *testing.T) {
	db := registrytest.Open(t)
	within(t, db, func(tx *registry.Tx) error {
		first, err := agent.Register(tx, agent.Registration{Name: "Builder-1", Type: "claude", Capabilities: []string{"go", "sql", "go"}})
		if err != nil {
			return err
		}
		if diff := cmp.Diff([]string{"go", "sql"}, first.Capabilities); diff != "" {
			t.Error(diff)
		}
		if err := agent.Remove(tx, first.ID); err != nil {
			return err
		}
		if _, err := agent.Get(tx, "builder-1"); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("a removed agent is found: %v", err)
		}
		again, err := agent.Register(tx, agent.Registration{Name: "builder-1"})
		if err != nil {
			return err
		}
		if again.UID != first.UID || again.Type != "claude" || again.Epoch != first.Epoch+1 || len(again.Capabilities) != 2 {
			t.Errorf("registered %+v, then %+v", first, again)
		}
		return nil
	})
}

func TestCallerRegistersNamesButNotIDs(t *testing.T) {
	db := registrytest.Open(t)
	within(t, db, func(tx *registry.Tx) error {
		a, err := agent.Caller(tx, "new one")
		if err != nil || a.Type != agent.TypeCustom || a.Status != agent.StatusActive {
			t.Errorf("an unknown name: %+v, %v", a, err)
		}
		byID, err := agent.Caller(tx, strings.ToUpper(a.UID))
		if err != nil || byID.ID != a.ID {
			t.Errorf("by id: %+v, %v", byID, err)
		}
		if _, err := agent.Caller(tx, "a-0123456789"); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("an unknown id: %v", err)
		}
		if _, err := agent.Register(tx, agent.Registration{Name: "a-0123456789"}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("a name like an id: %v", err)
		}
		_, err = agent.Get(tx, "new onw")
		if !fault.Is(err, fault.KindNotFound) || !strings.Contains(err.Error(), `"new one"`) {
			t.Errorf("a mistyped name: %v", err)
		}
		return nil
	})
}

// The handle of a client's conversation names its agent too, and registers no new one.
func TestAgentsByTheirConversation(t *testing.T) {
	db := registrytest.Open(t)
	within(t, db, func(tx *registry.Tx) error {
		name, err := seat.Take(tx, seat.Client{Name: "claude-code", Conversation: "9F2c1d3e-7a"})
		if err != nil {
			return err
		}
		own, err := agent.Caller(tx, name)
		if err != nil {
			return err
		}
		for _, handle := range []string{"claude-code-9f2c1d3e-7a", "Claude-Code-9F2C1D3E"} {
			if a, err := agent.Caller(tx, handle); err != nil || a.ID != own.ID || a.Name != "claude-1" {
				t.Errorf("%s is %+v, %v", handle, a, err)
			}
		}
		if a, err := agent.Caller(tx, "claude-9"); err != nil || a.ID == own.ID { // a number that a person gave, and not the beginning of an id
			t.Errorf("claude-9 is %+v, %v", a, err)
		}
		if a, err := agent.Caller(tx, "claude-code-9f3"); err != nil || a.ID == own.ID || a.Name != "claude-code-9f3" {
			t.Errorf("the name of no conversation is %+v, %v", a, err)
		}
		return nil
	})
}

func TestSweepDisconnectsTheSilentAndAnyCallRevives(t *testing.T) {
	db := registrytest.Open(t)
	within(t, db, func(tx *registry.Tx) error {
		for _, name := range []string{"silent", "talking"} {
			if _, err := agent.Register(tx, agent.Registration{Name: name}); err != nil {
				return err
			}
		}
		_, err := tx.Exec(`UPDATE agents SET last_seen_at = ? WHERE name = 'silent'`, registry.FormatTime(tx.Now().Add(-6*time.Minute)))
		return err
	})
	within(t, db, func(tx *registry.Tx) error {
		swept, err := agent.Sweep(tx, 5*time.Minute, nil)
		if err != nil || len(swept) != 1 || swept[0].Name != "silent" || swept[0].Status != agent.StatusDisconnected {
			t.Errorf("swept %+v, %v", swept, err)
		}
		again, err := agent.Sweep(tx, 5*time.Minute, nil)
		if err != nil || len(again) != 0 {
			t.Errorf("swept twice: %+v, %v", again, err)
		}
		a, err := agent.Heartbeat(tx, "silent")
		if err != nil || a.Status != agent.StatusActive {
			t.Errorf("revived: %+v, %v", a, err)
		}
		if _, err := agent.Heartbeat(tx, "nobody"); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("heartbeat of nobody: %v", err)
		}
		return nil
	})
}

// A reader sees a silent agent as disconnected even before a sweep.
func TestStatusAt(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		silent, staleAfter time.Duration
		want               string
	}{
		{5 * time.Minute, 5 * time.Minute, agent.StatusIdle},
		{5*time.Minute + 1, 5 * time.Minute, agent.StatusDisconnected},
		{time.Hour, 0, agent.StatusIdle},
	} {
		a := agent.Agent{Status: agent.StatusIdle, LastSeen: timestamp.Of(now.Add(-c.silent))}
		if got := a.StatusAt(now, c.staleAfter); got != c.want {
			t.Errorf("silent for %v, stale after %v: %s", c.silent, c.staleAfter, got)
		}
	}
}

// Only a text with the whole form of an id is refused as a name.
func TestNamesLikeIDs(t *testing.T) {
	db := registrytest.Open(t)
	within(t, db, func(tx *registry.Tx) error {
		for _, name := range []string{"a-team", "a-01234567890", "a-012345678i", "b-0123456789", "0123456789"} {
			if _, err := agent.Register(tx, agent.Registration{Name: name}); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
		return nil
	})
}

// A sign of life that goes along with the next statement counts like a call, and so does an agent that becomes idle so. An agent has joined
// only in the transaction that registers it.
func TestAlive(t *testing.T) {
	db := registrytest.Open(t)
	within(t, db, func(tx *registry.Tx) error {
		ann, err := agent.Caller(tx, "ann")
		if err != nil || !ann.Joined {
			t.Errorf("%+v, %v", ann, err)
		}
		if again, err := agent.Caller(tx, "ann"); err != nil || again.Joined {
			t.Errorf("%+v, %v", again, err)
		}
		if err := agent.Remove(tx, ann.ID); err != nil {
			return err
		}
		if ann, err = agent.Caller(tx, "ann"); err != nil || ann.Joined {
			t.Errorf("one that comes back: %+v, %v", ann, err)
		}
		_, err = agent.Caller(tx, "bob")
		return err
	})
	within(t, db, func(tx *registry.Tx) error {
		if err := tx.Do(`UPDATE agents SET status = 'disconnected', last_seen_at = '2020-01-01T00:00:00.000Z'`); err != nil {
			return err
		}
		ann, err := agent.Get(tx, "ann")
		if err != nil {
			return err
		}
		if err := agent.Alive(tx, ann); err != nil {
			return err
		}
		bob, err := agent.Get(tx, "bob")
		if now, _ := agent.Get(tx, "ann"); now.Status != agent.StatusActive || !now.LastSeen.Equal(tx.Now()) || bob.Status != agent.StatusDisconnected {
			t.Errorf("%+v and %+v", now, bob)
		}
		if err := agent.IdleLater(tx, `id = ? OR id = ?`, ann.ID, bob.ID); err != nil {
			return err
		}
		bob, _ = agent.Get(tx, "bob")
		if now, _ := agent.Get(tx, "ann"); now.Status != agent.StatusIdle || bob.Status != agent.StatusDisconnected {
			t.Errorf("%+v and %+v", now, bob)
		}
		where, args := agent.Candidates("Ann")
		if n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM agents WHERE `+where, args...)); n != 1 || err != nil {
			t.Errorf("%d candidates, %v", n, err)
		}
		return err
	})
}

// Only an active agent that the condition selects becomes idle.
func TestIdle(t *testing.T) {
	db := registrytest.Open(t)
	within(t, db, func(tx *registry.Tx) error {
		ids := map[string]int64{}
		for _, name := range []string{"ann", "bob", "cy"} {
			a, err := agent.Register(tx, agent.Registration{Name: name})
			if err != nil {
				return err
			}
			ids[name] = a.ID
		}
		if err := tx.Do(`UPDATE agents SET status = CASE name WHEN 'cy' THEN 'disconnected' ELSE 'active' END`); err != nil {
			return err
		}
		if err := agent.Idle(tx, `id = ? OR id = ?`, ids["ann"], ids["cy"]); err != nil {
			return err
		}
		for name, want := range map[string]string{"ann": agent.StatusIdle, "bob": agent.StatusActive, "cy": agent.StatusDisconnected} {
			if a, err := agent.Get(tx, name); err != nil || a.Status != want {
				t.Errorf("%s is %s, want %s; %v", name, a.Status, want, err)
			}
		}
		return nil
	})
}

// An agent that ends a session was alive, and does not begin to work by that.
func TestSignOff(t *testing.T) {
	db := registrytest.Open(t)
	within(t, db, func(tx *registry.Tx) error {
		for _, c := range []struct{ name, before, was, want string }{
			{"ann", agent.StatusActive, agent.StatusActive, agent.StatusActive}, {"bob", agent.StatusIdle, agent.StatusIdle, agent.StatusIdle},
			{"cid", agent.StatusDisconnected, agent.StatusDisconnected, agent.StatusIdle}, {"dan", agent.StatusActive, agent.StatusIdle, agent.StatusIdle},
			{"eve", agent.StatusIdle, agent.StatusActive, agent.StatusIdle},
		} {
			if _, err := agent.Register(tx, agent.Registration{Name: c.name}); err != nil {
				return err
			}
			if err := tx.Do(`UPDATE agents SET status = ?, last_seen_at = '2020-01-01T00:00:00.000Z' WHERE name = ?`, c.before, c.name); err != nil {
				return err
			}
			if err := agent.SignOff(tx, c.name, c.was); err != nil {
				return err
			}
			if a, err := agent.Get(tx, c.name); err != nil || a.Status != c.want || !a.LastSeen.Equal(tx.Now()) {
				t.Errorf("%s, %s before: %+v, want %s; %v", c.before, c.was, a, c.want, err)
			}
		}
		if err := agent.SignOff(tx, "nobody", ""); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("one that is not known: %v", err)
		}
		return nil
	})
}
