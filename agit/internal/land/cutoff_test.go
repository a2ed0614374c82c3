package land_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// cutOff lands a worktree in a call that is killed at a step.
func cutOff(f *worktreetest.Fixture, w worktree.Worktree, step string, change func(*land.Request)) {
	f.T.Helper()
	f.KilledAt(step, func() { _, _ = landing(f, w.Ref, change) })
}

// after returns what became of a landing: its row, its worktree, and whether its work is on main with clean files.
func after(f *worktreetest.Fixture, w worktree.Worktree) string {
	f.T.Helper()
	l, now := lastOf(f, w.Ref), f.Get(w)
	_, folder := os.Stat(w.Path)
	has, clean := strings.Contains(f.Main.Git("log", "--format=%s", "main"), "work on x"), f.Main.Git("status", "--porcelain") == ""
	_, file := os.Stat(f.Main.Path("new/x"))
	return fmt.Sprintf("%s %q, worktree %s in %t, on main %t, files %t, clean %t, commit %t", l.State, l.Reason, now.Status, folder == nil, has, file == nil, clean, l.Commit != "" && l.Commit == f.Main.Git("rev-parse", "main"))
}

const (
	takenBack = `returned "the agit that was landing it ended before it was done; ask again", worktree active in true, on main false, files false, clean true, commit false`
	finished  = `landed "", worktree completed in false, on main true, files true, clean true, commit true`
)

