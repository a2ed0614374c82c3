package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/edits"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/doctor"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/watch"
	"github.com/agit-suite/agit/agit/internal/work/unattended"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// TestWhyNothing holds why nothing is ready, for each reason, in one order.
func TestWhyNothing(t *testing.T) {
	t.Parallel()
	counts := map[work.Why]int{}
	for i, why := range []work.Why{work.WhyContainer, work.WhyProject, work.WhyFailed, work.WhyOutside, work.WhyAncestor, work.WhyChildren, work.WhyOrigin, work.WhyCapability, work.WhyPriority, work.WhyBug} {
		counts[why] = 10 + i
	}
	want := "10 only hold others, 11 in a project that is not active, 12 blocked by a failed task, 13 waiting for something outside, 14 inside something that waits, 15 with open parts, " +
		"16 of a ticket that waits, 17 for other capabilities, 18 of a lower priority, 19 blocked by bug; `agit tasks list` lists them, `agit tasks create TEXT` makes one"
	if got := whyNothing(counts); got != want {
		t.Errorf("%s", got)
	}
	if got := whyNothing(nil); got != "there is no open task; `agit tasks create TEXT` makes one" {
		t.Errorf("%s", got)
	}
}

// TestSentencesOfCheck holds what a hook tells an agent of others at a file.
func TestSentencesOfCheck(t *testing.T) {
	t.Parallel()
	found := &conflict.FileCheck{
		File:    "a.go",
		Touched: []conflict.Toucher{{ID: "w-1", Branch: "login", Agent: "ann", Change: conflict.Modified}, {ID: "w-2", Branch: "menu", Change: conflict.Added, Committed: true}},
		Claims:  []conflict.Announcement{{Agent: "bob", Pattern: "*.go", Why: "a new\x1b[31m login"}, {Agent: "cat", Pattern: "a*"}},
		Uses:    []conflict.Use{{Text: "a.go:3 uses Login, which w-1 has removed"}},
	}
	want := "a.go is also changed (modified, not committed yet) in worktree w-1 of agent ann, branch login.\n" +
		"a.go is also changed (added, committed on its branch) in worktree w-2, branch menu.\n" +
		"a.go is announced by bob (*.go): a new\\x1b[31m login.\na.go is announced by cat (a*).\n" +
		"a.go:3 uses Login, which w-1 has removed.\n" +
		"Keep your change small or agree with them first; agit_check_conflicts shows the lines.\n"
	if got := sentences(found); got != want {
		t.Errorf("%q, want\n%q", got, want)
	}
	found.Free = true
	if got := sentences(found); got != "" {
		t.Errorf("%q", got)
	}
}

