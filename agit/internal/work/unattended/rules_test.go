package unattended

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/pull"
	"github.com/agit-suite/agit/agit/internal/run/acp"
	"github.com/agit-suite/agit/agit/internal/run/permit"
	"github.com/agit-suite/agit/agit/internal/run/policy"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// A request of the protocol is the call that the user's rules name.
func TestCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r    acp.Request
		want policy.Call
	}{
		{acp.Request{Kind: "execute"}, policy.Call{Kind: policy.Shell}},
		{acp.Request{Kind: "other", Command: "make"}, policy.Call{Kind: policy.Shell, Command: "make"}},
		{acp.Request{Kind: "read", Paths: []string{"a"}}, policy.Call{Kind: policy.Read, Paths: []string{"a"}}},
		{acp.Request{Kind: "search"}, policy.Call{Kind: policy.Read}},
		{acp.Request{Kind: "edit"}, policy.Call{Kind: policy.Edit}},
		{acp.Request{Kind: "delete"}, policy.Call{Kind: policy.Edit}},
		{acp.Request{Kind: "move"}, policy.Call{Kind: policy.Edit}},
		{acp.Request{Kind: "fetch", URL: "https://x.example"}, policy.Call{Kind: policy.Fetch, URL: "https://x.example"}},
		{acp.Request{Kind: "think"}, policy.Call{Kind: policy.Tool, Tool: "think"}},
		{acp.Request{Kind: "other", Tool: "Task"}, policy.Call{Kind: policy.Tool, Tool: "Task"}},
		{acp.Request{Kind: "other", Tool: "mcp__agit__agit_finish"}, policy.Call{Kind: policy.MCP, Server: "agit", Tool: "agit_finish"}},
		{acp.Request{Kind: "other", Tool: "mcp__agit"}, policy.Call{Kind: policy.Tool, Tool: "mcp__agit"}},
		{acp.Request{Kind: "other", Tool: "mcp__agit__x", Paths: []string{"a"}}, policy.Call{Kind: policy.Tool, Tool: "mcp__agit__x", Paths: []string{"a"}}},
		{acp.Request{Kind: "other", Tool: "mcp__agit__x", URL: "u"}, policy.Call{Kind: policy.Tool, Tool: "mcp__agit__x", URL: "u"}},
	} {
		if diff := cmp.Diff(c.want, callOf(c.r)); diff != "" {
			t.Errorf("%+v: %s", c.r, diff)
		}
	}
}

