package command

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/work"
)

// sameOptions compares options of commands, whose environment is the same one.
var sameOptions = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.Comparer(func(a, b *cli.Env) bool { return a == b }),
}

// meaning returns the options that a command line of a subcommand means.
func meaning[O any](build func(*cli.Env, cli.Func[O]) *cobra.Command, args ...string) func(*cli.Env) (any, error) {
	return func(env *cli.Env) (any, error) { return clitest.Options(env, build, args...) }
}

func step(verb string, args ...string) func(*cli.Env) (any, error) {
	for _, s := range taskSteps {
		if s.verb == verb {
			return meaning(newTaskStep(s), args...)
		}
	}
	panic("no step " + verb)
}

// TestTaskFlags holds that what a flag of tasks means is what the subcommand of its name means.
func TestTaskFlags(t *testing.T) {
	t.Parallel()
	env := clitest.NewRun(t).Env
	for _, c := range []struct {
		flags string
		want  func(*cli.Env) (any, error)
	}{
		{"", meaning(newTaskList)},
		{"app --ready --limit 3", meaning(newTaskList, "app", "--ready", "--limit", "3")},
		{"--status failed,pending --all --after x --project p", meaning(newTaskList, "--status", "failed,pending", "--all", "--after", "x", "--project", "p")},
		{"app --parallel-ok", meaning(newTaskList, "app", "--parallel-ok")},
		{"--create fix --id T-1 --priority high --epic e --estimate 2h", meaning(newTaskCreate, "fix", "--id", "T-1", "--priority", "high", "--epic", "e", "--estimate", "2h")},
		{"app --create - --project p --agent ann", meaning(newTaskCreate, "app", "-", "--project", "p", "--agent", "ann")},
		{"app --create x --from SEM-1 --depends-on A,B --capabilities go", meaning(newTaskCreate, "app", "x", "--from", "SEM-1", "--depends-on", "A,B", "--capabilities", "go")},
		{"app show T-1", meaning(newTaskShow, "T-1")},
		{"app explain T-1 --agent ann", meaning(newTaskExplain, "T-1", "--agent", "ann")},
		{"--claim T-1 --agent ann", meaning(newTaskClaim, "T-1", "--agent", "ann")},
		{"app --next --agent ann", meaning(newTaskNext, "app", "--agent", "ann")},
		{"--next=false", meaning(newTaskList)},
		{"--start T-1 --token 7", step("start", "T-1", "--token", "7")},
		{"--complete T-1 --result merged --agent ann", step("complete", "T-1", "--result", "merged", "--agent", "ann")},
		{"--fail T-1 --result canceled --force", step("fail", "T-1", "--result", "canceled", "--force")},
		{"--release T-1 --why ill", step("release", "T-1", "--why", "ill")},
		{"--reopen T-1 --why again", step("reopen", "T-1", "--why", "again")},
		{"--block T-1 --why wait", step("block", "T-1", "--why", "wait")},
		{"--unblock T-1 --why go", step("unblock", "T-1", "--why", "go")},
		{"--edit T-1 --text new --priority low --estimate 1h --assign bob", meaning(newTaskEdit, "T-1", "--text", "new", "--priority", "low", "--estimate", "1h", "--assign", "bob")},
		{"--edit T-1 --epic= --capabilities=", meaning(newTaskEdit, "T-1", "--epic=", "--capabilities=")},
		{"--hand-over T-1 --to bob --agent ann", meaning(newTaskHandOver, "T-1", "--to", "bob", "--agent", "ann")},
		{"--delete T-1,T-2 --yes --dry-run --agent ann", meaning(newTaskDelete, "T-1", "T-2", "--yes", "--dry-run", "--agent", "ann")},
	} {
		want, err := c.want(env)
		if err != nil {
			t.Errorf("the subcommand for %q: %v", c.flags, err)
			continue
		}
		got, err := clitest.Options(env, newTaskFlags, strings.Fields(c.flags)...)
		if err != nil {
			t.Errorf("%q: %v", c.flags, err)
			continue
		}
		if diff := cmp.Diff(want, got.action.options, sameOptions); diff != "" {
			t.Errorf("%q: (-subcommand +flag)\n%s", c.flags, diff)
		}
	}
}