// A landing whose process was killed is taken back where the branch had not moved, and is finished where it had.
func TestLandingsThatWereCutOff(t *testing.T) {
	t.Parallel()
	gated := func(o *land.Request) { o.Gate = []string{"true"} }
	for name, c := range map[string]struct {
		step   string
		change func(*land.Request)
		then   func(*worktreetest.Fixture, worktree.Worktree) // before it is mended
		again  bool                                           // it lands then
		want   string
	}{
		"before it was built":     {step: "merge:asked", want: takenBack},
		"while its gate ran":      {step: "merge:gate", change: gated, want: takenBack},
		"before the branch moved": {step: "merge:prepared", again: true, want: takenBack},
		"after the branch moved":  {step: "merge:swapped", want: finished},
		"and the branch went on": {step: "merge:swapped", then: func(f *worktreetest.Fixture, _ worktree.Worktree) {
			f.Main.Git("update-ref", "refs/heads/main", f.Main.Git("commit-tree", "-p", "main", "-m", "on", "main^{tree}"))
		}, want: strings.Replace(finished, "commit true", "commit false", 1)},
		"and the branch was put back": {step: "merge:swapped", then: func(f *worktreetest.Fixture, _ worktree.Worktree) {
			f.Main.Git("update-ref", "refs/heads/main", "main^")
		}, want: takenBack},
		"and its agent went on": {step: "merge:swapped", then: func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Commit("more", "more", "m\n") },
			want: `landed "", worktree active in true, on main true, files true, clean true, commit true`},
		"while its worktree was removed": {step: "remove:moved", want: finished},
		"its worktree has new files": {step: "remove:planned", then: func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Write("more", "m\n") },
			want: `landed "", worktree active in true, on main true, files true, clean true, commit true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w := f.Worked("x")
			cutOff(f, w, c.step, c.change)
			if c.then != nil {
				c.then(f, w)
			}
			_, err := f.Landings.Trees.Recovered(t.Context(), f.Repo)
			worktreetest.Must(t, err)
			if got := after(f, w); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if list := f.Main.Git("worktree", "list", "--porcelain"); strings.Contains(list, ".merge-") {
				t.Error(list)
			}
			f.Sound()
			if c.again {
				if _, err := landing(f, w.Ref, nil); err != nil {
					t.Errorf("it is asked again: %v", err)
				}
			}
		})
	}
}

// The executable bit is a change like another.
func TestCutOffBeforeAFileWasMadeExecutable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no executable bit")
	}
	f := worktreetest.New(t)
	worktreetest.Must(t, os.Chmod(f.Main.Path("b.txt"), 0o755))
	f.Main.Commit("b.txt can be run")
	w := f.Worked("x")
	worktreetest.Must(t, os.Chmod(f.Tree(w).Path("a.txt"), 0o755))
	worktreetest.Must(t, os.Chmod(f.Tree(w).Path("b.txt"), 0o644))
	f.Tree(w).Commit("a.txt can be run, and b.txt cannot")
	cutOff(f, w, "merge:swapped", nil)
	_, err := f.Landings.Trees.Recovered(t.Context(), f.Repo)
	worktreetest.Must(t, err)
	if got := after(f, w); got != finished {
		t.Error(got)
	}
	f.Sound()
}

// A landing at a remote whose process was killed around its push is what the remote says, as soon as it can be asked.
func TestPushesThatWereCutOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step string
		then func(*shared, worktree.Worktree)
		away bool
		want string
	}{
		"before the push, and another pushed": {step: "push:noted", then: func(s *shared, _ worktree.Worktree) { s.elsewhere("other") }, want: takenBack},
		"after the push, and another pushed": {step: "push:done", then: func(s *shared, _ worktree.Worktree) { s.elsewhere("other") },
			want: finished},
		"after the branch here moved":     {step: "merge:swapped", want: finished},
		"after the push, which is away":   {step: "push:done", away: true, want: finished},
		"before the push, which was away": {step: "push:noted", away: true, want: takenBack},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, nil)
			f, w := s.Fixture, s.Worked("x")
			cutOff(f, w, c.step, nil)
			if c.then != nil {
				c.then(s, w)
			}
			if c.away {
				hidden := s.bare.Dir + ".away"
				worktreetest.Must(t, os.Rename(s.bare.Dir, hidden))
				if _, err := f.Landings.Clear(t.Context(), f.Repo, lastOf(f, w.Ref)); err != nil {
					t.Fatal(err)
				}
				if l := lastOf(f, w.Ref); l.State != land.Returned || !strings.Contains(l.Reason, "the remote cannot be asked yet") {
					t.Errorf("%s: %s", l.State, l.Reason)
				}
				if l := f.Get(w); l.Operation() != worktree.OpMerge {
					t.Errorf("%+v", l)
				}
				worktreetest.Must(t, os.Rename(hidden, s.bare.Dir))
			}
			_, err := f.Landings.Trees.Recovered(t.Context(), f.Repo)
			worktreetest.Must(t, err)
			if got := after(f, w); got != c.want {
				t.Errorf("%s\nwant %s\n%q", got, c.want, s.notices)
			}
		})
	}
}

// Work that landed while its worktree could not be removed is landed, and the caller is told what is left to do.
func TestMergedAndNotRemoved(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	f.FailAt("remove:planned")
	_, err := landing(f, w.Ref, nil)
	if got := fault.From(err); got.Message != fmt.Sprintf("worktree %q is merged into main, but was not removed", w.Ref) || got.Hint != "merge it again to have it removed" {
		t.Errorf("%s: %s", got.Message, got.Hint)
	}
	f.Step = nil
	if got, want := after(f, w), `landed "", worktree active in true, on main true, files true, clean true, commit true`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if out, err := landing(f, w.Ref, nil); err != nil || !out.Removed || out.Commit != "" {
		t.Errorf("%+v, %v", out, err)
	}
	f.Sound()
}

// A folder that others made stays after its work landed, unless it is to be removed.
func TestFoldersOfOthersStay(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	for name, c := range map[string]struct {
		folder string
		remove bool
		left   string
	}{
		"git":            {"beside", false, "its folder %s was made with git, and not by agit"},
		"another client": {".codex/worktrees/1f3c/app", false, "codex made its folder %s, and removes it"},
		"to be removed":  {"gone", true, ""},
	} {
		dir := filepath.Join(f.T.TempDir(), filepath.FromSlash(c.folder))
		branch := strings.ReplaceAll(name, " ", "-")
		f.Main.Git("worktree", "add", "-q", "-b", branch, dir)
		f.Main.At(dir).Commit(name, branch, "x\n")
		out, err := f.Landings.Land(t.Context(), land.Request{Repo: "app", Worktree: dir, Remove: c.remove})
		want := ""
		if c.left != "" {
			want = fmt.Sprintf(c.left, dir)
		}
		if _, stat := os.Stat(dir); err != nil || out.Left != want || out.Removed != c.remove || (stat != nil) != c.remove || out.Worktree.Status != worktree.Completed {
			t.Errorf("%s: %+v, %v, %v", name, out, err, stat)
		}
	}
	f.Sound()
}

// Work of which a program must write the files is refused while the program fails.
func TestFilterThatFails(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	f.Main.Commit("filtered", ".gitattributes", "*.bin filter=x\n")
	w := f.Worked("x")
	f.Tree(w).Commit("binary", "b.bin", "b\n")
	f.Main.Git("config", "filter.x.clean", "cat")
	f.Main.Git("config", "filter.x.smudge", "false")
	f.Main.Git("config", "filter.x.required", "true")
	head := f.Main.Head()
	_, err := landing(f, w.Ref, nil)
	worktreetest.Contains(t, err, `git cannot write "b.bin"`, "its filter")
	if f.Main.Head() != head {
		t.Error("it landed")
	}
	f.Main.Git("config", "filter.x.smudge", "cat")
	if _, err := landing(f, w.Ref, nil); err != nil || f.Main.Read("b.bin") != "b\n" {
		t.Error(err)
	}
}

// How landings are judged is told for trials, unless the gate may not run.
func TestJudgementOf(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	f.Set.Gate, f.Set.GateTimeout = []string{"make test"}, time.Minute
	j, err := f.Landings.JudgementOf(t.Context(), f.Main.Repo(), f.Repo)
	worktreetest.Must(t, err)
	if j.Branch != "main" || j.Commit != f.Main.Head() || strings.Join(j.Gate.Commands, ";") != "make test" || j.Gate.Limit != time.Minute || j.Key() == "" {
		t.Errorf("%+v", j)
	}
	ports := 0
	for _, v := range j.Gate.Env {
		if v == "AGIT_REPO=app" || v == "AGIT_TARGET=main" || strings.HasPrefix(v, "AGIT_PORT=") {
			ports++
		}
	}
	if ports != 3 {
		t.Errorf("%q", j.Gate.Env)
	}
	again, err := f.Landings.JudgementOf(t.Context(), f.Main.Repo(), f.Repo)
	if err != nil || again.Key() != j.Key() {
		t.Errorf("another key for the same: %v", err)
	}
	f.Set.Gate = []string{"make lint"}
	if other, err := f.Landings.JudgementOf(t.Context(), f.Main.Repo(), f.Repo); err != nil || other.Key() == j.Key() {
		t.Errorf("the same key for another gate: %v", err)
	}
	f.Set.Unjudged.Waiting = []string{"gate"}
	_, err = f.Landings.JudgementOf(t.Context(), f.Main.Repo(), f.Repo)
	worktreetest.Contains(t, err, "nothing was tried together: the project's gate on branch main has no effect", "agit config trust")
	f.Set.DefaultBranch = "trunk"
	_, err = f.Landings.JudgementOf(t.Context(), f.Main.Repo(), f.Repo)
	worktreetest.Contains(t, err, `repository "app" has no branch "trunk", its default branch`)
}

// A commit in a worktree is made under an intent: another operation waits, a failure settles it, and what a killed git left is cleared.
func TestCommitting(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	began, then := 0, 0
	never := func() error { return errors.New("begun") }
	commits := func(err error) func() error {
		return func() error {
			if began++; f.Get(w).Operation() != worktree.OpMerge {
				t.Error("it has no intent")
			}
			if busy := f.Landings.Committing(t.Context(), w, never, nil); !fault.Is(busy, fault.KindConflict) {
				t.Errorf("it is committed in twice: %v", busy)
			}
			return err
		}
	}
	after := func(*registry.Tx) error { then++; return nil }
	check := func(what string, err error, want string, began2, then2 int) {
		t.Helper()
		if got := fmt.Sprint(err); got != want || began != began2 || then != then2 || f.Get(w).Operation() != "" || f.Get(w).Status != worktree.Active {
			t.Errorf("%s: %v, began %d, then %d, %+v", what, err, began, then, f.Get(w))
		}
	}
	check("it is made", f.Landings.Committing(t.Context(), w, commits(nil), after), "<nil>", 1, 1)
	check("it fails", f.Landings.Committing(t.Context(), w, commits(errors.New("no")), after), "no", 2, 1)
	f.FailAt("commit:planned")
	check("it is not begun", f.Landings.Committing(t.Context(), w, commits(nil), after), "fail at commit:planned", 2, 1)
	f.Step = nil
	lock := filepath.Join(f.Tree(w).Repo().GitDir, "index.lock")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f.Landings.Committing(t.Context(), w, func() error {
			worktreetest.Must(t, os.WriteFile(lock, nil, 0o600))
			runtime.Goexit()
			return nil
		}, after)
	}()
	<-done
	if f.Get(w).Operation() != worktree.OpMerge {
		t.Error("a kill leaves no intent")
	}
	_, err := f.Landings.Trees.Recovered(t.Context(), f.Repo)
	check("it is mended", err, "<nil>", 2, 1)
	if _, err := os.Lstat(lock); err == nil {
		t.Error("the lock is left")
	}
	f.Sound()
}

// Commits that land are signed where the user has all commits signed. Those of a preview or a review, which never land, are not.
func TestSignedCommits(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	gpg := filepath.Join(t.TempDir(), "gpg")
	gittest.WriteProgram(t, gpg, "#!/bin/sh\nexit 1\n")
	for _, c := range [][2]string{{"commit.gpgsign", "true"}, {"gpg.program", gpg}, {"user.signingkey", "ann"}} {
		f.Main.Git("config", c[0], c[1])
	}
	head := f.Main.Head()
	if p, err := f.Landings.Preview(t.Context(), land.Request{Repo: "app", Worktree: w.Ref}); err != nil || len(p.Files) != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := f.Landings.Try(t.Context(), land.Request{Repo: "app", Worktree: w.Ref}, nil); err != nil {
		t.Errorf("tried: %v", err)
	}
	if _, err := landing(f, w.Ref, nil); err == nil || f.Main.Head() != head || f.Get(w).Status != worktree.Active {
		t.Errorf("it lands without a signature: %v", err)
	}
	gittest.WriteProgram(t, gpg, "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho signed by ann\n")
	out, err := landing(f, w.Ref, nil)
	worktreetest.Must(t, err)
	if text := f.Main.Git("cat-file", "commit", out.Commit); !strings.Contains(text, "gpgsig signed by ann") {
		t.Errorf("%s", text)
	}
	f.Main.Git("config", "commit.gpgsign", "false")
	y := f.Worked("y")
	if out, err = landing(f, y.Ref, nil); err != nil || strings.Contains(f.Main.Git("cat-file", "commit", out.Commit), "gpgsig") {
		t.Errorf("signed unasked: %v", err)
	}
}

// A killed update is finished also where the folder of its worktree is gone by then. The index, if git still has it, follows.
func TestUpdatesWhoseFolderIsGone(t *testing.T) {
	t.Parallel()
	for _, pruned := range []bool{false, true} {
		f := worktreetest.New(t)
		w := f.Worked("x")
		f.Main.Commit("theirs", "theirs", "t\n")
		f.KilledAt("merge:swapped", func() { _, _ = f.Landings.Update(t.Context(), land.UpdateRequest{Repo: "app", Worktree: w.Ref}) })
		worktreetest.Must(t, os.RemoveAll(w.Path))
		if pruned {
			f.Main.Git("worktree", "prune")
		}
		_, err := f.Landings.Trees.Recovered(t.Context(), f.Repo)
		worktreetest.Must(t, err)
		f.FixAll()
		_, err = f.Removals.Restore(t.Context(), "", w.Ref)
		worktreetest.Must(t, err)
		if got := f.Tree(w).Git("status", "--porcelain"); got != "" || f.Tree(w).Read("theirs") != "t\n" {
			t.Errorf("pruned %t: %q", pruned, got)
		}
		f.Sound()
	}
}

// An update whose process was killed is taken back where the worktree's branch had not moved, and is finished where it had.
func TestUpdatesThatWereCutOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step   string
		rebase bool
		work   bool
		status worktree.Status // before
		want   string
	}{
		"after a conflict, not moved":      {"merge:prepared", false, true, worktree.Conflict, "conflict, theirs false, work true, base kept true"},
		"after the branch moved":           {"merge:swapped", false, true, worktree.Conflict, "active, theirs true, work true, base kept true"},
		"a rebase, after the branch moved": {"merge:swapped", true, true, worktree.Active, "active, theirs true, work true, base kept false"},
		"without commits of its own":       {"merge:swapped", false, false, worktree.Active, "active, theirs true, work false, base kept false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w := f.Spawn(spawn.Request{Task: "x"})
			if c.work {
				f.Tree(w).Commit("work on x", "new/x", "x\n")
			}
			theirs := f.Main.Commit("theirs", "theirs", "t\n")
			f.Exec(`UPDATE worktrees SET status = ? WHERE id = ?`, c.status, w.ID)
			f.KilledAt(c.step, func() {
				_, _ = f.Landings.Update(t.Context(), land.UpdateRequest{Repo: "app", Worktree: w.Ref, Rebase: c.rebase})
			})
			_, err := f.Landings.Trees.Recovered(t.Context(), f.Repo)
			worktreetest.Must(t, err)
			now, tree := f.Get(w), f.Tree(w)
			_, has := os.Stat(tree.Path("theirs"))
			_, work := os.Stat(tree.Path("new/x"))
			got := fmt.Sprintf("%s, theirs %t, work %t, base kept %t", now.Status, has == nil, work == nil, now.Base == w.Base)
			if status := tree.Git("status", "--porcelain"); got != c.want || status != "" || now.Operation() != "" || now.Base != w.Base && now.Base != theirs {
				t.Errorf("%s, want %s: %q, base %s", got, c.want, status, now.Base)
			}
		})
	}
}

// The checkout that gates are judged in is kept when a landing is cut off, unless its making was.
func TestKeptCheckoutsThatWereCutOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then func(f *worktreetest.Fixture, copies []string)
		kept bool
	}{
		"whole":     {func(*worktreetest.Fixture, []string) {}, true},
		"half made": {func(f *worktreetest.Fixture, copies []string) { worktreetest.Must(f.T, os.Remove(copies[0])) }, false},
		"half made, and another landing uses it": {func(f *worktreetest.Fixture, copies []string) {
			worktreetest.Must(f.T, os.Remove(copies[0]))
			lock := flock.New(f.Main.Path(".git/agit/gate.lock"))
			free, err := lock.TryLock()
			if worktreetest.Must(f.T, err); !free {
				f.T.Error("the lock is not released")
			}
			f.T.Cleanup(func() { lock.Close() })
		}, true},
		"half made, and a link leads to it": {func(f *worktreetest.Fixture, copies []string) {
			worktreetest.Must(f.T, os.Remove(copies[0]))
			worktreetest.Must(f.T, os.Rename(f.Main.Path(".worktrees"), f.Main.Path("elsewhere")))
			worktreetest.Must(f.T, os.Symlink("elsewhere", f.Main.Path(".worktrees")))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w := f.Worked("x")
			cutOff(f, w, "merge:scratch", func(o *land.Request) { o.Gate = []string{"true"} })
			copies, err := filepath.Glob(f.Main.Path(".git/worktrees/*/agit-kept-*.index"))
			if err != nil || len(copies) != 1 {
				t.Fatalf("%q, %v", copies, err)
			}
			c.then(f, copies)
			_, err = f.Landings.Trees.Recovered(t.Context(), f.Repo)
			worktreetest.Must(t, err)
			_, folder := os.Stat(f.Main.Path(".worktrees/.gate"))
			if entries := strings.Count(f.Main.Git("worktree", "list", "--porcelain"), ".gate"); (folder == nil) != c.kept || (entries == 1) != c.kept {
				t.Errorf("the folder: %v, in git's list %d times", folder, entries)
			}
			if got := f.Get(w); got.Status != worktree.Active || got.Operation() != "" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A landing whose turn comes is refused when its worktree changed so that it cannot land, with the reason in its row.
func TestTurnsThatAreRefused(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*worktreetest.Fixture, worktree.Worktree){
		"no longer has commit": func(f *worktreetest.Fixture, w worktree.Worktree) { f.Tree(w).Git("reset", "-q", "--hard", "main") },
		"is gone":              func(f *worktreetest.Fixture, w worktree.Worktree) { worktreetest.Must(f.T, os.RemoveAll(w.Path)) },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			other, w := f.Worked("other"), f.Worked("x")
			asks(f, other, processOf(f, true), land.Running, `["true"]`)
			f.Exec(`UPDATE landings SET pid = ?`, os.Getpid())
			changed := false
			_, err := landing(f, w.Ref, func(o *land.Request) {
				o.Gate = []string{"true"}
				o.Waiting = func(ahead []land.Landing) {
					if !changed {
						changed = true
						change(f, w)
						f.Exec(`UPDATE landings SET state = 'returned' WHERE worktree_id = ?`, other.ID)
					}
				}
			})
			l := lastOf(f, w.Ref)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(l.Reason, want) || l.State != land.Returned || f.Get(w).Operation() != "" {
				t.Errorf("%q: %v, %s %q", want, err, l.State, l.Reason)
			}
		})
	}
}

// A trial leaves its worktree as it was, whatever comes of it: what it found is not kept, the gate is red, or another operation is under way.
func TestTrialsLeaveTheirWorktree(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("x")
	try := func(gate string, keep func(*registry.Tx, land.Trial) error) (land.Trial, error) {
		return f.Landings.Try(t.Context(), land.Request{Repo: "app", Worktree: w.Ref, By: "ann", Gate: []string{gate}}, keep)
	}
	kept := 0
	keeps := func(tx *registry.Tx, trial land.Trial) error {
		if kept++; trial.GateResult != land.GatePassed || trial.Commit == "" || trial.Tip != f.Tree(w).Head() {
			t.Errorf("%+v", trial)
		}
		return nil
	}
	for name, c := range map[string]struct {
		gate string
		keep func(*registry.Tx, land.Trial) error
		want string
	}{
		"green":               {"true", keeps, "<nil>"},
		"green, without more": {"true", nil, "<nil>"},
		"red":                 {"false", func(*registry.Tx, land.Trial) error { t.Error("a red one is kept"); return nil }, "failed"},
		"not kept":            {"true", func(*registry.Tx, land.Trial) error { return fault.Conflict("worktree", w.Ref, "no room") }, "no room"},
	} {
		trial, err := try(c.gate, c.keep)
		if got := f.Get(w); !strings.Contains(fmt.Sprint(err), c.want) || got.Status != worktree.Active || got.Operation() != "" || err == nil && trial.IntoCommit != f.Main.Head() {
			t.Errorf("%s: %+v, %v, %+v", name, trial, err, got)
		}
	}
	end, err := worktree.Begin(w)
	worktreetest.Must(t, err)
	if _, err := try("true", keeps); !fault.Is(err, fault.KindConflict) || kept != 1 {
		t.Errorf("%v, kept %d times", err, kept)
	}
	end()
	if l, err := f.LastOf(t.Context(), "app", w.Ref); l != nil || err != nil {
		t.Errorf("a trial has a row: %+v, %v", l, err)
	}
}