// A rule decides, else a person for as long as they may be waited for, and what they allow for always is a rule from then on.
func TestDecide(t *testing.T) {
	r := newRows(t)
	r.Asks = &question.Store{DB: r.DB}
	var events []Event
	crew := r.Crew(Options{Repo: r.repo, Agents: []string{"ann"}, Rules: Rules{Allow: []string{"shell(make)"}, Deny: []string{"shell(rm *)"}}}, nil, func(e Event) { events = append(events, e) })
	turn := &on{member: crew.members[0], b: brief.Brief{Task: &brief.Task{ID: r.task.ID, Name: "New"}, Worktree: &brief.Worktree{ID: "w-1"}}}
	turn.w = worktree.Worktree{Ref: "w-1", ItemID: r.item, AgentID: r.ann.ID, ProjectID: r.repo.ProjectID, Path: t.TempDir()}
	turn.Presence = &presence.Store{DB: r.DB, StaleAfter: time.Hour}
	a := r.begin(Begun)
	held := 0
	decide := func(command string) acp.Decision {
		return turn.decide(t.Context(), a, acp.Request{Kind: "execute", Command: command}, func() func() {
			held++
			return func() { held-- }
		})
	}
	answers := func(answer question.Answer) {
		crew.show = func(e Event) {
			events = append(events, e)
			if _, rest, ok := strings.Cut(e.Why, "`agit answer "); ok {
				id, _, _ := strings.Cut(rest, " ")
				if _, err := r.Asks.Answer(context.Background(), id, answer); err != nil {
					t.Error(err)
				}
			}
		}
	}
	for _, c := range []struct {
		name, command string
		wait          time.Duration
		answer        question.Answer
		allow         bool
		why           string
	}{
		{"a rule allows it", "make", 0, question.Answer{}, true, "shell(make)"},
		{"a rule denies it", "rm -rf x", time.Hour, question.Answer{Allow: true}, false, "the rule shell(rm *)"},
		{"no person is asked", "npm i", 0, question.Answer{}, false, "no rule allows it, and no one is asked"},
		{"a person allows it", "npm i", time.Hour, question.Answer{Allow: true, Why: "this once\nreally"}, true, "a person allowed it: this once"},
		{"a person denies it", "npm i", time.Hour, question.Answer{}, false, "a person denied it"},
		{"no person answers", "npm i", time.Nanosecond, question.Answer{}, false, "no one answered within 1ns"},
		{"a person allows it for always", "npm i", time.Hour, question.Answer{Allow: true, Always: true}, true, "a person allowed it"},
		{"what was allowed for always", "npm i", 0, question.Answer{}, true, "shell(npm i)"},
	} {
		events = nil
		crew.o.Rules.AskFor = c.wait
		answers(c.answer)
		if c.wait == time.Nanosecond {
			crew.show = func(e Event) { events = append(events, e) }
		}
		got := decide(c.command)
		if got.Allow != c.allow || !strings.HasPrefix(got.Why, c.why) {
			t.Errorf("%s: %+v, want %t, %s", c.name, got, c.allow, c.why)
		}
		asked := c.wait > 0 && c.command == "npm i"
		if asked != (len(events) == 1) || asked && (events[0].What != EventAsks || events[0].TaskID != r.task.ID || events[0].Worktree != "w-1" || !strings.HasPrefix(events[0].Why, "shell: npm i; `agit answer ")) {
			t.Errorf("%s: the events are %+v", c.name, events)
		}
		if held != 0 || turn.asks != "" || turn.askID != "" {
			t.Errorf("%s: held %d times, asks %q %q", c.name, held, turn.asks, turn.askID)
		}
	}
	turn.Asks = nil
	crew.o.Rules.AskFor = time.Hour
	if got := decide("pip i"); got.Allow || !strings.Contains(got.Why, "no one is asked") {
		t.Errorf("without a place for questions: %+v", got)
	}
	crew.o.Rules.Deny = []string{"nothing(("}
	if got := decide("make"); got.Allow || got.Why == "" {
		t.Errorf("with a rule that is not readable: %+v", got)
	}
}

// Events of pull requests are reported under the name of the worktree's agent, and counted.
func TestEventsOfPullRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, why string
		event     string
		tally     Tally
	}{
		{pull.Handed, "a check failed", EventReturned, Tally{}},
		{pull.GaveUp, "", EventFailed, Tally{Failed: 1}},
		{pull.Merged, "", EventLanded, Tally{Landed: 1}},
		{"something else", "", EventNote, Tally{}},
	} {
		var told []Event
		crew := (&Store{}).Crew(Options{}, nil, func(e Event) { told = append(told, e) })
		crew.tellPull(pull.Event{What: c.what, Task: "T-1", Why: c.why, Pull: forge.PullRequest{Agent: "ann", Worktree: "w-1"}})
		why := (&forge.PullRequest{}).Stands()
		if c.why != "" {
			why += "; " + c.why
		}
		told[0].At = time.Time{}
		if diff := cmp.Diff([]Event{{Agent: "ann", What: c.event, TaskID: "T-1", Worktree: "w-1", Why: why}}, told); diff != "" || crew.tally != c.tally {
			t.Errorf("%s: %+v %s", c.what, crew.tally, diff)
		}
	}
	crew := (&Store{}).Crew(Options{}, nil, func(Event) { t.Error("pull requests are followed without a store") })
	crew.followPulls(t.Context())
	if crew.pulls(t.Context(), true) {
		t.Error("limited")
	}
}

