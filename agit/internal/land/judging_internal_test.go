package land

import (
	"errors"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
)

// TestJudged: which commands judge a landing, and when it is refused for lack of one.
func TestJudged(t *testing.T) {
	t.Parallel()
	gated := worktree.Settings{Gate: []string{"make test"}}
	waiting := worktree.Settings{Unjudged: config.Unjudged{Waiting: []string{"gate"}}}
	lost := worktree.Settings{Unjudged: config.Unjudged{Lost: []string{"gate"}}}
	broken := errors.New(".agit.toml:1:1 is not TOML")
	agent := Asker{Agent: "ann"}
	for name, c := range map[string]struct {
		o       Request
		set     worktree.Settings
		broken  error
		gate    string
		skipped string
		refused string
	}{
		"configured":                    {Request{}, gated, nil, "make test", "", ""},
		"none":                          {Request{}, worktree.Settings{}, nil, "", "", ""},
		"not trusted":                   {Request{}, waiting, nil, "", "", "no person has trusted"},
		"trusted once, and gone":        {Request{}, lost, nil, "", "", "which was trusted"},
		"unreadable":                    {Request{}, worktree.Settings{}, broken, "", "", "is not TOML"},
		"given":                         {Request{Gate: []string{"true"}}, gated, nil, "true", "", ""},
		"given, none trusted":           {Request{Gate: []string{"true"}}, waiting, nil, "true", "", ""},
		"left out":                      {Request{Gate: []string{}}, gated, nil, "", "make test", ""},
		"left out, not trusted":         {Request{Gate: []string{}}, waiting, nil, "", "no person has trusted", ""},
		"left out, gone":                {Request{Gate: []string{}}, lost, nil, "", "which was trusted", ""},
		"left out, unreadable":          {Request{Gate: []string{}}, worktree.Settings{}, broken, "", "is not TOML", ""},
		"left out where none is":        {Request{Gate: []string{}}, worktree.Settings{}, nil, "", "", ""},
		"left out by an agent":          {Request{Gate: []string{}, Asker: agent}, gated, nil, "", "", "may leave out or replace"},
		"replaced by an agent":          {Request{Gate: []string{"true"}, Asker: agent}, gated, nil, "", "", "may leave out or replace"},
		"left out by an agent, waiting": {Request{Gate: []string{}, Asker: agent}, waiting, nil, "", "", "may leave out or replace"},
		"added by an agent":             {Request{Gate: []string{"true"}, Asker: agent}, worktree.Settings{}, nil, "true", "", ""},
		"left out, left to agents":      {Request{Gate: []string{}, Asker: agent}, worktree.Settings{Gate: []string{"make test"}, ByAgents: true}, nil, "", "make test", ""},
	} {
		gate, skipped, err := judged(c.o, c.set, c.broken, worktree.Worktree{Ref: "w-1"}, "main")
		if c.refused != "" {
			if !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v", name, err)
			}
			if hint := fault.From(err).Hint; c.o.Gate == nil && strings.Contains(hint, "config trust") == (c.broken != nil) {
				t.Errorf("%s: hint %q", name, hint)
			}
			var not *Unjudged
			if errors.As(err, &not) != (c.o.Gate == nil) {
				t.Errorf("%s: an Unjudged: %v", name, err)
			}
			continue
		}
		if err != nil || strings.Join(gate, ";") != c.gate || c.skipped == "" && skipped != "" || !strings.Contains(skipped, c.skipped) {
			t.Errorf("%s: %q, skipped %q, %v", name, gate, skipped, err)
		}
	}
}
