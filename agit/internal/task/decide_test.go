package task

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// The callers of the table, in the order of its columns. Each is asked with the
// token of the task's last claim, 0 when it had none.
var callers = []struct {
	name string
	with func(token int64) Caller
	// Flags of what the caller carries: the current token, a session, any token.
	current, session, token bool
}{
	{name: "holder", with: func(int64) Caller { return Caller{Agent: "ann"} }},
	{name: "holder, token", with: func(t int64) Caller { return Caller{Agent: "ann", Token: t} }, current: true, token: true},
	{name: "holder, stale token", with: func(t int64) Caller { return Caller{Agent: "ann", Token: t + 7} }, token: true},
	{name: "session", with: func(t int64) Caller { return Caller{Agent: "sue", SessionToken: t} }, session: true},
	{name: "session, unnamed", with: func(t int64) Caller { return Caller{Client: "client-1", SessionToken: t} }, session: true},
	{name: "stranger", with: func(int64) Caller { return Caller{Agent: "bob"} }},
	{name: "stranger, token", with: func(t int64) Caller { return Caller{Agent: "bob", Token: t} }, current: true, token: true},
	{name: "stranger, stale token", with: func(t int64) Caller { return Caller{Agent: "bob", Token: t + 7} }, token: true},
	{name: "nobody", with: func(int64) Caller { return Caller{} }},
	{name: "nobody, token", with: func(t int64) Caller { return Caller{Token: t} }, current: true, token: true},
	{name: "nobody, stale token", with: func(t int64) Caller { return Caller{Token: t + 7} }, token: true},
	{name: "person", with: func(int64) Caller { return Caller{Force: true} }},
	{name: "person, named", with: func(int64) Caller { return Caller{Agent: "bob", Force: true} }},
	{name: "person, stale token", with: func(t int64) Caller { return Caller{Force: true, Token: t + 7} }, token: true},
}

