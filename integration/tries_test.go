//go:build unix

package integration

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// racer is a client whose tries differ by the name of their agent. The gate of try 2 is red, even after it was handed back; with
// AGIT_CUT the third try waits in its first run, after its commit.
const racer = `brief=$(cat)
echo x >>"$AGIT_PLAYED/$AGIT_AGENT"
commit() { git add -- "$1" && git commit -qm "Write $1"; }
echo same >same.txt; commit same.txt
case $AGIT_AGENT in
*-try2) echo red >red.txt; commit red.txt ;;
*-try3)
	printf 'three\nlines\nhere\n' >work.txt; commit work.txt
	if [ -n "$AGIT_CUT" ] && [ "$(wc -l <"$AGIT_PLAYED/$AGIT_AGENT")" -eq 1 ]; then
		touch "$AGIT_PLAYED/up"
		while :; do sleep 0.05; done
	fi
	echo late >late.txt ;;
*) echo one >work.txt; commit work.txt ;;
esac
`

func raceHome(t *testing.T) (h *home, client, played string) {
	t.Helper()
	h, _, played = workHome(t, "write it", "another")
	client = filepath.Join(h.dir, "racer.sh")
	must(t, os.WriteFile(client, []byte(racer), 0o755))
	return h, client, played
}

type raceGroup struct {
	TaskID string `json:"task_id"`
	Tries  []struct {
		Number                   int
		Client, State, Gate, Why string
		Worktree                 string `json:"worktree_id"`
		Files                    int    `json:"files_changed"`
		Insertions               int
		Shares                   []struct{ With, Files, Same int }
		Branch                   string
	}
}

func (h *home) tries() raceGroup {
	h.t.Helper()
	var out struct{ Tries []raceGroup }
	h.json(&out, "review", "--repo", "app")
	if len(out.Tries) != 1 {
		h.t.Fatalf("there are %d groups of tries: %+v", len(out.Tries), out.Tries)
	}
	return out.Tries[0]
}

