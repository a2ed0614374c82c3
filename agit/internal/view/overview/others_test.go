package overview_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// Worktrees that others made are rows of the status and of the screens, with their agents and the data of git's entry.
func TestOthers(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.store = overview.New(overview.Options{DB: f.DB, Conflicts: &conflict.Store{DB: f.DB, CacheDir: t.TempDir()}, Meter: distance.Meter{Dir: t.TempDir()}, StaleAfter: time.Hour})
	own := f.spawn("ann", "Own")
	beside := gittest.TempDir(t)
	claude, codex, gone := filepath.Join(f.Main.Dir, ".claude", "worktrees", "fix"), filepath.Join(beside, ".codex", "worktrees", "1f", "app"), filepath.Join(beside, "gone")
	f.Main.Git("worktree", "add", "-q", "-b", "fix", claude)
	f.Main.Git("worktree", "add", "-q", "--detach", codex)
	f.Main.Git("worktree", "add", "-q", "-b", "gone", gone)
	worktreetest.Must(t, os.RemoveAll(gone))
	f.Tree(own).Commit("Mine", "a.txt", "ann\n")
	f.Main.At(claude).Write("a.txt", "claude\n")
	old := time.Now().Add(-40 * 24 * time.Hour)
	entry := filepath.Join(f.Repo.CommonDir, "worktrees", "fix")
	for _, at := range []string{claude, filepath.Join(entry, "HEAD"), filepath.Join(entry, "index"), filepath.Join(entry, "logs", "HEAD")} {
		worktreetest.Must(t, os.Chtimes(at, old, old))
	}
	for _, session := range []string{"a", "b"} {
		worktreetest.Must(t, (&presence.Store{DB: f.DB}).Say(t.Context(), presence.Statement{Folder: codex, Client: seat.Client{Name: "codex", Conversation: session}, Session: session, State: presence.Working, Source: presence.Hook}))
	}
	shown, err := f.store.Scanned(t.Context(), "")
	worktreetest.Must(t, err)
	status, err := f.store.Status(t.Context(), "app", true)
	worktreetest.Must(t, err)

	var onScreen, inStatus []string
	for _, w := range shown.Worktrees {
		onScreen = append(onScreen, fmt.Sprintf("%s %s seen %t, %s: %s", w.Name, w.By, w.Seen, w.State, strings.Join(w.Notes, ", ")))
		if w.Seen && w.Ref != w.Path {
			t.Errorf("a ref that another repository may have too: %s", w.Ref)
		}
	}
	for _, w := range status.Worktrees {
		inStatus = append(inStatus, fmt.Sprintf("%s %s row %t: %s", w.Name, w.By(), w.Row(), strings.Join(w.Notes(), ", ")))
	}
	if diff := cmp.Diff([]string{
		"own ann seen false, conflicts with fix: ",
		"app (codex) seen true, clean: 2 sessions in it, on no branch",
		"fix (claude-code) seen true, conflicts with ann: claude-code removes it when it starts next",
		"gone (git) seen true, folder is gone: folder is gone",
	}, onScreen); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		filepath.Base(own.Path) + " ann row true: ",
		"app codex-1, codex-2 row false: 2 sessions in it, on no branch",
		"fix (claude-code) row false: claude-code removes it when it starts next",
		"gone (git) row false: folder is gone",
	}, inStatus); diff != "" {
		t.Error(diff)
	}
	places := map[string]string{}
	for _, a := range shown.Agents {
		places[a.Name] = a.Worktree
	}
	if diff := cmp.Diff(map[string]string{"ann": own.Ref, "codex-1": codex, "codex-2": codex}, places); diff != "" {
		t.Error(diff)
	}
	if len(shown.Conflicts) != 1 || shown.Conflicts[0].Sides[1].Worktree != claude || shown.Conflicts[0].Sides[1].By != "(claude-code)" {
		t.Errorf("%+v", shown.Conflicts)
	}

	// The main checkout is shown once it has changes or an agent.
	f.Main.Write("b.txt", "person\n")
	shown, err = f.store.Scanned(t.Context(), "")
	worktreetest.Must(t, err)
	if len(shown.Worktrees) != 5 || !shown.Worktrees[1].Main || shown.Worktrees[1].State != "1 changed" {
		t.Errorf("%+v", shown.Worktrees)
	}
	f.Main.Git("checkout", "-q", "b.txt")
	worktreetest.Must(t, (&presence.Store{DB: f.DB}).Say(t.Context(), presence.Statement{Folder: f.Main.Dir, Client: seat.Client{Name: "claude-code", Conversation: "x"}, Session: "x", State: presence.Working, Source: presence.Hook}))
	status, err = f.store.Status(t.Context(), "app", true)
	worktreetest.Must(t, err)
	if w := status.Worktrees[1]; !w.Marks.Main || w.By() != "claude-1" {
		t.Errorf("%+v", w)
	}
}

// Git's names of worktrees are unique only within a repository.
func TestOthersOfTwoRepositories(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	var paths []string
	for _, name := range []string{"one", "two"} {
		g := gittest.New(t)
		g.Commit("first", "a.txt", "a\n")
		path := filepath.Join(gittest.TempDir(t), "fix")
		g.Git("worktree", "add", "-q", "-b", "fix", path)
		g.At(path).Write("a.txt", name+"\n")
		g.Write("a.txt", "main's\n")
		paths = append(paths, path)
		worktreetest.AddRepo(t, db, g, name)
	}
	store := overview.New(overview.Options{DB: db, Conflicts: &conflict.Store{DB: db, CacheDir: t.TempDir()}})
	s, err := store.Scanned(t.Context(), "")
	worktreetest.Must(t, err)
	var got []string
	for _, c := range s.Conflicts {
		got = append(got, c.Repo+" "+c.Sides[1].Worktree)
	}
	if diff := cmp.Diff([]string{"one " + paths[0], "two " + paths[1]}, got); diff != "" {
		t.Error(diff)
	}
	for _, w := range s.Worktrees {
		if !w.Main && (w.State == "clean" || w.State == "unknown") {
			t.Errorf("%+v", w)
		}
	}
}