// Without an open pull request nothing is reported, and neither is the end of the crew.
func TestPullsThatAreFollowed(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	r.Pulls = &pull.Store{Trees: &worktree.Store{DB: r.DB}, Interval: time.Hour}
	stopped := make(chan struct{})
	close(stopped)
	crew := r.Crew(Options{Repo: r.repo}, stopped, func(e Event) { t.Errorf("%+v", e) })
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{t.Context(), over} {
		if crew.pulls(ctx, false) {
			t.Error("limited")
		}
	}
	crew.followPulls(t.Context()) // which ends with the crew
	crew.stop = nil
	crew.followPulls(over)
}

// A name is for one worker of this machine, however it is spelled, as long as its process has it.
func TestAlone(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	release, err := r.alone("Ann")
	if err != nil {
		t.Fatal(err)
	}
	other, err := r.alone("bob")
	if err != nil {
		t.Fatal(err)
	}
	defer other()
	_, err = r.alone("ann")
	if f := fault.From(err); !fault.Is(err, fault.KindConflict) || f.Message != "another `agit work` runs as agent \"ann\"" || f.Hint != "give each worker a name of its own, such as --agent ann-2, or let one run several with --workers" {
		t.Errorf("%v", err)
	}
	if tally, err := r.Crew(Options{Repo: r.repo, Agents: []string{"ANN"}}, nil, nil).Run(t.Context()); !fault.Is(err, fault.KindConflict) || tally != (Tally{}) {
		t.Errorf("%+v, %v", tally, err)
	}
	// Another version of agit looks for the same files.
	files, err := filepath.Glob(filepath.Join(filepath.Dir(r.DB.Path()), "workers", "*"))
	if want := []string{"49915e0d7d4b402e.lock", "81b637d8fcd2c6da.lock"}; err != nil || len(files) != 2 || filepath.Base(files[0]) != want[0] || filepath.Base(files[1]) != want[1] {
		t.Errorf("%q, %v, want %q", files, err, want)
	}
	release()
	again, err := r.alone("ann")
	if err != nil {
		t.Fatal(err)
	}
	again()
}

// Signs of life show that the agent works, and find that its task was taken away.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	r := newRows(t)
	r.Presence = &presence.Store{DB: r.DB, StaleAfter: time.Hour}
	crew := r.Crew(Options{Repo: r.repo, Agents: []string{"ann"}}, nil, func(e Event) { t.Errorf("%+v", e) })
	turn := &on{member: crew.members[0], b: brief.Brief{Task: &brief.Task{ID: r.task.ID, ClaimToken: r.task.ClaimToken}, Worktree: &brief.Worktree{ID: "w-1"}}}
	id := r.place("w-1")
	turn.w = worktree.Worktree{ID: id, ItemID: r.item, AgentID: r.ann.ID}
	turn.look.Worktree = "w-1"
	statement := func() (words string) {
		r.write(func(tx *registry.Tx) error {
			list, err := presence.List(tx, time.Hour, 0)
			for _, p := range list {
				words += fmt.Sprintf("%s %s %s;", p.Agent, p.State, p.Note)
			}
			return err
		})
		return words
	}
	beat := func(shows string, taken bool) {
		t.Helper()
		ctx, cancel := context.WithCancelCause(t.Context())
		done := turn.heartbeat(ctx, cancel, "run-1")
		for !strings.Contains(statement(), shows) {
			<-time.After(time.Millisecond)
		}
		if taken {
			<-ctx.Done()
		}
		cancel(nil)
		<-done
		if errors.Is(context.Cause(ctx), errTaken) != taken {
			t.Error(context.Cause(ctx))
		}
	}
	beat("ann working ;", false)
	turn.b.Task.ClaimToken++
	beat("ann working ;", true)
}

