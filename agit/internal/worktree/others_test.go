package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// others is a repository with a worktree of Claude Code's, one of Codex's on no branch, and one of agit's.
type others struct {
	*worktreetest.Fixture
	claude, codex string // folders
	own           worktree.Worktree
}

func newOthers(t *testing.T) others {
	t.Helper()
	f := worktreetest.New(t)
	o := others{Fixture: f, claude: filepath.Join(f.Main.Dir, ".claude", "worktrees", "fix"), codex: filepath.Join(gittest.TempDir(t), ".codex", "worktrees", "1f3c", "app")}
	f.Main.Git("worktree", "add", "-q", "-b", "worktree-fix", o.claude)
	f.Main.Git("worktree", "add", "-q", "--detach", o.codex)
	o.own = f.Spawn(spawn.Request{Task: "Own"})
	f.Worktrees.Options.Dir = f.Main.Dir
	return o
}

// refs are the ids of all rows.
func (o others) refs() (refs []string) {
	for _, w := range o.Rows() {
		refs = append(refs, w.Ref)
	}
	return refs
}

func TestNamesOfOthers(t *testing.T) {
	t.Parallel()
	o := newOthers(t)
	inner := filepath.Join(o.own.Path, ".claude", "worktrees", "inner")
	o.Main.Git("worktree", "add", "-q", "-b", "inner-branch", inner)
	nested := filepath.Join(inner, "deep")
	worktreetest.Must(t, os.MkdirAll(nested, 0o755))
	worktreetest.Must(t, (&presence.Store{DB: o.DB}).Say(t.Context(), presence.Statement{Folder: o.claude, Client: seat.Client{Name: "claude-code", Conversation: "s"}, Session: "s", State: presence.Working, Source: presence.Hook}))
	main := filepath.Base(o.Main.Dir)
	for _, c := range []struct{ ref, want string }{
		{"fix", "fix"},
		{"FIX", "fix"},
		{"worktree-fix", "fix"},
		{o.claude, "fix"},
		{".claude/worktrees/fix", "fix"},
		{"claude-1", "fix"},
		{"codex", "app"},
		{"app", "app"},
		{o.codex, "app"},
		{"inner", "inner"},
		{nested, "inner"}, // the innermost, not agit's own worktree around it
		{o.own.Path, o.own.Ref},
		{filepath.Join(o.own.Path, "dir"), o.own.Ref},
		{o.own.Branch, o.own.Ref},
		{".", main},
		{main, main},
		{"no-such", ""},
	} {
		w, err := o.Worktrees.Get(t.Context(), "", c.ref)
		if c.want == "" {
			if !fault.Is(err, fault.KindNotFound) {
				t.Errorf("%s: %+v %v", c.ref, w, err)
			}
			continue
		}
		if err != nil || w.Ref != c.want || w.Row() != (c.want == o.own.Ref) {
			t.Errorf("%s: %s, want %s; %v", c.ref, w.Ref, c.want, err)
		}
	}
	if _, err := o.Worktrees.Get(t.Context(), "", "claude-code"); !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), "fix (worktree-fix)") {
		t.Errorf("two of one maker: %v", err)
	}
	if _, err := o.Worktrees.Get(t.Context(), "", "fixx"); err == nil || !strings.Contains(err.Error(), `did you mean "fix"?`) {
		t.Errorf("a slip: %v", err)
	}
	if got := o.refs(); len(got) != 1 {
		t.Errorf("looking made rows: %v", got)
	}
	for ref, want := range map[string]string{o.claude: "claude-1", "app": "codex-app", o.own.Ref: ""} {
		if got, err := o.Worktrees.AgentIn(t.Context(), "", ref); err != nil || got != want {
			t.Errorf("at work in %s: %q, want %q; %v", ref, got, want, err)
		}
	}
}