// TestRace lets three clients try one task: one claim, a worktree and a gate for each, side by side in the review. Two are compared,
// one is accepted, and the others go to the trash, from which they can be restored.
func TestRace(t *testing.T) {
	t.Parallel()
	h, client, _ := raceHome(t)
	out, errs, code := h.run("agit", "race", "T-1", "--agent", "ann", "--tries", "3", "--json", "--", "sh", client)
	if code != 0 || !strings.Contains(out, `"in_review":1`) {
		t.Fatalf("%d %s%s\n%s", code, out, errs, h.logs())
	}
	g := h.tries()
	if g.TaskID != "T-1" || len(g.Tries) != 3 {
		t.Fatalf("%+v", g)
	}
	for i, want := range []struct {
		state, gate string
		files, more int
		same        []int
	}{{"shown", "passed", 2, 2, []int{1, 1}}, {"failed", "failed", 2, 2, []int{1, 1}}, {"shown", "passed", 3, 5, []int{1, 1}}} {
		got := g.Tries[i]
		if got.Number != i+1 || got.State != want.state || got.Gate != want.gate || got.Files != want.files || got.Insertions != want.more || len(got.Shares) != 2 || got.Worktree == "" {
			t.Errorf("try %d: %+v", i+1, got)
			continue
		}
		for k, s := range got.Shares {
			if s.Same != want.same[k] {
				t.Errorf("try %d shares %+v", i+1, got.Shares)
			}
		}
	}
	if s := g.Tries[0].Shares; s[1].With != 3 || s[1].Files != 2 {
		t.Errorf("the first and the third share %+v", s)
	}
	one, two, three := g.Tries[0].Worktree, g.Tries[1].Worktree, g.Tries[2].Worktree
	if claims := h.ok("agit", "tasks", "list", "app", "--json", "--jq", `[.tasks[] | select(.agent != null and .agent != "")] | length`); claims != "1" {
		t.Errorf("%s tasks are claimed", claims)
	}
	if n := h.ok("agit", "tasks", "list", "app", "--all", "--json", "--jq", ".tasks | length"); n != "2" {
		t.Errorf("there are %s tasks now", n)
	}
	if list := h.ok("agit", "review", "--table"); !strings.Contains(list, "Tries of T-1") || !strings.Contains(list, "SHARES") || !strings.Contains(list, "failed: ") {
		t.Errorf("the review:\n%s", list)
	}
	var between struct{ Files []struct{ Path string } }
	h.json(&between, "diff", one+".."+three)
	var paths []string
	for _, f := range between.Files {
		paths = append(paths, f.Path)
	}
	if !slices.Equal(paths, []string{"late.txt", "work.txt"}) {
		t.Errorf("between the first and the third: %v", paths)
	}
	if text := h.ok("agit", "diff", one+".."+three); !strings.Contains(text, "-one\n+three\n") {
		t.Errorf("the difference:\n%s", text)
	}
	if _, errs, code := h.run("agit", "diff", one+"..nothing"); code != 3 {
		t.Errorf("another that is not there: %d %s", code, errs)
	}

	for _, args := range [][]string{{"merge", "app", one}, {"merge", "app", three, "--dry-run"}} {
		if _, errs, code := h.run("agit", args...); code != 4 || !strings.Contains(errs, `is one of several tries of task "T-1"; `+"`agit review "+args[2]+" --accept`") {
			t.Errorf("%q: %d %s", args, code, errs)
		}
	}
	var accepted struct {
		State     string
		TaskID    string `json:"task_id"`
		Discarded []struct {
			Worktree string `json:"worktree_id"`
			Kept     string
		}
	}
	h.json(&accepted, "review", three, "--accept")
	if accepted.State != "accepted" || accepted.TaskID != "T-1" || len(accepted.Discarded) != 2 || accepted.Discarded[0].Kept != "" {
		t.Errorf("%+v", accepted)
	}
	if h.status("T-1") != "completed" {
		t.Errorf("the task is %s", h.status("T-1"))
	}
	if landed, err := os.ReadFile(filepath.Join(h.repo, "work.txt")); err != nil || string(landed) != "three\nlines\nhere\n" {
		t.Errorf("what landed: %q, %v", landed, err)
	}
	if left, _ := filepath.Glob(filepath.Join(h.repo, ".worktrees", "[^.]*", "same.txt")); len(left) > 0 {
		t.Errorf("worktrees stay: %v", left)
	}
	h.json(&accepted, "review", three, "--accept") // again
	for _, other := range []string{one, two} {
		h.ok("agit", "cleanup", "--restore", other)
	}
	if back := h.ok("agit", "diff", one, "--name-only"); back != "same.txt\nwork.txt" && back != "work.txt" {
		t.Errorf("what came back: %q", back)
	}
	h.sound()
}

