package overview

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Sides of one agent are named by their worktrees: "with ann" would tell ann nothing.
func TestConflictNeedsNameSides(t *testing.T) {
	side := func(name, agent string) Side { return Side{Name: name, Worktree: "w-" + name, Agent: agent} }
	for want, sides := range map[string][]Side{
		"login.go with bob":          {side("login", "ann"), side("sso", "bob")},
		"login.go with export":       {side("login", "ann"), side("export", "ann")},
		"login.go with export, bob":  {side("login", "ann"), side("export", "ann"), side("sso", "bob")},
		"login.go with export, menu": {side("login", "ann"), side("export", "bob"), side("menu", "bob")},
		"login.go with main":         {side("login", "ann"), {Name: "main"}},
		"login.go with left, main":   {side("login", "ann"), side("left", ""), {Name: "main"}},
	} {
		needs := conflictNeeds([]Conflict{{File: "login.go", Depth: conflict.DepthMerge, Sides: sides}})
		if len(needs) != 1 || needs[0].Reason != want || needs[0].Conflict == nil {
			t.Errorf("needs are %+v, want %q", needs, want)
		}
	}
}

// Each need names the next step, with a command that can be typed.
func TestNeedsSayWhatToDo(t *testing.T) {
	one := Need{Worktree: "w-1", Task: "t-1"}
	between := &Conflict{Sides: []Side{{Name: "login", Worktree: "w-1"}, {Name: "sso", Worktree: "w-2"}}}
	behind := &Conflict{Sides: []Side{{Name: "login", Worktree: "w-1"}, {Name: "trunk"}}, with: "origin/trunk"}
	odd := &Conflict{Sides: []Side{{Name: "login", Worktree: "w-1"}, {Name: "a$(b)"}}, with: "a$(b)"}
	for _, tc := range []struct {
		kind     Kind
		on       []string
		conflict *Conflict
		want     string
	}{
		{NeedAnswer, nil, nil, "in the window"},
		{NeedReview, nil, nil, "`agit review w-1 --accept`"},
		{NeedLanding, nil, nil, "`agit merge w-1`"},
		{NeedConflict, nil, between, "land one of them"},
		{NeedConflict, nil, behind, "`git merge origin/trunk`"},
		{NeedConflict, nil, odd, "`git merge 'a$(b)'`"},
		{NeedBlocked, []string{"BUG-1", "BUG-2"}, nil, "`agit bug set BUG-1 fixed`"},
		{NeedTrial, nil, nil, "`agit trial` tries again"},
		{NeedBlocked, nil, nil, "`agit tasks unblock t-1`"},
		{NeedFailed, nil, nil, "`agit tasks reopen t-1`"},
	} {
		one.Kind, one.Conflict = tc.kind, tc.conflict
		if got := one.next(tc.on); !strings.Contains(got, tc.want) {
			t.Errorf("of %s it says %q, want %q", tc.kind, got, tc.want)
		}
	}
}

// Work that waits at a forge is shown with the state of its pull request.
func TestReviewNeed(t *testing.T) {
	t.Parallel()
	v := review.Review{Worktree: "w-1", Agent: "ann", Files: 2, Insertions: 3, Gate: "passed"}
	here := reviewNeed(v, "login")
	v.Pull = "pull request #7 waits for checks"
	there := reviewNeed(v, "login")
	v.Pull, v.Doubt = "", "a.txt is in the way"
	if doubted := reviewNeed(v, "login"); doubted.Reason != here.Reason+"; "+v.Doubt {
		t.Errorf("%+v", doubted)
	}
	v.Pull = "pull request #7 waits for checks"
	if next := there.next(nil); !strings.Contains(next, "merge its pull request at the forge") || strings.Contains(here.next(nil), "forge") {
		t.Errorf("next is to %s", next)
	}
	if here.State != "to review" || there.State != "pull request" || there.Reason != v.Pull+", "+here.Reason || there.Who != "ann" || !strings.HasSuffix(here.Reason, ", gate passed") {
		t.Errorf("%+v\n%+v", here, there)
	}
}

// A trial's failure is a need under the worktree that lands last, as long as all named worktrees exist.
func TestTrialNeeds(t *testing.T) {
	t.Parallel()
	in := input{rows: rows{repos: []repo.Repo{{ID: 1, Name: "app"}}, listed: map[int64]map[string]string{1: {"sso": "/src/sso"}}, trials: map[int64]*trial.Trial{1: {Failures: []trial.Failure{
		{Parties: []trial.Party{{Name: "w-1", Agent: "ann"}, {Name: "sso", Maker: "codex"}}, Command: "make test", Tests: []string{"TestSession"}, Log: "/logs/x", Alone: true},
		{Parties: []trial.Party{{Name: "w-9"}}, Command: "make test"},
	}}}}}
	needs := in.trialNeeds([]Worktree{{Ref: "w-1", Name: "login", Agent: "ann"}, {Ref: "/src/sso", Name: "sso"}})
	if len(needs) != 1 || needs[0].Worktree != "/src/sso" || needs[0].Kind != NeedTrial || needs[0].Repo != "app" || needs[0].Since == nil ||
		needs[0].Reason != "w-1 (ann) and sso (codex): `make test` fails together, TestSession; each alone passes; its log: /logs/x" {
		t.Errorf("%+v", needs)
	}
}

