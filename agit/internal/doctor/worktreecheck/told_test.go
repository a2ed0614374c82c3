package worktreecheck_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// In one repository with everything that can disagree: what is found, what a fix of all leaves, and what a second one does.
func TestFindingsAreTold(t *testing.T) {
	f := worktreetest.New(t)
	trees := map[string]worktree.Worktree{}
	for _, name := range []string{"sound", "missing", "moved", "pointerless", "unlisted", "exchanged", "branchless", "detached", "unborn", "elsewhere", "cut", "waiting", "locked", "trash1", "trash2", "trash3"} {
		trees[name] = f.Spawn(spawn.Request{Task: name})
		f.Tree(trees[name]).Commit(name, name, name+"\n")
	}
	must := func(err error) { t.Helper(); worktreetest.Must(t, err) }
	must(os.RemoveAll(trees["missing"].Path))
	f.Main.Git("worktree", "move", trees["moved"].Path, trees["moved"].Path+"-elsewhere")
	must(os.Remove(filepath.Join(trees["pointerless"].Path, ".git")))
	must(os.RemoveAll(checkout.Entries(f.Main.Repo(), trees["unlisted"].Path)[0]))
	must(os.Remove(filepath.Join(trees["exchanged"].Path, ".git")))
	f.Main.Git("init", "-q", trees["exchanged"].Path)
	f.Tree(trees["branchless"]).Git("checkout", "-q", "--detach")
	f.Main.Git("branch", "-D", trees["branchless"].Branch)
	f.Tree(trees["detached"]).Git("checkout", "-q", "--detach")
	f.Main.Git("update-ref", "-d", "refs/heads/"+trees["unborn"].Branch)
	f.Tree(trees["elsewhere"]).Git("checkout", "-q", "-b", "else-where")
	f.Exec(`INSERT INTO landings (uid, project_id, repo_id, worktree_id, host, pid, process, state, strategy, target, tip_oid, gate, asked_at)
		VALUES (?, ?, ?, ?, ?, 1, ?, 'queued', 'merge', 'main', '', '["true"]', ?)`,
		registry.NewUID(), f.Repo.ProjectID, f.Repo.ID, trees["waiting"].ID, registry.Host(), "v-gone@"+registry.Host(), worktreetest.Stamp(0))
	old := func(path string, age time.Duration) {
		must(os.WriteFile(path, nil, 0o644))
		must(os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	entry := checkout.Entries(f.Main.Repo(), trees["locked"].Path)[0]
	old(filepath.Join(entry, "index.lock"), 3*time.Hour)
	old(filepath.Join(f.Repo.CommonDir, "refs", "heads", "main.lock"), 3*time.Hour)
	for _, name := range []string{"trash1", "trash2", "trash3"} {
		_, err := f.Removals.Remove(t.Context(), remove.Request{Worktree: trees[name].Ref, AbandonWork: true})
		must(err)
	}
	kept, err := f.Removals.Trash(t.Context(), "app")
	must(err)
	for _, one := range kept {
		switch one.Worktree.Ref {
		case trees["trash1"].Ref:
			must(os.RemoveAll(one.Path))
		case trees["trash2"].Ref:
			f.Exec(`UPDATE trash SET expires_at = ? WHERE worktree_id = ?`, worktreetest.Stamp(-time.Hour), one.Worktree.ID)
		default:
			f.Exec(`UPDATE trash SET path = ? WHERE worktree_id = ?`, "/nowhere/"+filepath.Base(one.Path), one.Worktree.ID)
		}
	}
	f.Main.Git("worktree", "add", "-q", "-b", "by-hand", f.Main.Path(".worktrees/by hand"), "main~0")
	f.Main.Write(".worktrees/stray/file", "whose?")
	f.Main.Write(".worktrees/.merge-"+trees["sound"].Ref+"/file", "x")
	f.Main.Write(".worktrees/.gate/file", "x")
	f.Main.Write(".worktrees/plain", "no folder")
	must(os.Remove(filepath.Join(f.Repo.CommonDir, "info", "exclude")))
	f.Write(func(tx *registry.Tx) error {
		return worktree.SetIntent(tx, trees["cut"], worktree.OpMerge, worktree.Active, map[string]string{"before": "active"})
	})
	other := gittest.New(t)
	other.Commit("first", "a", "a\n")
	worktreetest.AddRepo(t, f.DB, other, "gone")
	must(os.RemoveAll(other.Dir))

	names := []string{f.Repo.Path, "<repo>", other.Dir, "<other>", f.Worktrees.Options.Home, "<home>"}
	for name, w := range trees {
		names = append(names, w.Ref, "<"+name+">")
	}
	masks := clitest.NewMasks(t, names...)
	var s strings.Builder
	for _, round := range []string{"found", "after a fix", "after another"} {
		found, err := f.Audits.Check(t.Context(), "")
		must(err)
		fmt.Fprintf(&s, "== %s\n", round)
		for _, one := range found {
			fmt.Fprintf(&s, "%s %s of %s, fixable %v\n\t%s\n\t%s\n", one.Kind, one.Worktree, one.Repo, one.Fixable(), one.Text, one.Remedy)
			if err := one.Fix(t.Context()); err != nil {
				fmt.Fprintf(&s, "\t! %v\n", err)
			}
		}
	}
	rows := f.Rows()
	for _, w := range rows {
		fmt.Fprintf(&s, "%s %s %s %s\n", w.Ref, w.Status, w.Branch, w.Path)
	}
	only, err := f.Audits.Check(t.Context(), "gone")
	must(err)
	if len(only) != 1 {
		t.Errorf("%+v", only)
	}
	if _, err := f.Audits.Check(t.Context(), "none"); err == nil {
		t.Error("a repository that does not exist is looked at")
	}
	clitest.Golden(t, filepath.Join("testdata", "findings.txt"), masks.Apply(s.String()))
}

// A folder of the worktrees that is the repository's own is named, and nothing in it or beside the repository counts as left over.
func TestFoldersThatAreNotOfWorktrees(t *testing.T) {
	f := worktreetest.New(t)
	f.Main.Commit("src", "src/sub/a", "1\n")
	for dir, want := range map[string]string{"src": "has files of the repository", ".": "is the repository itself", "..": ""} {
		f.Set.Dir = dir
		worktreetest.Must(t, os.MkdirAll(f.Main.Path("../beside"), 0o755))
		found, err := f.Audits.Check(t.Context(), "app")
		if err != nil || want == "" && len(found) != 0 || want != "" && (len(found) != 1 || !strings.Contains(found[0].Text, want) || found[0].Fixable()) {
			t.Errorf("%s: %+v, %v", dir, found, err)
		}
	}
}

// A remote that git does not know is named.
func TestRemoteThatGitDoesNotKnow(t *testing.T) {
	f := worktreetest.New(t)
	f.Set.Remote = "origin"
	for _, want := range []int{1, 0} {
		found, err := f.Audits.Check(t.Context(), "app")
		if err != nil || len(found) != want || want == 1 && !strings.Contains(found[0].Text, `repository "app" has no remote "origin"`) {
			t.Errorf("%+v, %v", found, err)
		}
		f.Main.Git("config", "remote.origin.url", "https://forge.example/app.git")
	}
}

// Hooks that the main checkout has and a worktree lacks are named, when it is made and later.
func TestHooksThatWorktreesLack(t *testing.T) {
	f := worktreetest.New(t)
	notice := ""
	f.Worktrees.Options.Notice = func(text string) { notice += text }
	f.Main.Git("config", "core.hooksPath", ".husky/_")
	for _, c := range []struct {
		task       string
		main, tree string // files there
		want       bool
	}{{"none", "", "", false}, {"lacks", ".husky/_/h", "", true}, {"both", ".husky/_/h", ".husky/_/h", false}} {
		if c.main != "" {
			f.Main.Write(c.main, "x")
		}
		notice = ""
		w := f.Spawn(spawn.Request{Task: c.task})
		if told := strings.Contains(notice, `lacks their folder ".husky/_"`); told != (c.main != "") {
			t.Errorf("%s: noticed %q", c.task, notice)
		}
		if c.tree != "" {
			f.Tree(w).Write(c.tree, "x")
		}
		found, err := f.Audits.Check(t.Context(), "app")
		if is := slices.ContainsFunc(found, func(one worktreecheck.Finding) bool {
			return one.Worktree == w.Ref && one.Kind == worktreecheck.HooksMissing
		}); err != nil || is != c.want {
			t.Errorf("%s: %+v, %v", c.task, found, err)
		}
	}
}

// A default branch that the last fetch of its remote did not find is named, and none of a remote that was never fetched.
func TestDefaultBranchIsGoneAtTheRemote(t *testing.T) {
	f := worktreetest.New(t)
	f.Set.Remote = "origin"
	f.Main.Git("config", "remote.origin.url", "https://forge.example/app.git")
	for _, c := range []struct {
		ref  string
		want int
	}{{"upstream/trunk", 0}, {"origin/trunk", 1}, {"origin/main", 0}} {
		f.Main.Git("update-ref", "refs/remotes/"+c.ref, "HEAD")
		found, err := f.Audits.Check(t.Context(), "app")
		if err != nil || len(found) != c.want || c.want == 1 && (!strings.Contains(found[0].Text, `had no branch "main"`) || !strings.Contains(found[0].Remedy, "remote set-head origin -a")) {
			t.Errorf("%s: %+v, %v", c.ref, found, err)
		}
	}
}

// Another machine's repositories are not looked at, and a folder that several share holds what is not agit's.
func TestSharedFolders(t *testing.T) {
	f := worktreetest.New(t)
	shared := gittest.TempDir(t)
	f.Set.Dir = shared
	w := f.Spawn(spawn.Request{Task: "x"})
	for _, folder := range []string{"theirs", "repo"} {
		worktreetest.Must(t, os.MkdirAll(filepath.Join(shared, folder), 0o755))
	}
	lost := filepath.Join(filepath.Dir(w.Path), "lost")
	f.Main.Git("worktree", "add", "-q", "--detach", lost)
	worktreetest.Must(t, os.RemoveAll(checkout.Entries(f.Main.Repo(), lost)[0]))
	found, err := f.Audits.Check(t.Context(), "app")
	worktreetest.Must(t, err)
	if len(found) != 1 || !strings.Contains(found[0].Text, lost) {
		t.Errorf("%+v", found)
	}
	f.Exec(`UPDATE repos SET host = 'another'`)
	if found, err = f.Audits.Check(t.Context(), ""); err != nil || len(found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