// TestTaskFlagsRefused holds what is refused together, and the hint of each refusal.
func TestTaskFlagsRefused(t *testing.T) {
	t.Parallel()
	env := clitest.NewRun(t).Env
	for args, want := range map[string][2]string{
		"--claim T-1 --start T-1":      {"--claim and --start cannot be done at once", "one after another"},
		"--next --delete T-1":          {"--next and --delete cannot be done at once", "one after another"},
		"--claim T-1 --parallel-ok":    {"--claim and --parallel-ok cannot be done at once", "one after another"},
		"app show T-1 --complete T-1":  {"--complete and show cannot be done at once", "one after another"},
		"--create=":                    {"--create is empty", "what is to be done"},
		"--complete= --agent ann":      {"--complete is empty", "the id of a task"},
		"--ready --all":                {"--ready and --status or --all contradict each other", "pending"},
		"--ready --status pending":     {"--ready and --status or --all contradict each other", "pending"},
		"--limit -1":                   {"a limit of -1 makes no sense", "0 for all"},
		"--claim T-1 --limit -1":       {"a limit of -1 makes no sense", "0 for all"},
		"app other":                    {`an argument too many: "other"`, "agit tasks [REPO]"},
		"app claim T-1":                {`an argument too many: "claim"`, "agit tasks claim"},
		"app show":                     {"needs one id", "agit tasks show ID"},
		"app show T-1 T-2":             {"needs one id", "agit tasks show ID"},
		"--edit T-1 --priority urgest": {"urgest", ""},
		"--edit T-1 --estimate soon":   {"soon", ""},
	} {
		got, err := clitest.Options(env, newTaskFlags, strings.Fields(args)...)
		if !fault.Is(err, fault.KindValidation) || got != nil {
			t.Errorf("%q is not refused: %v", args, err)
			continue
		}
		if f := fault.From(err); !strings.Contains(f.Message, want[0]) || !strings.Contains(f.Hint, want[1]) {
			t.Errorf("%q: %q (%s)", args, f.Message, f.Hint)
		}
	}
}

// TestTaskArguments holds how subcommands read their arguments.
func TestTaskArguments(t *testing.T) {
	t.Parallel()
	env := clitest.NewRun(t).Env
	for args, want := range map[string][2]string{"fix it": {"fix", "it"}, "-": {"", "-"}, "app -": {"app", "-"}} {
		o, err := clitest.Options(env, newTaskCreate, strings.Fields(args)...)
		if err != nil || o.Repo != want[0] || o.Text != want[1] {
			t.Errorf("create %s: %+v, %v", args, o, err)
		}
	}
	for name, refused := range map[string]func(*cli.Env) (any, error){
		"create without a text":          meaning(newTaskCreate),
		"create with an empty text":      meaning(newTaskCreate, ""),
		"create with three arguments":    meaning(newTaskCreate, "app", "fix", "it"),
		"claim without an id":            meaning(newTaskClaim),
		"claim of two":                   meaning(newTaskClaim, "T-1", "T-2"),
		"delete of nothing":              meaning(newTaskDelete),
		"delete of an empty id":          meaning(newTaskDelete, "T-1", ""),
		"a list of two repositories":     meaning(newTaskList, "app", "other"),
		"a list of less than none":       meaning(newTaskList, "--limit", "-1"),
		"a list of what contradicts":     meaning(newTaskList, "--ready", "--all"),
		"complete without an id":         step("complete"),
		"edit with a wrong priority":     meaning(newTaskEdit, "T-1", "--priority", "urgest"),
		"hand-over of an empty id":       meaning(newTaskHandOver, "", "--to", "bob"),
		"show of two":                    meaning(newTaskShow, "T-1", "T-2"),
		"next of two repositories":       meaning(newTaskNext, "app", "other"),
		"a wrong argument of explain":    meaning(newTaskExplain, ""),
		"reopen with one id too many":    step("reopen", "T-1", "T-2"),
		"a start that says its result":   step("start", "T-1", "--result", "x"),
		"a completion that says its why": step("complete", "T-1", "--why", "x"),
	} {
		if got, err := refused(env); err == nil {
			t.Errorf("%s is not refused: %+v", name, got)
		}
	}
}