// All that git lists is listed once, agit's own first.
func TestWithOthers(t *testing.T) {
	t.Parallel()
	o := newOthers(t)
	_, _, _, err := o.Worktrees.Open(t.Context(), "", o.claude)
	worktreetest.Must(t, err)
	all, err := o.Worktrees.WithOthers(t.Context(), "app")
	worktreetest.Must(t, err)
	var got []string
	for _, w := range all {
		got = append(got, strings.Join([]string{filepath.Base(w.Path), w.By(), w.Branch}, " "))
	}
	want := []string{filepath.Base(o.own.Path) + "  " + o.own.Branch, "fix (claude-code) worktree-fix", "app (codex) "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !all[2].Marks.Detached || all[1].Marks.Detached {
		t.Errorf("%+v", all)
	}
	o.Main.Git("switch", "-q", "-c", "mine")
	all, err = o.Worktrees.WithOthers(t.Context(), "app")
	if err != nil || len(all) != 4 || all[2].By() != "(main checkout)" || all[2].Branch != "mine" {
		t.Errorf("on another branch: %+v %v", all, err)
	}
}

// An operation that changes something makes a row for a worktree of others, and takes it back when the operation fails.
func TestRowsOfOthers(t *testing.T) {
	t.Parallel()
	o := newOthers(t)
	if _, err := o.Landings.Land(t.Context(), land.Request{Worktree: "fix"}); err == nil || !strings.Contains(err.Error(), "has no commits") {
		t.Errorf("nothing to land: %v", err)
	}
	if _, err := o.Landings.Land(t.Context(), land.Request{Worktree: "."}); err == nil || !strings.Contains(err.Error(), "main checkout") {
		t.Errorf("the main checkout: %v", err)
	}
	if plan, err := o.Removals.Remove(t.Context(), remove.Request{Worktree: "fix", DryRun: true}); err != nil || len(plan.Obstacles) > 0 {
		t.Errorf("%+v %v", plan, err)
	}
	if got := o.refs(); len(got) != 1 {
		t.Errorf("rows that nothing came of: %v", got)
	}
	o.Main.At(o.claude).Commit("work", "a.txt", "claude\n2\n3\n4\n5\n6\n7\n8\n9\n")
	o.Main.At(o.claude).Git("branch", "-m", "better")
	_, w, _, err := o.Worktrees.Open(t.Context(), "", "fix")
	worktreetest.Must(t, err)
	if w.Maker != "claude-code" || w.Branch != "better" || w.Base != o.Main.Head() || w.ID == 0 {
		t.Errorf("%+v", w)
	}
	o.Main.At(o.claude).Git("branch", "-m", "best")
	_, again, _, err := o.Worktrees.Open(t.Context(), "", w.Ref)
	if err != nil || again.ID != w.ID || again.Branch != "best" {
		t.Errorf("a branch that was renamed: %+v %v", again, err)
	}
	worktreetest.Must(t, o.Worktrees.Undo(t.Context(), again, nil))
	if got := o.Get(w); got.ID != w.ID {
		t.Errorf("%+v", got)
	}
}

// A worktree on no branch gets one when its work is to land, without its files or index being touched.
func TestBranched(t *testing.T) {
	t.Parallel()
	o := newOthers(t)
	tree := o.Main.At(o.codex)
	tree.Write("a.txt", "staged\n")
	tree.Git("add", "a.txt")
	tree.Write("a.txt", "and more\n")
	before, head := tree.Git("status", "--porcelain"), tree.Head()
	r, w, g, err := o.Worktrees.Open(t.Context(), "", "app")
	worktreetest.Must(t, err)
	w, err = o.Worktrees.Branched(t.Context(), g, r, w)
	if want := "agit/codex-" + strings.TrimPrefix(w.Ref, "w-"); err != nil || w.Branch != want || tree.Git("symbolic-ref", "--short", "HEAD") != want {
		t.Errorf("%q, want %q: %v", w.Branch, want, err)
	}
	if tree.Git("status", "--porcelain") != before || tree.Head() != head {
		t.Errorf("was %q, is %q", before, tree.Git("status", "--porcelain"))
	}
	if again, err := o.Worktrees.Branched(t.Context(), g, r, w); err != nil || again.Branch != w.Branch {
		t.Errorf("%+v %v", again, err)
	}
	o.Sound()
}

// A refused operation leaves a worktree on no branch as it was, unless a commit was made on its new branch.
func TestBranchTakenBack(t *testing.T) {
	t.Parallel()
	o := newOthers(t)
	tree, branches := o.Main.At(o.codex), o.Branches()
	head := tree.Commit("work", "a.txt", "codex\n")
	o.Main.Commit("theirs", "a.txt", "theirs\n")
	detached := func(when string) {
		t.Helper()
		if on := tree.Git("rev-parse", "--symbolic-full-name", "HEAD"); on != "HEAD" || tree.Head() != head || o.Branches() != branches || tree.Git("status", "--porcelain") != "" || len(o.refs()) != 1 {
			t.Errorf("%s: %s at %s, branches %q, rows %v", when, on, tree.Head(), o.Branches(), o.refs())
		}
	}
	_, err := o.Landings.Update(t.Context(), land.UpdateRequest{Worktree: o.codex})
	worktreetest.Contains(t, err, "a.txt")
	detached("a conflict")
	_, err = (&forge.Store{Trees: o.Worktrees, Notice: func(string) {}}).Open(t.Context(), forge.Request{Worktree: o.codex})
	worktreetest.Contains(t, err, "remote")
	detached("no remote")
	_, err = o.Landings.Land(t.Context(), land.Request{Worktree: o.codex, Enter: func(*registry.Tx) error { return fault.Conflict("task", "", "refused") }})
	worktreetest.Contains(t, err, "refused")
	detached("a refused landing")

	refused := errors.New("refused")
	r, w, g, err := o.Worktrees.Open(t.Context(), "", o.codex)
	worktreetest.Must(t, err)
	w, err = o.Worktrees.Branched(t.Context(), g, r, w)
	worktreetest.Must(t, err)
	tree.Commit("more", "b.txt", "codex\n")
	if err := o.Worktrees.Undo(t.Context(), w, refused); !errors.Is(err, refused) || tree.Git("symbolic-ref", "--short", "HEAD") != w.Branch {
		t.Errorf("a commit was made: %v, on %s", err, tree.Git("rev-parse", "--abbrev-ref", "HEAD"))
	}
}

// The folder and the branch of a worktree that others made stay when its work lands, unless its removal is asked for.
func TestLandingOfOthers(t *testing.T) {
	t.Parallel()
	for _, removed := range []bool{false, true} {
		o := newOthers(t)
		tree := o.Main.At(o.codex)
		tree.Commit("work", "c.txt", "codex\n")
		o.Main.Git("worktree", "lock", "--reason", "codex is at it", o.codex)
		tree.Write(".env", "KEY=1\n") // ignored, and cannot be made again
		if removed {
			o.Main.Git("worktree", "unlock", o.codex)
			worktreetest.Must(t, os.Remove(filepath.Join(o.codex, ".env")))
		}
		out, err := o.Landings.Land(t.Context(), land.Request{Worktree: o.codex, Remove: removed})
		worktreetest.Must(t, err)
		if out.Removed != removed || (out.Left == "") != removed || out.Worktree.Status != worktree.Completed || out.Worktree.FinishedAt == nil {
			t.Errorf("%+v", out)
		}
		if _, err := os.Stat(o.codex); (err != nil) != removed {
			t.Errorf("the folder: %v", err)
		}
		if got := o.Main.Git("show", "main:c.txt"); got != "codex" {
			t.Errorf("landed %q", got)
		}
		if !strings.Contains(o.Branches(), out.Worktree.Branch) {
			t.Errorf("branches: %s", o.Branches())
		}
		w, err := o.Worktrees.Get(t.Context(), "", o.codex)
		if !removed && (err != nil || w.Row()) {
			t.Errorf("it is not merely seen again: %+v %v", w, err)
		}
		_, _, _, err = o.Worktrees.Open(t.Context(), "", out.Worktree.Ref)
		worktreetest.Contains(t, err, "was completed already", map[bool]string{true: "agit undo", false: "its path: " + o.codex}[removed])
		o.Sound()
	}
}

// A landing that is killed after the branch moved ends as it would have, with the folder left.
func TestLandingOfOthersCutOff(t *testing.T) {
	t.Parallel()
	o := newOthers(t)
	o.Main.At(o.claude).Commit("work", "c.txt", "claude\n")
	o.FailAt("synced")
	_, err := o.Landings.Land(t.Context(), land.Request{Worktree: "fix"})
	if err == nil {
		t.Fatal("it was not cut off")
	}
	o.Step = nil
	_, err = o.Worktrees.Recovered(t.Context(), o.Repo)
	worktreetest.Must(t, err)
	if _, err := os.Stat(o.claude); err != nil {
		t.Error(err)
	}
	o.Sound()
}

// A worktree of others is listed, left, and removed only when it is named: its branch is kept, and it can be restored.
func TestRemovalOfOthers(t *testing.T) {
	t.Parallel()
	o := newOthers(t)
	o.Main.At(o.claude).Commit("work", "c.txt", "claude\n")
	codex := o.Main.At(o.codex)
	codex.Commit("work", "d.txt", "codex\n")
	codex.Write("e.txt", "new\n")
	head := codex.Head()
	for _, dry := range []bool{true, false} {
		list, err := o.Removals.Cleanup(t.Context(), remove.Cleanup{Repo: "app", DryRun: dry})
		worktreetest.Must(t, err)
		var got []string
		for _, c := range list {
			line := filepath.Base(c.Worktree.Path) + " " + c.Why
			for _, b := range c.Obstacles {
				line += " " + string(b.Kind)
			}
			if c.Removed || !c.Left {
				t.Errorf("%+v", c)
			}
			got = append(got, line)
		}
		if diff := cmp.Diff([]string{"app made by codex untracked unmerged", "fix made by claude-code"}, got); diff != "" {
			t.Error(diff)
		}
	}
	if out, err := o.Removals.Remove(t.Context(), remove.Request{Worktree: "fix"}); err != nil || !out.Removed {
		t.Errorf("%+v %v", out, err)
	}
	if !strings.Contains(o.Branches(), "worktree-fix") {
		t.Errorf("its branch went: %s", o.Branches())
	}
	if _, err := o.Removals.Remove(t.Context(), remove.Request{Worktree: "app"}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("work of no branch: %v", err)
	}
	if got := o.refs(); len(got) != 2 { // agit's own, and what can be restored
		t.Errorf("rows: %v", got)
	}
	out, err := o.Removals.Remove(t.Context(), remove.Request{Worktree: "app", AbandonWork: true})
	worktreetest.Must(t, err)
	if _, err := os.Stat(o.codex); err == nil {
		t.Error("the folder is there")
	}
	o.Sound()
	for _, ref := range []string{out.Worktree.Ref, "fix"} {
		w, err := o.Removals.Restore(t.Context(), "", ref)
		if err != nil || w.Status != worktree.Active || !w.Foreign() {
			t.Fatalf("%+v %v", w, err)
		}
	}
	if codex.Head() != head || codex.Git("status", "--porcelain") != "?? e.txt" {
		t.Errorf("restored at %s with %q", codex.Head(), codex.Git("status", "--porcelain"))
	}
	o.Sound()
}

// A folder that was moved by hand is connected again once something is done with it.
func TestMovedOther(t *testing.T) {
	t.Parallel()
	o := newOthers(t)
	now := filepath.Join(filepath.Dir(o.claude), "elsewhere")
	worktreetest.Must(t, os.Rename(o.claude, now))
	o.Main.At(now).Commit("work", "c.txt", "claude\n")
	w, err := o.Worktrees.Get(t.Context(), "", "fix")
	if err != nil || w.Path != now || w.Marks.MovedFrom != o.claude {
		t.Fatalf("%+v %v", w, err)
	}
	if out, err := o.Landings.Land(t.Context(), land.Request{Worktree: now}); err != nil || out.Commit == "" {
		t.Errorf("%+v %v", out, err)
	}
	worktreetest.Must(t, os.RemoveAll(o.codex))
	if _, err := o.Landings.Land(t.Context(), land.Request{Worktree: "app"}); err == nil || !strings.Contains(err.Error(), "is gone from") {
		t.Errorf("a folder that is gone: %v", err)
	}
}

func TestUnregisterSparesWhatWasUsed(t *testing.T) {
	t.Parallel()
	o := newOthers(t)
	_, w, _, err := o.Worktrees.Open(t.Context(), "", "fix")
	worktreetest.Must(t, err)
	unregister := func(id int64) {
		o.Write(func(tx *registry.Tx) error { return worktree.Unregister(tx, id) })
	}
	unregister(o.own.ID)
	o.Exec(`INSERT INTO reviews (uid, project_id, worktree_id, state, tip_oid, asked_at) VALUES ('v', ?, ?, 'waiting', '', ?)`, o.Repo.ProjectID, w.ID, worktreetest.Stamp(0))
	unregister(w.ID)
	if got := o.refs(); len(got) != 2 {
		t.Errorf("%v", got)
	}
	o.Exec(`DELETE FROM reviews`)
	unregister(w.ID)
	if got := o.refs(); len(got) != 1 {
		t.Errorf("%v", got)
	}
}