// Four signs of life come within the silence after which a claim is released.
func TestBeatsWithin(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]time.Duration{0: beatEvery, time.Hour: beatEvery, 4 * beatEvery: beatEvery, 40 * time.Second: 10 * time.Second, 4 * time.Second: time.Second} {
		if got := beatsWithin(after); got != want {
			t.Errorf("%s: %s, want %s", after, got, want)
		}
	}
}

// The MCP servers of an agent are those of the suite that are installed, with the settings that place it.
func TestServersOfAnAgent(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	if got := suiteServers([]string{"AGIT_AGENT=ann"}); len(got) != 0 {
		t.Skipf("some are beside the tests: %+v", got)
	}
	desk, err := permit.Listen(func(context.Context, acp.Request) acp.Decision { return acp.Decision{} })
	if err != nil {
		t.Fatal(err)
	}
	defer desk.Close()
	if diff := cmp.Diff(acp.Server{Name: permit.Server, Command: "agit", Args: []string{"permit"}, Env: []string{desk.Setting()}}, permitServer(desk)); diff != "" {
		t.Error(diff)
	}
	gittest.WriteProgram(t, filepath.Join(bin, "agit"), "#!/bin/sh\n")
	gittest.WriteProgram(t, filepath.Join(bin, "memoryd"), "#!/bin/sh\n")
	env := []string{"AGIT_AGENT=ann", "PATH=/bin", "XAGIT_=1", "AGIT_DB=x"}
	serve, own := []string{"serve", "--tools", "core"}, []string{"AGIT_AGENT=ann", "AGIT_DB=x"}
	want := []acp.Server{{Name: "agit", Command: filepath.Join(bin, "agit"), Args: serve, Env: own}, {Name: "memoryd", Command: filepath.Join(bin, "memoryd"), Args: serve, Env: own}}
	if diff := cmp.Diff(want, suiteServers(env)); diff != "" {
		t.Error(diff)
	}
	if got := permitServer(desk).Command; got != filepath.Join(bin, "agit") {
		t.Error(got)
	}
	turn := &on{member: &member{crew: &Crew{}}, w: worktree.Worktree{Ref: "w-1"}}
	got := turn.outsideEnv("run-1")
	if !slices.Contains(got, worker.RunVariable+"=run-1") || !slices.Contains(got, "AGIT_CFG_WORK_SANDBOX=[]") {
		t.Errorf("%q", got)
	}
}

// Reasons are one line without advice, and an attempt whose process was killed says what was ended.
func TestReasons(t *testing.T) {
	t.Parallel()
	if got := reason(fault.Operation(errors.New("two\n  lines"), "it failed").WithHint("try again")); got != "it failed: two lines" {
		t.Errorf("%q", got)
	}
	if got := reason(errors.New(strings.Repeat("x", 700))); len(got) != 600 {
		t.Errorf("%d bytes", len(got))
	}
	for n, c := range map[int]struct{ before, want string }{0: {"", "its `agit work` was killed"}, 2: {"x", "its `agit work` was killed; 2 processes of it still ran and were ended"}, 1: {finishing, cutInFinish}} {
		if got := (Attempt{Why: c.before}).lost(n); got.Why != c.want || got.State != Lost {
			t.Errorf("%d: %+v", n, got)
		}
	}
	turn := &on{w: worktree.Worktree{Ref: "w-1"}}
	last := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}
	for want, r := range map[string]result{
		"red\nThe whole: agit logs w-1":                                          {},
		"red\nIts last message: done\nThe whole: agit logs w-1":                  {outcome: worker.Outcome{Said: worker.Said{Message: "done"}, Last: last}},
		"red\nIts last lines:\n2\n3\n4\n5\n6\n7\n8\n9\nThe whole: agit logs w-1": {outcome: worker.Outcome{Last: last}},
		"red\nIts last lines:\n1\nThe whole: agit logs w-1":                      {outcome: worker.Outcome{Last: last[:1]}},
	} {
		if got := turn.explain(r, "red"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := because("a person denied it", "no\nmore"); got != "a person denied it: no" {
		t.Error(got)
	}
}

// A crew may begin so many tasks, and a task that was not begun is not counted.
func TestTake(t *testing.T) {
	t.Parallel()
	crew := (&Store{}).Crew(Options{Tasks: 2}, nil, nil)
	for i, want := range []bool{true, true, false, false} {
		if got := crew.take(); got != want {
			t.Errorf("take %d: %v", i, got)
		}
	}
	crew.giveBack()
	if !crew.take() || crew.take() {
		t.Error("one that was given back is not taken once")
	}
	crew = (&Store{}).Crew(Options{}, nil, nil)
	crew.giveBack()
	for range 5 {
		if !crew.take() {
			t.Error("there is a limit without one")
		}
	}
}

// Work that an agent can mend is handed back; work that waits for a person is not.
func TestMendable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{{&land.GateFailure{}, true}, {fault.Conflict("worktree", "w-1", "x"), true}, {fault.Operation(nil, "x"), false}, {errors.New("x"), false}} {
		if got := mendable(c.err); got != c.want {
			t.Errorf("%T: %v", c.err, got)
		}
	}
	if err := errors.New("x"); isUnjudged(err) || isUnproposed(err) {
		t.Error("an error of another kind waits for a person")
	}
}

