package verdict_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/verdict"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

func TestKey(t *testing.T) {
	t.Parallel()
	base := verdict.Gate{Commands: []string{"make test", "make lint"}, Env: []string{"PATH=/bin", "GOFLAGS=-race", "AGIT_WORKTREE=w-1", "XDG_SESSION_ID=3"}}
	for name, tt := range map[string]struct {
		gate verdict.Gate
		more string
		same bool
	}{
		"the same":                {base, "", true},
		"another time limit":      {verdict.Gate{Commands: base.Commands, Env: base.Env, Limit: time.Hour}, "", true},
		"another order of env":    {verdict.Gate{Commands: base.Commands, Env: []string{"GOFLAGS=-race", "PATH=/bin"}}, "", true},
		"another worktree":        {verdict.Gate{Commands: base.Commands, Env: []string{"PATH=/bin", "GOFLAGS=-race", "AGIT_WORKTREE=w-2", "GIT_AUTHOR_NAME=bob"}}, "", true},
		"another command":         {verdict.Gate{Commands: []string{"make test"}, Env: base.Env}, "", false},
		"commands put together":   {verdict.Gate{Commands: []string{"make test make lint"}, Env: base.Env}, "", false},
		"commands the other way":  {verdict.Gate{Commands: []string{"make lint", "make test"}, Env: base.Env}, "", false},
		"another path":            {verdict.Gate{Commands: base.Commands, Env: []string{"PATH=/sbin", "GOFLAGS=-race"}}, "", false},
		"a variable more":         {verdict.Gate{Commands: base.Commands, Env: []string{"PATH=/bin", "GOFLAGS=-race", "CI=1"}}, "", false},
		"other files beside them": {base, "x", false},
		"behind no wall":          {verdict.Gate{Commands: base.Commands, Env: base.Env, Wall: &wall.Wanted{Settings: wall.Settings{Sandbox: []string{"none"}}}}, "", true},
		"behind a wall":           {verdict.Gate{Commands: base.Commands, Env: base.Env, Wall: &wall.Wanted{Settings: wall.Settings{Sandbox: []string{"bwrap"}}}}, "", false},
	} {
		if got := tt.gate.Key(tt.more) == base.Key(""); got != tt.same {
			t.Errorf("%s: the same key: %v, want %v", name, got, tt.same)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a POSIX shell's")
	}
	for name, tt := range map[string]struct {
		commands []string
		gentle   bool
		limit    time.Duration
		want     verdict.Outcome
		ran      []string
	}{
		"green":        {commands: []string{"true", "echo x > made"}, want: verdict.Outcome{Green: true}, ran: []string{"true", "echo x > made"}},
		"the first":    {commands: []string{"echo no; exit 7", "true"}, want: verdict.Outcome{Command: "echo no; exit 7", Exit: 7, Lines: []string{"no"}}, ran: []string{"echo no; exit 7"}},
		"the last":     {commands: []string{"true", "false"}, want: verdict.Outcome{Command: "false", Exit: 1}, ran: []string{"true", "false"}},
		"too long":     {commands: []string{"sleep 600"}, limit: time.Millisecond, want: verdict.Outcome{Command: "sleep 600", Exit: -1}, ran: []string{"sleep 600"}},
		"low priority": {commands: []string{`test "$(nice)" = 19`}, gentle: true, want: verdict.Outcome{Green: true}, ran: []string{`test "$(nice)" = 19`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, err := runlog.Create(t.TempDir(), "w-1", runlog.Gate)
			worktreetest.Must(t, err)
			defer log.Close()
			var ran []string
			between := 0
			got, err := verdict.Gate{Commands: tt.commands, Limit: tt.limit, Env: os.Environ()}.Run(context.Background(), verdict.Job{
				Run: "gate-test-" + strings.ReplaceAll(name, " ", "-"), Dir: t.TempDir(), What: "all of it", Log: log, Gentle: tt.gentle,
				Running: func(command string) { ran = append(ran, command) }, Between: func() error { between++; return nil },
			})
			worktreetest.Must(t, err)
			if got.Green != tt.want.Green || got.Command != tt.want.Command || got.Exit != tt.want.Exit || (got.How == "") != tt.want.Green || tt.want.Lines != nil && !slices.Equal(got.Lines, tt.want.Lines) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			if passed := len(ran) - map[bool]int{true: 0, false: 1}[tt.want.Green]; !slices.Equal(ran, tt.ran) || between != passed {
				t.Errorf("it ran %q, and %d passed", ran, between)
			}
			text, err := os.ReadFile(log.Path)
			if want := map[bool]string{true: "agit: green", false: "agit: red: "}[tt.want.Green]; err != nil || !strings.Contains(string(text), want) || !strings.Contains(string(text), "on all of it") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

func TestKept(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	s := &verdict.Store{DB: f.DB}
	keep := func(v verdict.Verdict) { worktreetest.Must(t, s.Keep(t.Context(), f.Repo.ProjectID, f.Repo.ID, v)) }
	find := func(tree, key string) *verdict.Verdict {
		v, err := s.Find(t.Context(), f.Repo.ID, tree, key)
		worktreetest.Must(t, err)
		return v
	}
	if took, err := s.Took(t.Context(), f.Repo.ID); took != 0 || err != nil {
		t.Errorf("without any it took %s, %v", took, err)
	}
	keep(verdict.Verdict{Tree: "a", Key: "k", Command: "make", How: "it ended with exit status 2", Lines: []string{"one", "two"}, Log: filepath.Join("logs", "x"), Took: 1500 * time.Millisecond})
	if v := find("a", "k"); v == nil || v.Green || v.Command != "make" || v.How != "it ended with exit status 2" || !slices.Equal(v.Lines, []string{"one", "two"}) || v.Took != 1500*time.Millisecond || v.At.IsZero() {
		t.Errorf("%+v", v)
	}
	for _, other := range [][2]string{{"b", "k"}, {"a", "j"}} {
		if v := find(other[0], other[1]); v != nil {
			t.Errorf("%v: %+v", other, v)
		}
	}
	keep(verdict.Verdict{Tree: "a", Key: "k", Green: true, Took: 2 * time.Second})
	if v := find("a", "k"); v == nil || !v.Green || v.Command != "" || len(v.Lines) != 0 {
		t.Errorf("the newer one: %+v", v)
	}
	keep(verdict.Verdict{Tree: "b", Key: "k", Took: time.Hour}) // red: only the time of a green run counts
	if took, err := s.Took(t.Context(), f.Repo.ID); took != 2*time.Second || err != nil {
		t.Errorf("it took %s, %v", took, err)
	}
	f.Exec(`UPDATE gate_verdicts SET tested_at = ? WHERE tree = 'a'`, worktreetest.Stamp(-verdict.Lasts-time.Minute))
	if v := find("a", "k"); v != nil {
		t.Errorf("of the day before: %+v", v)
	}
	f.Exec(`UPDATE gate_verdicts SET tested_at = ? WHERE tree = 'a'`, worktreetest.Stamp(-verdict.Lasts+time.Minute))
	if v := find("a", "k"); v == nil {
		t.Error("one of this day is not found")
	}
}
