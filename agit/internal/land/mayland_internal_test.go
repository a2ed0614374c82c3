package land

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
)

// Who may land: a person always, others only work that does not wait for a person.
func TestMayLand(t *testing.T) {
	t.Parallel()
	person, agent, run, tool := Asker{}, Asker{Agent: "ann"}, Asker{Run: "run-1"}, Asker{Tool: true}
	byDefault := worktree.Settings{Land: worktree.LandReview}
	review := worktree.Settings{Land: worktree.LandReview, LandSet: true}
	never := worktree.Settings{Land: worktree.LandNever, LandSet: true}
	gate := worktree.Settings{Land: worktree.LandGate, LandSet: true}
	for name, c := range map[string]struct {
		set   worktree.Settings
		waits bool
		want  bool // that others than a person may
	}{
		"the default":                       {byDefault, false, true},
		"the default, waiting":              {byDefault, true, false},
		"review":                            {review, false, false},
		"review, waiting":                   {review, true, false},
		"never":                             {never, false, false},
		"gate":                              {gate, false, true},
		"gate, waiting":                     {gate, true, false},
		"review, left to agents":            {worktree.Settings{Land: worktree.LandReview, LandSet: true, ByAgents: true}, false, true},
		"the default, left to them, waits":  {worktree.Settings{Land: worktree.LandReview, ByAgents: true}, true, true},
		"never, left to agents and waiting": {worktree.Settings{Land: worktree.LandNever, LandSet: true, ByAgents: true}, true, true},
	} {
		w := worktree.Worktree{Ref: "w-1"}
		if err := mayLand(person, c.set, w, c.waits, false); err != nil {
			t.Errorf("%s, a person: %v", name, err)
		}
		for _, asker := range []Asker{agent, run, tool} {
			if err := mayLand(asker, c.set, w, c.waits, false); (err == nil) != c.want || err != nil && !fault.Is(err, fault.KindConflict) {
				t.Errorf("%s, %s: %v", name, asker, err)
			}
		}
	}
}

// Only a person decides a review, unless the user allows agents to.
func TestMayDecide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asker Asker
		left  bool
		want  bool
	}{{Asker{}, false, true}, {Asker{Agent: "ann"}, false, false}, {Asker{Run: "run-1"}, false, false}, {Asker{Tool: true}, false, false}, {Asker{Agent: "ann"}, true, true}} {
		err := MayDecide(c.asker, worktree.Settings{ByAgents: c.left}, worktree.Worktree{Ref: "w-1"}, "returned")
		if (err == nil) != c.want {
			t.Errorf("%+v, left to agents %v: %v", c.asker, c.left, err)
		}
	}
}

// The gate gets what agents' clients get, and what the user names.
func TestGateEnvironment(t *testing.T) {
	t.Setenv("FORGE_TOKEN", "q8Zr5Tn2Lw9Xv4Bc7Ks1")
	t.Setenv("SSH_AUTH_SOCK", "/tmp/agent")
	t.Setenv("LC_TIME", "C")
	m := &merging{target: "main", w: worktree.Worktree{Ref: "w-1"}}
	m.j.New = "abc"
	env, secrets := m.environment()
	for setting, want := range map[string]bool{"FORGE_TOKEN=q8Zr5Tn2Lw9Xv4Bc7Ks1": false, "SSH_AUTH_SOCK=/tmp/agent": false, "LC_TIME=C": true,
		"AGIT_WORKTREE=w-1": true, "AGIT_TARGET=main": true, "AGIT_COMMIT=abc": true} {
		if slices.Contains(env, setting) != want {
			t.Errorf("%s: want %v in %q", setting, want, env)
		}
	}
	if len(secrets) > 0 {
		t.Errorf("secrets: %q", secrets)
	}
	m.set.GateEnv = []string{"FORGE_*"}
	env, secrets = m.environment()
	if !slices.Contains(env, "FORGE_TOKEN=q8Zr5Tn2Lw9Xv4Bc7Ks1") || !slices.Contains(secrets, "q8Zr5Tn2Lw9Xv4Bc7Ks1") {
		t.Errorf("named by the user: %q, hidden %q", env, secrets)
	}
}

// Where a forge lands work it does not land here, unless it is explicitly asked for, which only a person may do.
func TestMayLandBesideAForge(t *testing.T) {
	t.Parallel()
	set := worktree.Settings{Land: worktree.LandPR, LandSet: true}
	for _, c := range []struct {
		asker Asker
		here  bool
		want  bool
	}{{Asker{}, false, false}, {Asker{}, true, true}, {Asker{Agent: "ann"}, false, false}, {Asker{Agent: "ann"}, true, false}, {Asker{Tool: true}, true, false}} {
		for _, waits := range []bool{false, true} {
			if err := mayLand(c.asker, set, worktree.Worktree{Ref: "w-1"}, waits, c.here); (err == nil) != c.want || err != nil && !fault.Is(err, fault.KindConflict) {
				t.Errorf("%+v, here %v, waits %v: %v", c.asker, c.here, waits, err)
			}
		}
	}
}

// A request that names neither a strategy nor a target is plain.
func TestPlainRequests(t *testing.T) {
	t.Parallel()
	if !(Request{Repo: "app", Worktree: "w-1", By: "ann", Tip: "abc"}).Plain() {
		t.Error("a plain one is not")
	}
	for _, q := range []Request{{Into: "release"}, {Strategy: Squash}, {Gate: []string{}}, {Message: "x"}, {KeepTask: true}, {Remove: true}, {Here: true}} {
		if q.Plain() {
			t.Errorf("%+v is plain", q)
		}
	}
}