// The table: what each caller gets. + is allowed, = succeeds and changes
// nothing, - is a Conflict, . cannot be asked. Columns as in callers:
// holder (by name, with the token, with a stale one), another agent of the MCP
// session, its unnamed client, a stranger (three), no one (three), a person
// (without name, with another's, with a stale token).
var table = map[string]map[action]string{
	"pending, never claimed": {
		toClaim:    "+.. .. +.. -.. ...",
		toStart:    "+.- .. +.- -.- -+-",
		toComplete: "+.- .. +.- -.- -+-",
		toFail:     "+.- .. +.- -.- -+-",
		toCancel:   "+.- .. +.- +.- ++-",
		toRelease:  "-.- .. -.- -.- ---",
		toHandOver: "-.- .. -.- -.- ---",
		toBlock:    "+.- .. +.- +.- ++-",
		toEdit:     "+.- .. +.- +.- ++-",
		toReopen:   "-.- .. -.- -.- ---",
		toDelete:   "+.- .. +.- +.- ++-",
	},
	"pending, released": {
		toClaim:    "+.. +. +.. -.. ...",
		toStart:    "+-- ++ +-- --- -+-",
		toComplete: "+-- ++ +-- --- -+-",
		toFail:     "+-- ++ +-- --- -+-",
		toCancel:   "+-- ++ +-- +-- ++-",
		toRelease:  "==- -- -=- ==- ---",
		toHandOver: "--- -- --- --- ---",
		toBlock:    "+-- ++ +-- +-- ++-",
		toEdit:     "+-- ++ +-- +-- ++-",
		toReopen:   "--- -- --- --- ---",
		toDelete:   "--- -- --- --- ---",
	},
	"pending, released twice": {
		toClaim:    "+.. +. +.. -.. ...",
		toStart:    "+-- ++ +-- --- -+-",
		toComplete: "+-- ++ +-- --- -+-",
		toFail:     "+-- ++ +-- --- -+-",
		toCancel:   "+-- ++ +-- +-- ++-",
		toRelease:  "==- -- -=- -=- ---",
		toHandOver: "--- -- --- --- ---",
		toBlock:    "+-- ++ +-- +-- ++-",
		toEdit:     "+-- ++ +-- +-- ++-",
		toReopen:   "--- -- --- --- ---",
		toDelete:   "--- -- --- --- ---",
	},
	"claimed": {
		toClaim:    "=.. -. -.. -.. ...",
		toStart:    "++- ++ -+- ++- ++-",
		toComplete: "++- ++ -+- ++- ++-",
		toFail:     "++- ++ -+- ++- ++-",
		toCancel:   "++- ++ -+- ++- ++-",
		toRelease:  "++- ++ -+- ++- ++-",
		toHandOver: "++- ++ -+- ++- ++-",
		toBlock:    "++- ++ -+- ++- ++-",
		toEdit:     "++- ++ -+- ++- ++-",
		toReopen:   "--- -- --- --- ---",
		toDelete:   "--- -- --- --- ---",
	},
	"claimed twice": {
		toClaim:    "=.. -. -.. -.. ...",
		toStart:    "++- ++ -+- -+- ++-",
		toComplete: "++- ++ -+- -+- ++-",
		toFail:     "++- ++ -+- -+- ++-",
		toCancel:   "++- ++ -+- -+- ++-",
		toRelease:  "++- ++ -+- -+- ++-",
		toHandOver: "++- ++ -+- -+- ++-",
		toBlock:    "++- ++ -+- -+- ++-",
		toEdit:     "++- ++ -+- -+- ++-",
		toReopen:   "--- -- --- --- ---",
		toDelete:   "--- -- --- --- ---",
	},
	"in progress": {
		toClaim:    "=.. -. -.. -.. ...",
		toStart:    "==- += -=- ==- ==-",
		toComplete: "++- ++ -+- ++- ++-",
		toFail:     "++- ++ -+- ++- ++-",
		toCancel:   "++- ++ -+- ++- ++-",
		toRelease:  "++- ++ -+- ++- ++-",
		toHandOver: "++- ++ -+- ++- ++-",
		toBlock:    "++- ++ -+- ++- ++-",
		toEdit:     "++- ++ -+- ++- ++-",
		toReopen:   "--- -- --- --- ---",
		toDelete:   "--- -- --- --- ---",
	},
	"in progress, claimed twice": {
		toClaim:    "=.. -. -.. -.. ...",
		toStart:    "==- += -=- -=- ==-",
		toComplete: "++- ++ -+- -+- ++-",
		toFail:     "++- ++ -+- -+- ++-",
		toCancel:   "++- ++ -+- -+- ++-",
		toRelease:  "++- ++ -+- -+- ++-",
		toHandOver: "++- ++ -+- -+- ++-",
		toBlock:    "++- ++ -+- -+- ++-",
		toEdit:     "++- ++ -+- -+- ++-",
		toReopen:   "--- -- --- --- ---",
		toDelete:   "--- -- --- --- ---",
	},
	"completed": {
		toClaim:    "-.. -. -.. -.. ...",
		toStart:    "--- -- --- --- ---",
		toComplete: "==- == -=- ==- ==-",
		toFail:     "--- -- --- --- ---",
		toCancel:   "--- -- --- --- ---",
		toRelease:  "--- -- --- --- ---",
		toHandOver: "--- -- --- --- ---",
		toBlock:    "--- -- --- --- ---",
		toEdit:     "--- -- --- --- ---",
		toReopen:   "++- ++ -+- ++- ++-",
		toDelete:   "--- -- --- --- ---",
	},
	"completed, claimed twice": {
		toClaim:    "-.. -. -.. -.. ...",
		toStart:    "--- -- --- --- ---",
		toComplete: "==- == -=- -=- ==-",
		toFail:     "--- -- --- --- ---",
		toCancel:   "--- -- --- --- ---",
		toRelease:  "--- -- --- --- ---",
		toHandOver: "--- -- --- --- ---",
		toBlock:    "--- -- --- --- ---",
		toEdit:     "--- -- --- --- ---",
		toReopen:   "++- ++ -+- -+- ++-",
		toDelete:   "--- -- --- --- ---",
	},
	"failed": {
		toClaim:    "-.. -. -.. -.. ...",
		toStart:    "--- -- --- --- ---",
		toComplete: "--- -- --- --- ---",
		toFail:     "==- == -=- ==- ==-",
		toCancel:   "--- -- --- --- ---", // canceling is another result
		toRelease:  "--- -- --- --- ---",
		toHandOver: "--- -- --- --- ---",
		toBlock:    "--- -- --- --- ---",
		toEdit:     "--- -- --- --- ---",
		toReopen:   "++- ++ -+- ++- ++-",
		toDelete:   "--- -- --- --- ---",
	},
	"canceled, never claimed": {
		toClaim:    "-.. .. -.. -.. ...",
		toStart:    "-.- .. -.- -.- ---",
		toComplete: "-.- .. -.- -.- ---",
		toFail:     "=.- .. =.- =.- ==-",
		toCancel:   "=.- .. =.- =.- ==-",
		toRelease:  "-.- .. -.- -.- ---",
		toHandOver: "-.- .. -.- -.- ---",
		toBlock:    "-.- .. -.- -.- ---",
		toEdit:     "-.- .. -.- -.- ---",
		toReopen:   "+.- .. +.- +.- ++-",
		toDelete:   "-.- .. -.- -.- ---",
	},
}