// TestRaceKilled kills the worker while a try runs. The same command then continues: finished tries are not repeated, the interrupted
// one is, in its worktree, and the task is claimed once.
func TestRaceKilled(t *testing.T) {
	t.Parallel()
	h, client, played := raceHome(t)
	h.env = append(h.env, "AGIT_CUT=1")
	race := []string{"race", "T-1", "--agent", "ann", "--tries", "3", "--", "sh", client}
	cmd := h.command(t.Context(), "agit", race...)
	must(t, cmd.Start())
	h.await(filepath.Join(played, "up"))
	within(t, "two tries have ended", func() bool {
		ended := 0
		for _, one := range h.tries().Tries {
			if one.State != "running" {
				ended++
			}
		}
		return ended == 2
	})
	before := h.tries()
	if _, errs, code := h.run("agit", "review", before.Tries[0].Worktree, "--accept"); code != 4 || !strings.Contains(errs, "has not ended") {
		t.Errorf("accepted while a try runs: %d %s", code, errs)
	}
	if _, errs, code := h.run("agit", "race", "T-1", "--agent", "bob", "--tries", "2", "--", "sh", client); code != 4 {
		t.Errorf("another agent's race: %d %s", code, errs)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if h.status("T-1") != "in_progress" {
		t.Errorf("the task is %s", h.status("T-1"))
	}
	if out, errs, code := h.run("agit", race...); code != 0 {
		t.Fatalf("the next start: %d %s%s", code, out, errs)
	}
	after := h.tries()
	for i, one := range after.Tries {
		if one.Worktree != before.Tries[i].Worktree {
			t.Errorf("try %d has another worktree", i+1)
		}
	}
	if after.Tries[2].State != "shown" || after.Tries[2].Files != 3 {
		t.Errorf("the third: %+v", after.Tries[2])
	}
	for agent, runs := range map[string]int{"ann": 1, "ann-try2": 2, "ann-try3": 2} { // the second was handed back
		text, err := os.ReadFile(filepath.Join(played, agent))
		if err != nil || strings.Count(string(text), "x") != runs {
			t.Errorf("%s ran %q, %v; want %d", agent, text, err, runs)
		}
	}
	if stray := h.stray(); len(stray) > 0 {
		t.Errorf("it leaves %v", stray)
	}
	h.ok("agit", "review", after.Tries[0].Worktree, "--accept")
	if h.status("T-1") != "completed" || h.status("T-2") != "pending" {
		t.Errorf("the tasks are %s and %s", h.status("T-1"), h.status("T-2"))
	}
}

// TestRaceLost has no acceptable try, or only one beside the first, and refuses a task without a race.
func TestRaceLost(t *testing.T) {
	t.Parallel()
	h, _, _ := workHome(t, "nothing: at all", "second: alone")
	client := filepath.Join(h.dir, "some.sh")
	must(t, os.WriteFile(client, []byte("cat >/dev/null; case $AGIT_TASK-$AGIT_AGENT in T-2-*-try2) echo x >x.txt; git add x.txt; git commit -qm x ;; *) echo nothing ;; esac\n"), 0o755))
	for _, args := range [][]string{{"race", "T-1", "--agent", "ann", "--tries", "1", "--", "sh", client}, {"race", "T-1", "--agent", "ann", "--tries", "99", "--", "sh", client}, {"race", "T-1", "--agent", "ann"}} {
		if out, errs, code := h.run("agit", args...); code != 2 {
			t.Errorf("%q: %d %s%s", args, code, out, errs)
		}
	}
	if _, errs, code := h.run("agit", "race", "T-9", "--agent", "ann", "--tries", "2", "--", "sh", client); code != 3 {
		t.Errorf("a task that is not there: %d %s", code, errs)
	}
	if out, errs, code := h.run("agit", "race", "T-1", "--agent", "ann", "--tries", "2", "--", "sh", client); code != 1 || h.status("T-1") != "failed" {
		t.Errorf("nothing was made: %d %s%s, the task is %s", code, out, errs, h.status("T-1"))
	}
	if result := h.ok("agit", "tasks", "show", "T-1", "--json", "--jq", ".result"); !strings.Contains(result, "try 1 (sh): ") || !strings.Contains(result, "try 2 (sh): ") {
		t.Errorf("its result is %q", result)
	}
	if out, errs, code := h.run("agit", "work", "app", "--agent", "ann", "--tries", "2", "--tasks", "1", "--", "sh", client); code != 0 {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	waiting := h.ok("agit", "review", "--repo", "app", "--json", "--jq", `.reviews[] | "\(.task_id) \(.worktree_id)"`)
	id, worktree, _ := strings.Cut(waiting, " ")
	if id != "T-2" {
		t.Fatalf("what waits: %q", waiting)
	}
	h.ok("agit", "review", worktree, "--accept")
	if h.status("T-2") != "completed" {
		t.Errorf("the task is %s", h.status("T-2"))
	}
}