// TestWordsOfParts holds short texts that lists are made of.
func TestWordsOfParts(t *testing.T) {
	t.Parallel()
	at := timestamp.Of(tablesAt)
	in := []obstacle.Obstacle{{Text: "one"}, {Text: "two"}}
	for want, got := range map[string]string{
		"uncommitted":                           state(edits.Edit{Uncommitted: true, Commit: "0123456789ab"}),
		"in 012345678":                          state(edits.Edit{Commit: "0123456789ab"}),
		"in 0123":                               state(edits.Edit{Commit: "0123"}),
		"not kept":                              state(edits.Edit{}),
		"yes":                                   removed(true, in, "x"),
		"would be":                              removed(false, nil, ""),
		"no":                                    removed(false, in, "") + removed(false, nil, "x")[2:],
		"one; two":                              whyNot(in, ""),
		"one; two; three":                       whyNot(in, "three"),
		"nothing is changed at a, b":            nothingChanged("w-1", review.Later, []string{"a", "b"}),
		"nothing is different":                  nothingChanged("w-1", review.Later, nil),
		"w-1 changes nothing yet":               nothingChanged("w-1", review.Whole, nil),
		"done":                                  endOf(unattended.Attempt{State: "done"}),
		"failed: why":                           endOf(unattended.Attempt{State: "failed", Why: "why\nand more"}),
		"a.go w-1 ann, b.go *.go bob, c.go w-2": meets([]conflict.Meet{{File: "a.go", Worktree: "w-1", Agent: "ann"}, {File: "b.go", Claim: "*.go", Agent: "bob"}, {File: "c.go", Worktree: "w-2"}}),
		"2026-11-25T12:00:00Z":                  when(&at),
		"":                                      when(nil) + agentNote("") + some(0) + shortCommit("") + named("", ""),
		"012345678901":                          shortCommit("0123456789012"),
		"T-1 Log in":                            named("T-1", "Log in\nsoon"),
		"1 file +2 -3":                          changed(1, 2, 3),
		"2.0 MB":                                storedSize(registry.Report{StoredBytes: 2 << 20}),
		"2.0 MB of at most 512 MB":              storedSize(registry.Report{StoredBytes: 2 << 20, LimitBytes: 512 << 20}),
		"app --task x":                          operand("app", "--task x"),
		"'my app' --task x":                     operand("my app", "--task x"),
		"--task x -- -app":                      operand("-app", "--task x"),
		"7":                                     cell(json.Number("7")),
		"text":                                  cell("text"),
		`{"a":[1,null]}`:                        cell(map[string]any{"a": []any{1, nil}}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := cell(func() {}); !strings.HasPrefix(got, "0x") {
		t.Errorf("what is not JSON: %q", got)
	}
	if got := cell(nil); got != "" {
		t.Errorf("%q", got)
	}
}

// TestQueryParams reads values as JSON, or as text where they are not.
func TestQueryParams(t *testing.T) {
	t.Parallel()
	got, err := queryParams([]string{"a=5", "$b=x=y", `c={"d": [1.50]}`, "e=1 2", "f=", `g="5"`})
	want := map[string]any{"a": json.Number("5"), "b": "x=y", "c": map[string]any{"d": []any{json.Number("1.50")}}, "e": "1 2", "f": "", "g": "5"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, wrong := range []string{"a", "=5", ""} {
		if got, err := queryParams([]string{"b=1", wrong}); !fault.Is(err, fault.KindValidation) || got != nil {
			t.Errorf("%q: %v, %v", wrong, got, err)
		}
	}
}

// TestIncomingTasks holds the text of tasks of other lists, and what they are made from.
func TestIncomingTasks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in           incomingTask
		text         string
		origin, task bool
	}{
		{incomingTask{Name: "a", Title: "b"}, "a", false, false},
		{incomingTask{Title: "b"}, "b", false, false},
		{incomingTask{Description: "c"}, "c", false, false},
		{incomingTask{Name: "a", Description: "a"}, "a", false, false},
		{incomingTask{Name: "a", Description: "a and more"}, "a and more", false, false},
		{incomingTask{Name: "ab", Description: "a"}, "ab\n\na", false, false},
		{incomingTask{Name: "a", Description: "c"}, "a\n\nc", false, false},
		{incomingTask{Title: "b", Description: "c", ID: "X-1", Kind: "ticket"}, "b\n\nc", true, false},
		{incomingTask{Title: "b", ID: "X-1", Kind: "plan"}, "b", true, false}, {incomingTask{Title: "b", ID: "X-1", Kind: "bug"}, "b", true, false},
		{incomingTask{Title: "b", Kind: "bug"}, "b", false, false}, {incomingTask{Title: "b", ID: "X-1", Kind: "epic"}, "b", false, false},
		{incomingTask{Title: "b", ID: "X-1", Kind: "task"}, "b", false, true},
	} {
		if c.in.text() != c.text || c.in.isOrigin() != c.origin || c.in.isTask() != c.task {
			t.Errorf("%+v: %q, origin %t, task %t", c.in, c.in.text(), c.in.isOrigin(), c.in.isTask())
		}
	}
}

// TestWorkersAreNamed holds the names of several workers, and which are refused.
func TestWorkersAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		n    int
		want []string
	}{
		{"ann", 1, []string{"ann"}}, {"ann", 2, []string{"ann-1", "ann-2"}}, {"%i-ann-%i", 1, []string{"1-ann-1"}}, {"a%ib", 3, []string{"a1b", "a2b", "a3b"}},
		{"", 1, nil}, {"ann", 0, nil}, {"ann", mostWorkers + 1, nil}, {"a\x00", 1, []string{"a\x00"}}, {"a\x00", 2, nil},
	} {
		got, err := workerNames(c.name, c.n)
		if fine := c.want != nil && c.name != "a\x00"; !slices.Equal(got, c.want) || (err == nil) != fine {
			t.Errorf("%q %d: %q, %v", c.name, c.n, got, err)
		}
	}
	if got, err := workerNames("ann", mostWorkers); len(got) != mostWorkers || err != nil {
		t.Errorf("%d, %v", len(got), err)
	}
}

