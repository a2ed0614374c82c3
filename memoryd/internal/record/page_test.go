package record_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agit-suite/agit/memoryd/internal/record"
)

var update = flag.Bool("update", false, "rewrite docs/scores.md and the transcript")

const scoresPage = "../../../docs/scores.md"

// The page matches the code: its numbers come from running it.
func TestScoresPage(t *testing.T) {
	var b strings.Builder
	start := record.Start()
	fmt.Fprintf(&b, `# How agents are scored

Every agent has score points (SP), which say how far it is trusted, experience (XP), which buys them, and a communication
score (CS). It starts with SP %d, XP %s, CS %d. XP is counted in tenths, so that sums are exact. The numbers on this page are
written by running the code.

| what happens | recorded by | SP | XP | CS |
|---|---|---|---|---|
`, start.SP, start.XP, start.CS)
	row := func(what, by string, change func(*record.Scores)) {
		s := record.Scores{SP: 5}
		change(&s)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", what, by, signed(s.SP-5), "+"+s.XP.String(), signed(s.CS))
	}
	row("a tool is used, a command is run", "`memoryd hook tool`", func(s *record.Scores) { s.Gain(record.UseXP) })
	row("a commit is made", "`memoryd hook post-commit`", func(*record.Scores) {})
	for _, byUser := range record.Grades {
		row(fmt.Sprintf("a commit is graded %s (%+d) by the agent and %s (%+d) by the user", record.Good, record.Good, byUser, byUser),
			"`memoryd agent grade`", func(s *record.Scores) { s.Graded(record.Good, byUser) })
	}
	row("a retrospective or an activity is recorded", "`memoryd agent retro`, `agent log`", func(*record.Scores) {})
	row("a bug of the agent's is found", "`memoryd agent bug`", func(s *record.Scores) { s.Bug() })
	b.WriteString(`
- There are four grades, and no others:`)
	for i, g := range record.Grades {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %d %s", g, g)
	}
	b.WriteString(`. An agent is graded once for a commit.
- A commit counts once for its agent, whether the hook or a grade told of it first.

## Levels

10 × max(SP, 1) XP buy one score point; the rest is kept.

| SP | tier | XP to the next SP |
|---|---|---|
`)
	for sp := int64(-1); sp <= 11; sp++ {
		s := record.Scores{SP: sp}
		fmt.Fprintf(&b, "| %d | %s | %s |\n", sp, s.Tier(), s.NextSP())
	}
	b.WriteString(`
For instance:

| before | gain | after |
|---|---|---|
`)
	for _, tc := range []struct {
		s    record.Scores
		gain record.Tenths
	}{{record.Scores{SP: 1, XP: 95}, 10}, {record.Scores{SP: 1}, 301}, {record.Scores{SP: 2, XP: 199}, 1}, {record.Scores{SP: 0, XP: 99}, 1}} {
		before := tc.s
		tc.s.Gain(tc.gain)
		fmt.Fprintf(&b, "| SP %d, XP %s | %s XP | SP %d, XP %s |\n", before.SP, before.XP, tc.gain, tc.s.SP, tc.s.XP)
	}
	b.WriteString(`
## Halted

A bug that leaves SP at 0 or below halts the agent. A halted agent gets no claim: ` + "`agit tasks claim`, `next` and `start`, `agit next`,\n" +
		"`agit spawn --task`" + ` and the tools of the same jobs refuse it, inside the transaction of the claim. What it holds it keeps, and can
give back. XP goes on counting and buys nothing until the halt ends. A person ends it:
` + "`memoryd agent resume NAME`" + ` sets SP to 1; an agent cannot resume itself.

## When it is stored

A command has stored what it was told when it returns. ` + "`memoryd serve`" + ` collects tracking writes (XP, commits, grades,
retrospectives, activities) and stores them together: when commits are pushed (` + "`memoryd hook pre-push`" + `), when a session ends,
when the server stops, and at the latest five seconds after the first of them (` + "`server.flush_after`" + `). Bugs and halts are stored
at once. What is read through the server counts in what it holds. A server that is killed loses at most those seconds.
`)
	if *update {
		if err := os.WriteFile(scoresPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(scoresPage)
	if err != nil || string(page) != b.String() {
		t.Errorf("docs/scores.md is not what the rules say (%v); run go test ./memoryd/internal/record -update", err)
	}
}

func signed(n int64) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%+d", n)
}
