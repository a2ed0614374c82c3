package trial

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ann and bob fail together, cyd does not merge with ann, and dan fails alone.
var mixed = Trial{Into: "main", Result: Red, Parties: make([]Party, 3), Seconds: 61.04,
	Failures: []Failure{
		{Parties: []Party{{Name: "login", Agent: "ann"}, {Name: "sso", Agent: "bob"}}, Command: "make test", How: "it ended with exit status 2", Tests: []string{"TestSession"}, Log: "/logs/1", Alone: true},
		{Parties: []Party{{Name: "docs", Maker: "codex"}}, Command: "make lint", How: "it ended with exit status 2"},
	},
	LeftOut: []LeftOut{{Party: Party{Name: "app", Main: true}, Files: []string{"a.go", "b.go"}, With: []string{"login (ann)"}}},
}

const (
	both  = "login (ann) and sso (bob): `make test` fails together, TestSession; each alone passes"
	alone = "docs (codex): `make lint` fails: it ended with exit status 2"
	out   = "app (main checkout) does not merge with login (ann), and was left out: a.go, b.go"
)

func TestTells(t *testing.T) {
	t.Parallel()
	for worktree, want := range map[string][]string{
		"login": {both, "its log: /logs/1"},
		"sso":   {both, "its log: /logs/1"},
		"docs":  {alone},
		"app":   {out},
		"ss":    nil,
	} {
		if diff := cmp.Diff(want, mixed.Of(worktree)); diff != "" {
			t.Errorf("of %s:\n%s", worktree, diff)
		}
	}
	if diff := cmp.Diff([]string{both, "its log: /logs/1", alone, out}, mixed.Tells()); diff != "" {
		t.Error(diff)
	}
	if now := mixed.Still([]string{"login", "docs"}); len(now.Failures) != 1 || now.Failures[0].Parties[0].Name != "docs" || len(now.LeftOut) != 0 || len(mixed.Failures) != 2 {
		t.Errorf("%+v", now)
	}
}

func TestHeadline(t *testing.T) {
	t.Parallel()
	for result, want := range map[Result]string{
		Nothing:    "nothing is in flight that main lacks",
		Ungated:    "3 worktrees merged onto main; no gate is configured that would judge them",
		Planned:    "3 worktrees would be tried on main",
		Green:      "green: 3 worktrees together on main, in 1m1s",
		Red:        "red: 3 worktrees together on main fail",
		Unfinished: "unfinished: the time was over before the gate had judged 3 worktrees together on main",
	} {
		trial := mixed
		trial.Result = result
		if got := trial.Headline(); got != want {
			t.Errorf("%s: %q, want %q", result, got, want)
		}
	}
	if got := list([]string{"a", "b", "c"}); got != "a, b and c" {
		t.Error(got)
	}
}