// A waiting question is a need of its own, with the whole call; its agent's state is not listed again.
func TestQuestionNeeds(t *testing.T) {
	t.Parallel()
	at := timestamp.Of(time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC))
	ask := func(id, call string) question.Question {
		return question.Question{ID: id, Agent: "ann", Repo: "app", Worktree: "w-1", Task: "t-1", TaskName: "Sort", Call: call, Rules: []string{"shell(make it)"}, AskedAt: at, Until: at}
	}
	in := input{rows: rows{questions: []question.Question{ask("q-1", "shell: make it"), ask("q-2", "shell: cat <<E\none\ntwo\nE\n")}}}
	s := &State{Worktrees: []Worktree{{Ref: "w-1", Name: "sort", Task: "t-1", TaskName: "Sort"}}, Agents: []Agent{
		{Name: "ann", State: "waiting for you", Worktree: "w-1", Note: "q-2: shell: cat"}, {Name: "bob", State: "waiting for you", Note: "which port?"}, {Name: "ann", State: "waiting for you", Worktree: "w-2"}}}
	needs := in.needs(s)
	var told []string
	for _, n := range needs {
		told = append(told, n.Who+" "+n.Reason+" "+n.What+" "+n.Next)
	}
	if d := cmp.Diff([]string{
		"ann asks: shell: make it sort `agit answer q-1 --allow`, or --always, or --deny \"why\"",
		"ann asks: shell: cat <<E (and 3 more lines) sort `agit answer q-2 --allow`, or --always, or --deny \"why\"",
		"bob asks: which port?  answer it in the window in which it runs",
		"ann it did not say what it asks  answer it in the window in which it runs",
	}, told); d != "" {
		t.Error(d)
	}
	if q := needs[1].Question; q == nil || q.Call != "shell: cat <<E\none\ntwo\nE\n" || q.Until != at || len(q.Rules) != 1 || needs[0].Key == needs[1].Key {
		t.Errorf("%+v", needs[1])
	}
}

// Tasks that failed for one reason are one card; other needs and other reasons stay.
func TestFailuresOfOneCause(t *testing.T) {
	t.Parallel()
	failed := func(task, repo, reason string, hours int) Need {
		since := timestamp.Of(time.Date(2026, 11, 1, hours, 0, 0, 0, time.UTC))
		return Need{Kind: NeedFailed, Task: task, Repo: repo, Reason: reason, Since: &since}
	}
	got := foldFailures([]Need{
		{Kind: NeedReview, Reason: "the same"}, {Kind: NeedReview, Reason: "the same"},
		failed("t-1", "app", "the gate failed: make test; its log: /x/w-1/2.log", 5), failed("t-2", "app", "The gate failed: make test; its log: /x/w-2/9.log", 3),
		failed("t-3", "web", "the gate failed: make test; its log: /x/w-3/1.log", 2), failed("t-4", "app", "the gate failed: make lint", 1),
		failed("t-5", "app", "", 1), failed("t-6", "app", "", 1), failed("t-7", "app", "the gate failed: make test", 9),
	})
	var shown []string
	for _, n := range got {
		shown = append(shown, n.Task+"|"+n.Reason)
	}
	want := []string{
		"|the same", "|the same", "t-1|2 tasks failed alike, also t-2: the gate failed: make test; its log: /x/w-1/2.log",
		"t-3|the gate failed: make test; its log: /x/w-3/1.log", "t-4|the gate failed: make lint", "t-5|", "t-6|", "t-7|the gate failed: make test",
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Error(diff)
	}
	if got[2].Since.Hour() != 3 {
		t.Errorf("it waits since %v, not as long as the first that failed", got[2].Since)
	}
}

// A need shows its worktree's changes and its task's costs, if both are known.
func TestNeedsSayWhatChangedAndCost(t *testing.T) {
	t.Parallel()
	one, two, none := 1, 2, 0
	in := input{took: map[string]costs.Sum{"T-1": {Cost: []costs.Money{{Currency: "USD", Amount: 1.5}}}, "": {Unpriced: 1}}}
	in.reviews = []review.Review{{Worktree: "w-1", TaskID: "T-1", Files: 3}}
	s := State{Worktrees: []Worktree{
		{Ref: "w-1", Name: "login", Task: "T-1", TaskName: "Log in", Ahead: &one, Touched: &two, Missing: true},
		{Ref: "w-2", Name: "menu", Ahead: &none, Touched: &none, Missing: true}, {Ref: "w-3", Name: "sso", Missing: true},
	}}
	got := map[string][]string{}
	for _, n := range in.needs(&s) {
		got[string(n.Kind)+" "+n.Worktree] = []string{n.Change, n.Cost}
	}
	want := map[string][]string{"review w-1": {"", "$1.50"}, "folder w-1": {"1 commit, 2 files", "$1.50"}, "folder w-2": {"", ""}, "folder w-3": {"", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Costs are read for the tasks that may wait for a person.
func TestTasksThatMayWait(t *testing.T) {
	t.Parallel()
	r := rows{worktrees: []worktree.Worktree{{TaskID: "T-2"}, {}, {TaskID: "T-1"}},
		tasks: []task.Outlook{{Blocked: []task.Waiting{{Task: task.Task{ID: "T-3"}}}, Failed: []task.Task{{ID: "T-1"}}}}}
	if diff := cmp.Diff([]string{"T-1", "T-2", "T-3"}, r.mayWait()); diff != "" {
		t.Error(diff)
	}
}

// Without needs, a page gets an empty list and not null.
func TestNoNeedsAreAList(t *testing.T) {
	t.Parallel()
	if got := derive(input{}).Needs; got == nil || len(got) != 0 {
		t.Errorf("%#v", got)
	}
}