// inTable are the steps that bring a new task to a row of the table.
var inTable = map[string][]action{
	"pending, never claimed":     {},
	"pending, released":          {toClaim, toRelease},
	"pending, released twice":    {toClaim, toRelease, toClaim, toRelease},
	"claimed":                    {toClaim},
	"claimed twice":              {toClaim, toRelease, toClaim},
	"in progress":                {toClaim, toStart},
	"in progress, claimed twice": {toClaim, toRelease, toClaim, toStart},
	"completed":                  {toClaim, toComplete},
	"completed, claimed twice":   {toClaim, toRelease, toClaim, toComplete},
	"failed":                     {toClaim, toFail},
	"canceled, never claimed":    {toCancel},
}

// act does one action through the store's own methods.
func act(s *Store, t *testing.T, id string, do action, c Caller) (err error) {
	ctx, text := t.Context(), "other words"
	switch do {
	case toClaim:
		_, err = s.Claim(ctx, id, c.Agent)
	case toStart:
		_, err = s.Report(ctx, Report{ID: id, Status: InProgress, Caller: c})
	case toComplete:
		_, err = s.Report(ctx, Report{ID: id, Status: Completed, Caller: c})
	case toFail:
		_, err = s.Report(ctx, Report{ID: id, Status: Failed, Caller: c})
	case toCancel:
		_, err = s.Report(ctx, Report{ID: id, Status: Failed, Result: Canceled, Caller: c})
	case toRelease:
		_, err = s.Report(ctx, Report{ID: id, Status: Pending, Caller: c})
	case toHandOver:
		_, err = s.HandOver(ctx, id, "eve", c)
	case toBlock:
		_, err = s.Block(ctx, id, c, "not now")
	case toEdit:
		_, err = s.Edit(ctx, id, Edit{Text: &text}, c)
	case toReopen:
		_, err = s.Reopen(ctx, id, c, "")
	case toDelete:
		_, err = s.Delete(ctx, []string{id}, c, false)
	}
	return err
}