// taskRun is a run with a repository app in the registry of a test, in whose folder it is.
func taskRun(t *testing.T) *clitest.Run {
	t.Helper()
	run := clitest.NewRun(t)
	g := gittest.New(t)
	g.Commit("first", "README", "app\n")
	run.Dir = g.Dir
	if err := changing(run.Env, runAdd)(t.Context(), &addOptions{env: run.Env, Path: run.Dir, Name: "app"}); err != nil {
		t.Fatal(err)
	}
	return run
}

// do runs a step and returns the task that it left.
func do[O any](t *testing.T, run *clitest.Run, f cli.Func[O], o *O) (d task.Detail, err error) {
	t.Helper()
	s, failed := open(t.Context(), run.Env)
	if failed != nil {
		t.Fatal(failed)
	}
	err = f(t.Context(), o)
	d, failed = s.Tasks.Get(t.Context(), "T-1")
	if failed != nil {
		t.Fatal(failed)
	}
	return d, err
}

// TestTaskRun calls the run functions with options of their own, from creation to the end.
func TestTaskRun(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	by := func(agent string, change taskChange) taskChange {
		change.env, change.ID, change.Agent = run.Env, "T-1", agent
		return change
	}
	claim := by("ann", taskChange{})
	got, err := do(t, run, changing(run.Env, runTaskCreate), &taskCreateOptions{env: run.Env, Text: "fix it\n\nsoon", ID: "T-1", taskDetails: taskDetails{Priority: "high", Estimate: "2h"}})
	if err != nil || got.Repo != "app" || got.Name != "fix it" || got.Priority.String() != "high" || got.EstimatedDuration != "2h" {
		t.Fatalf("created: %+v, %v", got, err)
	}
	if got, err = do(t, run, changing(run.Env, runTaskClaim), &claim); err != nil || got.Status != task.Claimed || got.Agent != "ann" {
		t.Fatalf("claimed: %+v, %v", got, err)
	}
	for _, c := range []struct {
		name   string
		o      taskChange
		status string
		kind   fault.Kind // of the refusal
	}{
		{"another agent starts it", by("bob", taskChange{Step: stepStart}), task.Claimed, fault.KindConflict},
		{"its holder starts it", by("ann", taskChange{Step: stepStart}), task.InProgress, ""},
		{"another agent blocks it", by("bob", taskChange{Step: stepBlock}), task.InProgress, fault.KindConflict},
		{"its holder blocks it", by("ann", taskChange{Step: stepBlock, Why: "a key is missing"}), task.Blocked, ""},
		{"its holder lets it go", by("ann", taskChange{Step: stepUnblock}), task.InProgress, ""},
		{"it is given back", by("ann", taskChange{Step: stepRelease}), task.Pending, ""},
		{"it is completed", by("ann", taskChange{Step: stepComplete, Result: "merged"}), task.Completed, ""},
		{"a finished one fails", by("ann", taskChange{Step: stepFail}), task.Completed, fault.KindConflict},
		{"it is reopened", by("ann", taskChange{Step: stepReopen, Why: "not merged"}), task.Pending, ""},
		{"it fails", by("ann", taskChange{Step: stepFail, Result: "no way"}), task.Failed, ""},
	} {
		got, err := do(t, run, changing(run.Env, runTaskStep), &c.o)
		if c.kind == "" && err != nil || c.kind != "" && !fault.Is(err, c.kind) {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got.Status != c.status {
			t.Errorf("%s: it is %s, want %s", c.name, got.Status, c.status)
		}
	}
}

// TestTaskEditRun changes what is named, takes out what is named empty, and leaves the rest.
func TestTaskEditRun(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	if _, err := do(t, run, changing(run.Env, runTaskCreate), &taskCreateOptions{env: run.Env, Text: "fix it", ID: "T-1", taskDetails: taskDetails{Estimate: "2h", Capabilities: []string{"go"}}}); err != nil {
		t.Fatal(err)
	}
	none, low := []string{}, work.Priority(3)
	change := taskChange{env: run.Env, ID: "T-1"}
	got, err := do(t, run, changing(run.Env, runTaskEdit), &taskEditOptions{taskChange: change, Edit: task.Edit{Priority: &low, Capabilities: &none}})
	if err != nil || got.Name != "fix it" || got.Priority != low || len(got.RequiredCapabilities) != 0 || got.EstimatedDuration != "2h" {
		t.Errorf("%+v, %v", got, err)
	}
	hour := time.Hour
	if got, err = do(t, run, changing(run.Env, runTaskEdit), &taskEditOptions{taskChange: change, Edit: task.Edit{Estimate: &hour}}); err != nil || got.EstimatedDuration != "1h" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err = do(t, run, changing(run.Env, runTaskEdit), &taskEditOptions{taskChange: change}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("an edit of nothing: %v", err)
	}
}

// TestTaskAgent holds that AGIT_AGENT speaks where no agent is named, and only there.
func TestTaskAgent(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	run.Environ = []string{"AGIT_AGENT=ann"}
	if _, err := do(t, run, changing(run.Env, runTaskCreate), &taskCreateOptions{env: run.Env, Text: "x", ID: "T-1"}); err != nil {
		t.Fatal(err)
	}
	if got, err := do(t, run, changing(run.Env, runTaskNext), &taskNextOptions{env: run.Env}); err != nil || got.Agent != "ann" {
		t.Errorf("%+v, %v", got, err)
	}
	change := taskChange{env: run.Env, ID: "T-1", To: "bob"}
	if got, err := do(t, run, changing(run.Env, runTaskHandOver), &change); err != nil || got.Agent != "bob" {
		t.Errorf("%+v, %v", got, err)
	}
	change.Agent, change.Step = "bob", stepRelease
	if got, err := do(t, run, changing(run.Env, runTaskStep), &change); err != nil || got.Status != task.Pending {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestReadTasks creates what standard input lists: all of it, or nothing.
func TestReadTasks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in      string
		id      string
		made    int
		refused string
	}{
		"two tasks":             {in: `{"id":"T-1","name":"one"}` + "\n" + `{"title":"two","priority":1}`, made: 2},
		"a task of another":     {in: `{"id":"T-1","name":"one"}` + "\n" + `{"kind":"task","id":"T-9","name":"there"}`, made: 1},
		"one that says nothing": {in: `{"id":"T-1","name":"one"}` + "\n" + `{"id":"T-2"}`, refused: "line 2"},
		"a wrong priority":      {in: `{"name":"one","priority":"most"}`, refused: "line 1"},
		"one id for many":       {in: `{"name":"one"}`, id: "T-5", refused: "--id names one task"},
		"nothing":               {in: ``, made: 0},
	} {
		run := taskRun(t)
		run.In.WriteString(c.in)
		err := changing(run.Env, runTaskCreate)(t.Context(), &taskCreateOptions{env: run.Env, Text: "-", ID: c.id})
		if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s: %v", name, err)
		}
		if n := tasksIn(t, run); n != c.made {
			t.Errorf("%s: %d were made, want %d", name, n, c.made)
		}
	}
}

func tasksIn(t *testing.T, run *clitest.Run) int {
	t.Helper()
	s, err := open(t.Context(), run.Env)
	if err != nil {
		t.Fatal(err)
	}
	page, err := s.Tasks.List(context.Background(), task.Filter{Repo: "app"})
	if err != nil {
		t.Fatal(err)
	}
	return len(page.Tasks)
}