// The machine's failures are told from refusals of the work, which count as attempts.
func TestOfMachine(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"a full disk":      {fault.Operation(full, "write the index"), true},
		"little room":      {fault.Operation(nil, "its files need 9 MB").Retry(), true},
		"another error":    {full, true},
		"git's full disk":  {git.Fault(&git.Error{Stderr: "fatal: write error: No space left on device"}, "write the tree"), true},
		"git's refusal":    {git.Fault(&git.Error{Stderr: "fatal: no merge base"}, "find the merge base"), false},
		"the network":      {fault.Provider(nil, "the remote is away"), true},
		"the registry":     {fault.Database(nil, "it is locked"), true},
		"a hook":           {fault.Operation(nil, "the pre_merge hook failed"), false},
		"a red gate":       {&land.GateFailure{}, false},
		"a conflict":       {fault.Conflict("worktree", "w-1", "x").Retry(), false},
		"a missing thing":  {fault.NotFound("worktree", "w-1"), false},
		"a wrong argument": {fault.Validation("land", "x"), false},
	} {
		if got := ofMachine(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A run failed because of its client when it left nothing, and ended with an error or never showed a sign of the model.
func TestClientFailed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		r    result
		want bool
	}{
		{"an exit status", result{outcome: worker.Outcome{Ending: worker.Exited, Status: 1}}, true},
		{"an exit status, and something left", result{trace: true, outcome: worker.Outcome{Ending: worker.Exited, Status: 1}}, false},
		{"an error of its own", result{outcome: worker.Outcome{Ending: worker.Exited, Said: worker.Said{Knows: true, Final: true, Failed: "x"}}}, true},
		{"nothing done", result{outcome: worker.Outcome{Ending: worker.Exited}}, false},
		{"silence", result{outcome: worker.Outcome{Ending: worker.Idled, Said: worker.Said{Knows: true}}}, true},
		{"silence after a sign of the model", result{outcome: worker.Outcome{Ending: worker.Idled, Said: worker.Said{Knows: true, Acted: true}}}, false},
		{"silence of a client without events", result{outcome: worker.Outcome{Ending: worker.Idled}}, false},
		{"a time limit", result{outcome: worker.Outcome{Ending: worker.Limited, Status: 1}}, false},
	} {
		if got := (&on{}).clientFailed(c.r); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// The work of a run that may have changed something that is not its own waits for a person, as that of a try does.
func TestHowWorkLands(t *testing.T) {
	t.Parallel()
	turn := func(number int) *on {
		return &on{member: &member{agent: "ann", crew: &Crew{o: Options{Land: worktree.LandGate}}}, number: number, b: brief.Brief{Task: &brief.Task{ClaimToken: 7}}}
	}
	for _, c := range []struct {
		number int
		r      result
		land   string
	}{
		{0, result{}, worktree.LandGate},
		{1, result{}, worktree.LandReview},
		{0, result{doubt: "During the run the main checkout changed"}, worktree.LandReview},
	} {
		if land := turn(c.number).landMode(c.r); land != c.land {
			t.Errorf("try %d: %s", c.number, land)
		}
	}
	for number, token := range map[int]int64{0: 7, 1: 7, 2: 0, 3: 0} {
		if got := turn(number).caller(); got != (task.Caller{Agent: "ann", Token: token}) {
			t.Errorf("try %d finishes as %+v", number, got)
		}
	}
}

// A worker names the tasks that it passes over, and why.
func TestWhyPassed(t *testing.T) {
	t.Parallel()
	m := &member{}
	if why := m.whyPassed(); why != "" || m.stuck() != nil {
		t.Errorf("%q, %v", why, m.stuck())
	}
	m.overdrawn = map[string]string{"T-3": "$2 of $1", "T-4": "$3 of $1"}
	if why := m.whyPassed(); why != "the budget of T-3, T-4 is spent: $2 of $1" || m.stuck() != nil {
		t.Errorf("%q", why)
	}
	m.denied = map[string]string{"T-2": "Bash make", "T-1": "Bash make", "T-5": "Write x"}
	denied := "T-1, T-2 and T-5 went back untouched, since the client was not allowed: Bash make and Write x"
	if why := m.whyDenied(); strings.NewReplacer(",", "", " and", "").Replace(why) != strings.NewReplacer(",", "", " and", "").Replace(denied) {
		t.Errorf("%q", why)
	}
	if why := m.whyPassed(); why != m.whyDenied()+"; the budget of T-3, T-4 is spent: $2 of $1" {
		t.Errorf("%q", why)
	}
	if err := m.stuck(); !fault.Is(err, fault.KindOperation) || !strings.Contains(err.Error(), m.whyDenied()) {
		t.Errorf("%v", err)
	}
}

// A worker ends at an error that it would meet again, and after enough failed begins in a row.
func TestWhenAWorkerEnds(t *testing.T) {
	t.Parallel()
	passes := fault.Operation(nil, "x")
	closed, away := fault.Provider(nil, "x"), fault.Provider(nil, "x")
	closed.Retryable, away.Retryable = false, true
	for name, c := range map[string]struct {
		refused int
		task    string
		err     error
		want    bool
	}{
		"the first time":             {1, "", passes, false},
		"once less than enough":      {mostRefused - 1, "", passes, false},
		"often enough":               {mostRefused, "", passes, true},
		"more than enough":           {mostRefused + 1, "", passes, true},
		"with one task":              {1, "T-1", passes, true},
		"a conflict":                 {1, "", fault.Conflict("task", "T-1", "x"), false},
		"a mistake":                  {1, "", fault.Validation("repo", "x"), true},
		"what does not exist":        {1, "", fault.NotFound("repo", "x"), true},
		"a gate that is not trusted": {1, "", &land.Unjudged{}, true},
	} {
		m := &member{refused: c.refused, crew: &Crew{o: Options{Task: c.task}}}
		if got := m.givesUp(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	m := &member{crew: &Crew{o: Options{Pause: time.Minute}}}
	for barren, want := range map[int]time.Duration{2: time.Minute, 3: 2 * time.Minute, 4: 4 * time.Minute} {
		if m.barren = barren; m.rest() != want {
			t.Errorf("after %d failures: %s", barren, m.rest())
		}
	}
	for try, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 4: 4 * time.Second, 5: 0, 6: 0} {
		if got := beforeRetry(away, try); got != want {
			t.Errorf("after try %d: %s", try, got)
		}
	}
	if beforeRetry(nil, 1) != 0 || beforeRetry(closed, 1) != 0 {
		t.Error("a finish is tried again without a cause that passes")
	}
}