// Who may do what with a task, in every combination of status, action, caller
// and token, through the same methods as every command and tool.
func TestWhoMayChangeATask(t *testing.T) {
	t.Parallel()
	s := &Store{DB: registrytest.Open(t)}
	err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := project.Make(tx, project.New{UID: "plan"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for row, steps := range inTable {
		made := func() (id string, token int64) {
			tasks, err := s.Create(t.Context(), []New{{Project: "plan", Text: "words", Priority: work.PriorityMedium}})
			if err != nil {
				t.Fatal(err)
			}
			for _, do := range steps {
				by := "ann"
				if do == toCancel {
					by = ""
				}
				if err := act(s, t, tasks[0].ID, do, Caller{Agent: by}); err != nil {
					t.Fatalf("%s: to %s: %v", row, do, err)
				}
				if do == toClaim {
					token++
				}
			}
			return tasks[0].ID, token
		}
		id, token := made()
		for do, line := range table[row] {
			for i, want := range strings.ReplaceAll(line, " ", "") {
				by := callers[i]
				if (want == '.') != (by.current && token == 0 || by.session && token == 0 || do == toClaim && (by.token || by.with(1).Force || by.with(1).Client != "")) {
					t.Fatalf("%s, %s, %s: the table says %c", row, do, by.name, want)
				}
				if want == '.' {
					continue
				}
				tried++
				before, err := s.Get(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				err = act(s, t, id, do, by.with(token))
				var f *fault.Fault
				if err != nil && (!errors.As(err, &f) || f.Kind != fault.KindConflict && by.name != "nobody") {
					t.Fatalf("%s, %s, %s: %v", row, do, by.name, err)
				}
				after, gone := s.Get(t.Context(), id)
				changed := gone != nil || cmp.Diff(before, after) != ""
				got := map[[2]bool]rune{{true, true}: '+', {true, false}: '=', {false, false}: '-', {false, true}: '!'}[[2]bool{err == nil, changed}]
				if got != want {
					t.Errorf("%s, %s, %s: got %c (%v), want %c", row, do, by.name, got, err, want)
				}
				if held := before.Status == Claimed || before.Status == InProgress; want == '-' && held && do != toReopen && do != toDelete && do != toClaim && by.name == "stranger" && !strings.Contains(err.Error(), `"ann"`) {
					t.Errorf("%s, %s, %s: the holder is not named: %v", row, do, by.name, err)
				}
				if changed {
					id, token = made()
				}
			}
		}
	}
	if want := 1300; tried < want {
		t.Errorf("tried %d combinations, want at least %d", tried, want)
	}
}

const claimsPage = "../../../docs/claims.md"

// The page matches decide.
func TestClaimsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Who may change a task

One rule holds on every command, tool and merge. A claim is won by exactly one agent and carries a claim token that only
grows. The holder may act. So may a caller with the present token, and any agent name in the MCP session that made the claim: a
report there under another name books the work on that agent. A person may with ` + "`--force`" + `, and the history records it. A call that
names no agent is accepted while the task has had one claim only. Anything else is a ConflictError (exit 4) that names the holder. A
stale token is refused for every caller.

**yes** changes the task, **same** succeeds and changes nothing, **no** is refused.

| task | to | holder | its MCP session | token of the last claim | another agent | no agent, one claim | no agent, more claims | person with ` + "`--force`" + ` |
|---|---|---|---|---|---|---|---|---|
`)
	words := map[verdict]string{allowed: "yes", same: "same", refused: "no"}
	columns := []struct {
		claims int64
		by     caller
	}{
		{1, caller{who: holder}}, {1, caller{who: stranger, session: true}}, {1, caller{token: currentToken}}, {1, caller{who: stranger}},
		{1, caller{}}, {2, caller{}}, {1, caller{force: true}},
	}
	for _, status := range []string{Pending, Claimed, InProgress, Completed, Failed} {
		for _, do := range []action{toClaim, toStart, toComplete, toFail, toCancel, toRelease, toHandOver, toBlock, toEdit, toReopen, toDelete} {
			fmt.Fprintf(&b, "| %s | %s |", status, do)
			for _, c := range columns {
				by := c.by
				if status == Pending && by.session {
					by.session = false // the claim it was made for has ended
				}
				got, _ := decide(standing{status: status, claims: c.claims}, do, by)
				fmt.Fprintf(&b, " %s |", words[got])
			}
			b.WriteString("\n")
		}
	}
	b.WriteString(`
- A pending task of this table was claimed before and given back. A task that was never claimed follows the same rows, except that it
  can also be deleted.
- A claim of a pending task needs it to be ready ([ready.md](ready.md)); a report on one claims it. A task that a bug or a
  person blocks is neither started nor completed.
- A merge counts as a report of the agent that its worktree was made for, or of the one that merges, and completes a task that was given
  back, ready or not. A task that failed, or that another agent holds by then, stays as it is; the history keeps the merge. A sweep
  puts what silent agents hold back into the queue.
- A repeated report is the same only while it says nothing new: another result, artifact or metric is refused.
- A handover gives a token of its own, and the task's worktree goes with it.
- The assignee can be changed while no agent holds the task.

Written by ` + "`go test ./agit/internal/task -update`" + `.
`)
	if clitest.Updating() {
		if err := os.WriteFile(claimsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(claimsPage)
	if err != nil || string(page) != b.String() {
		t.Errorf("docs/claims.md is not what decide does (%v); run go test ./agit/internal/task -update", err)
	}
}
