package command

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
)

// written is a section as a script reads it.
func written(t *testing.T, s section) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.table.WriteTo(&term.Streams{Out: &out, Err: &out}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// With more than one machine, the machine of agents and of waiting items is named, and what an agent that is gone holds.
func TestMachines(t *testing.T) {
	t.Parallel()
	now := time.Now()
	state := func(is presence.State) *presence.Shown {
		return &presence.Shown{State: is, Since: timestamp.Of(now.Add(-5 * time.Minute))}
	}
	seen := timestamp.Of(now.Add(-5 * time.Minute))
	agents := []overview.AgentStatus{
		{Name: "ann", State: state(presence.Working), LastSeen: seen, Holds: []string{"T-1"}},
		{Name: "bob", State: state(presence.Gone), LastSeen: seen, Holds: []string{"T-2"}},
	}
	own := "ann\tworking 5m\t\t5m ago"
	silent := "bob\tgone 5m\tholds T-2\t5m ago"
	if got := written(t, agentSection(overview.RepoStatus{Agents: agents}, now)); got != own+"\n"+silent+"\n" {
		t.Errorf("on one machine:\n%s", got)
	}
	agents[1].Host = "laptop"
	if got := written(t, agentSection(overview.RepoStatus{Agents: agents}, now)); got != own+"\tthis one\n"+silent+"\tlaptop\n" {
		t.Errorf("on two:\n%s", got)
	}

	called := func(id string) string { return id }
	waiting := []review.Review{{Worktree: "w-1", Agent: "ann", TaskID: "T-1", AskedAt: timestamp.Of(now)}, {Worktree: "w-2", Agent: "bob", TaskID: "T-2", AskedAt: timestamp.Of(now)}}
	if got := written(t, waitingSection(review.Outcome{Waiting: waiting}, called, now)); strings.Contains(got, "this one") {
		t.Errorf("on one machine:\n%s", got)
	}
	waiting[1].Machine = "laptop"
	lines := strings.Split(written(t, waitingSection(review.Outcome{Waiting: waiting}, called, now)), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "\tthis one") || !strings.HasSuffix(lines[1], "\tlaptop") {
		t.Errorf("on two:\n%q", lines)
	}
}