// TestWatchAnnounces holds how an event is printed, and how a terminal and a command are told of it.
func TestWatchAnnounces(t *testing.T) {
	t.Parallel()
	event := watch.Event{Kind: watch.Waiting, At: timestamp.Of(tablesAt), Agent: "ann", Repo: "app", Worktree: "w-1", Name: "login", Task: "T-1", State: "waiting for you", Note: "a\x00b", Question: "q-1", Text: "ann asks\x1b: may I?"}
	var prints []printed
	for name, o := range map[string]watchOptions{"one": {}, "follow": {Follow: true}} {
		for _, format := range []string{"table", "json", "ndjson"} {
			run := clitest.NewRun(t)
			run.Globals.Output = format
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			o.env = run.Env
			print, err := o.printer()
			if name == "follow" && format == "json" {
				if !fault.Is(err, fault.KindValidation) {
					t.Errorf("one document without an end: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := print(t.Context(), event); err != nil {
				t.Fatal(err)
			}
			prints = append(prints, printed{name + " as " + format, func(s *term.Streams) error { return s.Text(run.Out.String()) }})
		}
	}
	slices.SortFunc(prints, func(a, b printed) int { return strings.Compare(a.of, b.of) })
	tells(t, "watch-formats", prints...)
	event.At = timestamp.Of(time.Date(2026, 11, 25, 12, 5, 0, 0, time.Local))
	looks(t, "watch-event", func(s *term.Streams) error {
		run := clitest.NewRun(t)
		run.Streams = s
		if err := run.Start(); err != nil {
			return err
		}
		for _, kind := range []watch.Kind{watch.Waiting, watch.Landed, watch.Idle} {
			event.Kind = kind
			print, err := (&watchOptions{env: run.Env, Follow: true}).printer()
			if err == nil {
				err = print(t.Context(), event)
			}
			if err != nil {
				return err
			}
		}
		for _, o := range []watchOptions{{}, {NoBell: true}, {OSC: "9"}, {OSC: "777", NoBell: true}} {
			o.env = run.Env
			alert, err := o.alert()
			if err != nil {
				return err
			}
			o.ring(t.Context(), event, alert)
			s.Warn("that was %+v", alert)
		}
		return nil
	})

	env := eventEnvironment(event, "said")
	for _, want := range []string{"AGIT_EVENT=idle", "AGIT_TEXT=said", "AGIT_AGENT=ann", "AGIT_REPO=app", "AGIT_WORKTREE=w-1", "AGIT_TASK=T-1", "AGIT_STATE=waiting for you", "AGIT_NOTE=ab", "AGIT_QUESTION=q-1"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is not among them", want)
		}
	}
	kitty := "KITTY_WINDOW_ID=1"
	for _, c := range []struct {
		o    watchOptions
		env  string
		want term.Alert
	}{
		{watchOptions{}, kitty, term.NoAlert}, {watchOptions{OSC: "auto"}, kitty, term.OSC99}, {watchOptions{OSC: "99"}, "", term.OSC99}, {watchOptions{Notify: true}, kitty, term.OSC99},
	} {
		run := clitest.NewRun(t)
		run.Environ = []string{c.env}
		c.o.env = run.Env
		if runtime.GOOS == "darwin" && c.o.Notify {
			continue // its desktop shows it
		}
		if got, err := c.o.alert(); got != c.want || err != nil {
			t.Errorf("%+v: %q, %v", c.o, got, err)
		}
	}
	run := clitest.NewRun(t)
	if _, err := (&watchOptions{env: run.Env, OSC: "12"}).alert(); !fault.Is(err, fault.KindValidation) {
		t.Errorf("%v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	o := &watchOptions{env: run.Env, Exec: `echo "$AGIT_EVENT of $AGIT_AGENT"; exit 3`}
	o.ring(t.Context(), event, term.NoAlert)
	if said := run.Errs.String(); !strings.Contains(said, "idle of ann") || !strings.Contains(said, "warning: ") {
		t.Errorf("%s", said)
	}
}

// TestDesktopNotice holds which program shows a notification, and that it is only started where there is a desktop.
func TestDesktopNotice(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("another program shows it")
	}
	bin, said := t.TempDir(), filepath.Join(t.TempDir(), "said")
	t.Setenv("PATH", bin)
	run := clitest.NewRun(t)
	o := &watchOptions{env: run.Env, Notify: true, NoBell: true}
	run.Environ = []string{"DISPLAY=:0"}
	if o.desktop() {
		t.Error("without the program")
	}
	gittest.WriteProgram(t, filepath.Join(bin, "notify-send"), "#!/bin/sh\nfor a in \"$@\"; do echo \"$a\"; done > "+said+"\n")
	for environ, want := range map[string]bool{"X=1": false, "DISPLAY=:0": true, "WAYLAND_DISPLAY=w": true, "DBUS_SESSION_BUS_ADDRESS=d": true} {
		run.Environ = []string{environ}
		if got := o.desktop(); got != want {
			t.Errorf("%s: %t", environ, got)
		}
		if alert, err := o.alert(); err != nil || alert != term.NoAlert {
			t.Errorf("%s: %q, %v", environ, alert, err)
		}
	}
	run.Environ = []string{"DISPLAY=:0"}
	o.ring(t.Context(), watch.Event{Text: "ann asks"}, term.NoAlert)
	if got, err := os.ReadFile(said); err != nil || string(got) != "--app-name=agit\n--\nagit\nann asks\n" || run.Errs.Len() > 0 {
		t.Errorf("%q, %v, %s", got, err, run.Errs)
	}
	gittest.WriteProgram(t, filepath.Join(bin, "notify-send"), "#!/bin/sh\necho no bus >&2\nexit 1\n")
	o.ring(t.Context(), watch.Event{Text: "ann asks"}, term.NoAlert)
	if got := run.Errs.String(); got != "warning: no notification was shown: notify-send exited with 1: no bus\n" {
		t.Errorf("%q", got)
	}
}

// TestDoctorTable prints the checks of a visit in the order and with the words of its document.
func TestDoctorTable(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	run.Globals.NoColor = true
	visit := func(output string) string {
		t.Helper()
		run.Out.Reset()
		run.Globals.Output = output
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		err := runDoctor(t.Context(), &doctorOptions{env: run.Env})
		if err != nil && err.Error() != "exit status 1" {
			t.Fatal(err)
		}
		return run.Out.String()
	}
	var report doctor.Report
	if err := json.Unmarshal([]byte(visit("json")), &report); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, c := range report.Checks {
		if c.Category != "disk" && c.Category != "sandbox" { // which change meanwhile
			fmt.Fprintf(&want, "%s\t%s\t%s\t%s\n", c.Status, c.Name, c.Message, c.Fix)
		}
	}
	var got strings.Builder
	for line := range strings.Lines(visit("table")) {
		if name := strings.Split(line, "\t")[1]; name != "disk" && name != "sandbox" {
			got.WriteString(line)
		}
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" || len(report.Checks) < 8 {
		t.Error(diff)
	}
	run.Streams.LayOut(60)
	narrow := visit("table")
	if !strings.HasPrefix(narrow, "STATUS   CHECK") || strings.Contains(narrow, "\t") {
		t.Errorf("%s", narrow)
	}
	for _, line := range strings.Split(narrow, "\n") {
		if term.Width(line) > 60 && strings.Contains(strings.TrimSpace(line[8:]), " ") && !strings.Contains(line, run.Dir) {
			t.Errorf("too wide: %q", line)
		}
	}
	if strings.Contains(narrow, "FIX") {
		t.Errorf("what to do stands in a column: %s", narrow)
	}
}

// TestBrokenRegistry is looked at without being opened: what it is, and what mends it.
func TestBrokenRegistry(t *testing.T) {
	t.Parallel()
	run := clitest.NewRun(t)
	path := filepath.Join(t.TempDir(), "agit.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("not a database at all\n"), 500), 0o600); err != nil {
		t.Fatal(err)
	}
	run.Globals.DB = path
	for name, look := range map[string]func() error{
		"check":  func() error { return runDBCheck(t.Context(), &dbOptions{env: run.Env}) },
		"doctor": func() error { return runDoctor(t.Context(), &doctorOptions{env: run.Env}) },
	} {
		run.Out.Reset()
		if err := look(); err == nil || err.Error() != "exit status 1" || !strings.Contains(run.Out.String(), path) {
			t.Errorf("%s: %v, %s", name, err, run.Out)
		}
	}
	if !strings.Contains(run.Errs.String(), "`agit db restore FILE` puts one back") {
		t.Errorf("%s", run.Errs)
	}
	run.Out.Reset()
	run.Globals.JSON = true
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	var report registry.Report
	err := runDBCheck(t.Context(), &dbOptions{env: run.Env})
	if failed := json.Unmarshal(run.Out.Bytes(), &report); failed != nil || err == nil || report.Path != path || len(report.Problems) != 1 || report.SQLiteVersion != registry.SQLiteVersion() {
		t.Errorf("%v, %v: %+v", err, failed, report)
	}
}

// TestSchemaIsPrinted prints each statement of the schema, ended and apart.
func TestSchemaIsPrinted(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	run.Out.Reset()
	if err := stored(run.Env, runDBSchema)(t.Context(), &dbOptions{env: run.Env}); err != nil {
		t.Fatal(err)
	}
	statements, err := run.OpenedRegistry().Schema(t.Context())
	if err != nil || len(statements) < 10 {
		t.Fatal(len(statements), err)
	}
	if got := run.Out.String(); got != strings.Join(statements, ";\n\n")+";\n\n" {
		t.Errorf("%.400s", got)
	}
	details := sqliteDetails()
	if len(details) != 2 || details[0].Value != registry.SQLiteVersion() || details[1].Value != fmt.Sprint(registry.SchemaVersion) {
		t.Errorf("%+v", details)
	}
}

// TestSweepSilent marks an agent that was silent for long, and returns its tasks by request.
func TestSweepSilent(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	for _, id := range []string{"T-1", "T-2"} {
		if _, err := do(t, run, changing(run.Env, runTaskCreate), &taskCreateOptions{env: run.Env, Text: "fix it", ID: id}); id == "T-1" && err != nil {
			t.Fatal(err)
		}
		if err := changing(run.Env, runTaskClaim)(t.Context(), &taskChange{env: run.Env, ID: id, byAgent: byAgent{"a-builder-with-a-long-name"}}); err != nil {
			t.Fatal(err)
		}
	}
	old := func() {
		t.Helper()
		if err := run.OpenedRegistry().Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(`UPDATE agents SET last_seen_at = ?`, registry.FormatTime(time.Now().Add(-2*time.Hour)))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	looks(t, "sweep", func(s *term.Streams) error {
		old()
		run.Streams = s
		s.ErrTTY = false
		if err := run.Start(); err != nil {
			return err
		}
		if err := changing(run.Env, runAgentSweep)(t.Context(), &agentSweepOptions{env: run.Env, Release: s.Columns == 80}); err != nil {
			return err
		}
		return s.Text("again:\n")
	})
}

// TestQuestionsAreListed lists what agents ask, and answers it.
func TestQuestionsAreListed(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	if _, err := do(t, run, changing(run.Env, runTaskCreate), &taskCreateOptions{env: run.Env, Text: "fix it", ID: "T-1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := do(t, run, changing(run.Env, runTaskClaim), &taskChange{env: run.Env, ID: "T-1", byAgent: byAgent{"ann"}}); err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), run.Env)
	if err != nil {
		t.Fatal(err)
	}
	until := time.Now().Add(time.Hour)
	ask := func(call string) string {
		t.Helper()
		var n question.New
		if err := s.DB.Read(t.Context(), func(tx *registry.Tx) error {
			item, err := work.Find(tx, work.KindTask, "T-1")
			if err != nil {
				return err
			}
			a, err := agent.Get(tx, "ann")
			n = question.New{Project: item.ProjectID, Item: item.ID, Agent: a.ID, Call: call, Rules: []string{"shell(make:*)"}, Until: until}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		id, err := s.Asks.Ask(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := ask("shell: make all of it, and run every test of the project with it")
	run.Out.Reset()
	if err := runAnswer(t.Context(), &answerOptions{env: run.Env}); err != nil {
		t.Fatal(err)
	}
	want := id + "\tann\tT-1\tjust now\t" + until.Local().Format(time.TimeOnly) + "\tshell: make all of it, and run every test of the project with it\n"
	if got := run.Out.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	run.Streams.LayOut(64)
	run.Out.Reset()
	if err := runAnswer(t.Context(), &answerOptions{env: run.Env}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(run.Out.String(), "\n"); len(lines) < 4 || strings.Contains(run.Out.String(), "call:") || !strings.HasSuffix(strings.TrimRight(lines[0], " "), "CALL") {
		t.Errorf("the call is not wrapped in its column:\n%s", run.Out)
	}
	run.Streams.OutTTY = false
	for _, c := range []struct {
		o    answerOptions
		want string
		said string
	}{
		{answerOptions{Allow: true, Why: []string{"go", "on"}}, "allowed", ""},
		{answerOptions{Deny: true}, "denied", ""},
		{answerOptions{Always: true}, "allowed", "added to work.allow in your configuration: shell(make:*)\n"},
	} {
		o := c.o
		o.env, o.ID = run.Env, ask("shell: make")
		run.Out.Reset()
		run.Errs.Reset()
		if err := runAnswer(t.Context(), &o); err != nil {
			t.Fatal(err)
		}
		if got, want := run.Out.String(), o.ID+"\t"+c.want+"\tann\tshell: make\n"; got != want || run.Errs.String() != c.said {
			t.Errorf("%q and %q, want %q and %q", got, run.Errs, want, c.said)
		}
		q, err := s.Asks.Get(t.Context(), o.ID)
		if err != nil || q.Always != o.Always || q.Why != strings.Join(o.Why, " ") {
			t.Errorf("%+v, %v", q, err)
		}
	}
	env := clitest.NewRun(t).Env
	if o, err := clitest.Options(env, newAnswer, "q-1", "go", "on", "--allow"); err != nil || o.ID != "q-1" || !slices.Equal(o.Why, []string{"go", "on"}) {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{"q-1"}, {"--allow"}, {"--deny"}, {"--always"}} {
		if o, err := clitest.Options(env, newAnswer, args...); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%q: %+v, %v", args, o, err)
		}
	}
}

// asked runs a command for a person on a terminal who types one answer, and returns what it wrote.
func asked(run *clitest.Run, answer string, f func() error) (out, errs string, err error) {
	s, in, o, e := term.Test()
	s.PretendTerminal(1000)
	in.WriteString(answer + "\n")
	run.Streams = s
	if err = run.Start(); err == nil {
		err = f()
	}
	return o.String(), strings.ReplaceAll(e.String(), "\x1b[0m", ""), err
}

// TestPersonRefuses asks a person before each command that removes something; a no changes nothing, a yes does it.
func TestPersonRefuses(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	for _, id := range []string{"T-1", "T-2", "T-3"} {
		o := &taskCreateOptions{env: run.Env, Text: "fix it", ID: id}
		if id == "T-2" {
			o.DependsOn = []string{"T-1"}
		}
		if err := changing(run.Env, runTaskCreate)(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := runSpawn(t.Context(), &spawnOptions{env: run.Env, Request: spawn.Request{Task: "T-3", Agent: "ann", Branch: "third"}}); err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), run.Env)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Worktrees.Get(t.Context(), "", "third")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := s.DB.Backup(t.Context(), copied, false); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.Path, "new.txt"), []byte("new\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	change := taskChange{env: run.Env}
	for _, c := range []struct {
		name, asks, no string
		do             func() error
	}{
		{"tasks", "Delete 1 task (T-1) for which T-2 waits? [y/N] ", "nothing was deleted\n", func() error {
			return changing(run.Env, runTaskDelete)(t.Context(), &taskDeleteOptions{taskChange: change, IDs: []string{"T-1"}})
		}},
		{"agents", `Remove agent "ann"? 1 task goes back to pending, 1 worktree loses its agent. [y/N] `, "\"ann\" stays registered\n", func() error {
			return changing(run.Env, runAgentRemove)(t.Context(), &agentRemoveOptions{env: run.Env, Name: "ann"})
		}},
		{"worktrees", "Move 1 worktree to the trash? With it goes third: ", "nothing was removed\n", func() error {
			return changing(run.Env, runRemove)(t.Context(), &removeOptions{env: run.Env, Worktrees: []string{"third", w.Ref}})
		}},
		{"worktrees by cleanup", "Move worktree " + w.Ref + " (third) to the trash? [y/N] ", w.Ref + " (third) stays\n", func() error {
			return runCleanup(t.Context(), &cleanupOptions{env: run.Env, Worktrees: []string{"third"}, AbandonWork: true})
		}},
		{"registry", "Replace the content of \"", "the registry is as it was\n", func() error { return runDBRestore(t.Context(), &dbOptions{env: run.Env, File: copied}) }},
	} {
		if out, got, err := asked(run, "n", c.do); err != nil || !strings.Contains(got, c.asks) || !strings.Contains(got, c.no) || out != "" {
			t.Errorf("%s: %q, %q, %v", c.name, got, out, err)
		}
	}
	d, err := s.Tasks.Get(t.Context(), "T-3")
	if err != nil || d.Agent != "ann" || d.Status != task.Claimed || tasksIn(t, run) != 3 {
		t.Errorf("%+v, %v", d, err)
	}
	if w, err = s.Worktrees.Get(t.Context(), "", "third"); err != nil || !w.Status.Live() || w.Agent != "ann" {
		t.Errorf("%+v, %v", w, err)
	}
	if out, _, err := asked(run, "y", func() error {
		return changing(run.Env, runRemove)(t.Context(), &removeOptions{env: run.Env, Worktrees: []string{"third"}})
	}); err != nil || !strings.Contains(out, "removed: yes") {
		t.Errorf("%v, %s", err, out)
	}
	_, got, err := asked(run, "n", func() error { return runRepos(t.Context(), &reposOptions{env: run.Env, Remove: "app"}) })
	if err != nil || !strings.Contains(got, `Remove "app" from the registry? 0 tasks would be deleted, 3 tasks lose their repository; no folder is touched. [y/N] `) || !strings.Contains(got, "\"app\" stays registered\n") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := s.Repos.Get(t.Context(), "app"); err != nil {
		t.Error(err)
	}
}

// TestPersonPicks lets a person choose a worktree by a number, where none is named.
func TestPersonPicks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs on PATH are those of Unix")
	}
	bin := t.TempDir()
	if err := os.Symlink(sibling.OnPath("git"), filepath.Join(bin, "git")); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", bin) // without fzf
	run := taskRun(t)
	spawn := func(branch string) {
		t.Helper()
		if err := runSpawn(t.Context(), &spawnOptions{env: run.Env, Request: spawn.Request{Branch: branch, Agent: "ann"}}); err != nil {
			t.Fatal(err)
		}
	}
	goTo := func() error { return looking(run.Env, runCD)(t.Context(), &nameOptions{env: run.Env}) }
	if out, errs, err := asked(run, "1", goTo); err != nil || out != run.Dir+"\n" || errs != "" {
		t.Errorf("without a worktree: %q, %v, %s", out, err, errs)
	}
	spawn("first")
	s, err := open(t.Context(), run.Env)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Worktrees.Get(t.Context(), "", "first")
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{"1": run.Dir + "\n", "2": w.Path + "\n"} {
		out, errs, err := asked(run, answer, goTo)
		if err != nil || out != want || !strings.HasPrefix(errs, "1  the main checkout\n2  first  ann  working now\nWhich worktree? [1-2, Enter for none] ") {
			t.Errorf("%s: %q, %v, %s", answer, out, err, errs)
		}
	}
	if out, _, err := asked(run, "", goTo); err == nil || err.Error() != "exit status 1" || out != "" {
		t.Errorf("none: %q, %v", out, err)
	}
	diff := func() error {
		return looking(run.Env, runDiff)(t.Context(), &diffOptions{env: run.Env, Worktree: ".", unnamed: true})
	}
	if out, errs, err := asked(run, "1", diff); err != nil || out != "" || !strings.Contains(errs, w.Ref+" changes nothing yet\n") {
		t.Errorf("diff: %q, %v, %s", out, err, errs)
	}
	if _, _, err := asked(run, "", diff); err == nil || err.Error() != "exit status 1" {
		t.Errorf("diff of none: %v", err)
	}
	run.Dir = w.Path
	if out, errs, err := asked(run, "1", diff); err != nil || out != "" || strings.Contains(errs, "Which worktree?") {
		t.Errorf("in a worktree: %q, %v, %s", out, err, errs)
	}
}

// TestListsOnATerminal lays out lists whose dates are as wide as they are.
func TestListsOnATerminal(t *testing.T) {
	t.Parallel()
	day := timestamp.Of(time.Date(2026, 11, 25, 12, 0, 0, 0, time.Local))
	announced := []conflict.Announcement{
		{Pattern: "a/folder/with/a/long/name/**", Agent: "bob", ExpiresAt: day, Why: "all of them are moved to another place soon, and renamed", Overlaps: []string{"a-builder-with-a-long-name: a/**", "cat: *.go"}},
		{Pattern: "*.go", Agent: "a-builder-with-a-long-name", ExpiresAt: day, Why: "a reason"},
	}
	looks(t, "announced", inEnv(t, func(env *cli.Env) error { return printAnnouncements(t.Context(), env, announced, nil, "") }))
	event := func(field, old, new, who, why string) work.Logged {
		return work.Logged{Item: "T-1", Title: "Log in with a name and a password", Event: work.Event{Field: field, Old: old, New: new, Name: who, Why: why, At: day}}
	}
	all := []costed{
		{Logged: event("status", "", "pending", "", "created")},
		{Logged: event("status", "pending", "claimed", "a-builder-with-a-long-name", "")},
		{Logged: event("status", "in_progress", "completed", "ann", "its worktree was merged, and all that waited for it is ready now"), Cost: &costs.Sum{Cost: []costs.Money{{Currency: "USD", Amount: 1.5}}}},
	}
	looks(t, "log", inEnv(t, func(env *cli.Env) error {
		return output.List(t.Context(), env.Printer(), "events", all, logColumns(env.Streams.OutTTY))
	}))
}
