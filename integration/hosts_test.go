//go:build unix

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// newMachines returns hosts that each have a clone of one bare repository and land there, and that repository's folder. All share the
// registry db; with "" each has its own.
func newMachines(t *testing.T, db string, names ...string) (all []*home, remote string) {
	t.Helper()
	remote = filepath.Join(ownFolder(t), "remote.git")
	for i, name := range names {
		h := newHome(t)
		all = append(all, h)
		h.env = append(h.env, "AGIT_HOST="+name)
		if db != "" {
			h.env = append(h.env, "AGIT_DB="+db)
		}
		if i == 0 {
			h.ok("git", "clone", "-q", "--bare", h.repo, remote)
		}
		h.ok("git", "remote", "add", "origin", remote)
		h.ok("git", "fetch", "-q", "origin")
		h.ok("git", "reset", "-q", "--hard", "origin/main")
		h.ok("agit", "add", ".", "--name", "app")
		h.ok("agit", "config", "set", "remote", "origin")
	}
	return all, remote
}

// Ten landers on three machines land on one branch of a bare repository, with one registry on a server and with three in files: all
// land once, and nothing is lost.
func TestTenLandersOnThreeMachines(t *testing.T) {
	registrytest.OnlySQLite(t, "it takes a server of its own")
	t.Parallel()
	t.Run("one registry", func(t *testing.T) {
		t.Parallel()
		landFromAll(t, registrytest.NewCluster(t).URL("postgres"))
	})
	t.Run("three registries", func(t *testing.T) {
		t.Parallel()
		landFromAll(t, "")
	})
}

func landFromAll(t *testing.T, db string) {
	t.Helper()
	const landers, each = 10, 2
	machines, remote := newMachines(t, db, "a", "b", "c")
	first := machines[0].ok("git", "-C", remote, "rev-parse", "main")
	var group errgroup.Group
	for n := range landers {
		h := machines[n%len(machines)]
		group.Go(func() error {
			for i := range each {
				name := fmt.Sprintf("part-%d-%d", n, i)
				out, errs, code := h.run("agit", "spawn", "app", "--branch", name, "--json", "--jq", ".path")
				if code != 0 {
					return fmt.Errorf("spawn %s: %s%s", name, out, errs)
				}
				path := strings.Trim(strings.TrimSpace(out), `"`)
				if err := os.WriteFile(filepath.Join(path, name), []byte(name+"\n"), 0o644); err != nil {
					return err
				}
				for _, args := range [][]string{{"git", "-C", path, "add", "."}, {"git", "-C", path, "commit", "-qm", name}, {"agit", "merge", filepath.Base(path)}} {
					if out, errs, code := h.run(args[0], args[1:]...); code != 0 {
						return fmt.Errorf("%v: status %d\n%s%s", args, code, out, errs)
					}
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	h := machines[0]
	var got, want []string
	for n := range landers {
		for i := range each {
			want = append(want, fmt.Sprintf("part-%d-%d", n, i))
		}
	}
	got = strings.Fields(h.ok("git", "-C", remote, "log", "--no-merges", "--format=%s", first+"..main"))
	if len(got) != len(want) {
		t.Errorf("%d commits of %d landed: %q", len(got), len(want), got)
	}
	if merges := strings.Fields(h.ok("git", "-C", remote, "rev-list", "--first-parent", first+"..main")); len(merges) != len(want) {
		t.Errorf("%d landings of %d", len(merges), len(want))
	}
	files := strings.Fields(h.ok("git", "-C", remote, "ls-tree", "--name-only", "main"))
	for _, name := range want {
		if times := strings.Count("\n"+strings.Join(files, "\n")+"\n", "\n"+name+"\n"); times != 1 {
			t.Errorf("%s is there %d times", name, times)
		}
	}
	landed := 0
	for _, h := range machines {
		var past struct{ Landings []struct{ State string } }
		h.json(&past, "queue", "app", "--past", "1000")
		for _, l := range past.Landings {
			if l.State == "landed" {
				landed++
			}
		}
		h.sound()
	}
	if landed != len(want) {
		t.Errorf("the registries have %d landings of %d", landed, len(want))
	}
}

// A task of an agent on a machine that has fallen silent is released by the silence alone: no process of that machine is contacted or
// looked for.
func TestClaimOfADeadMachine(t *testing.T) {
	registrytest.OnlySQLite(t, "it takes a server of its own")
	t.Parallel()
	machines, _ := newMachines(t, registrytest.NewCluster(t).URL("postgres"), "a", "b")
	a, b := machines[0], machines[1]
	a.fill(1)
	var claimed, again struct{ TaskID string }
	a.json(&claimed, "next", "--agent", "ann")
	if _, errs, code := b.run("agit", "next", "--agent", "bob"); code != 3 {
		t.Errorf("a claim that is held was taken: status %d, %s", code, errs)
	}
	b.env = append(b.env, "AGIT_CFG_AGENT_RELEASE_AFTER=1ms") // which ann has been silent for
	b.json(&again, "next", "--agent", "bob")
	if claimed.TaskID == "" || again.TaskID != claimed.TaskID {
		t.Errorf("%q came back as %q", claimed.TaskID, again.TaskID)
	}
	if _, errs, code := a.run("agit", "tasks", "--complete", claimed.TaskID, "--agent", "ann"); code != 4 {
		t.Errorf("the one who was silent may still complete it: status %d, %s", code, errs)
	}
}

// Two agents on two machines edit the same lines. With shared branches each sees that before either lands, with one registry and with
// two, and a deleted branch is no longer shared.
func TestSharedBranches(t *testing.T) {
	registrytest.OnlySQLite(t, "it takes a server of its own")
	t.Parallel()
	t.Run("one registry", func(t *testing.T) {
		t.Parallel()
		meetOnTwoMachines(t, registrytest.NewCluster(t).URL("postgres"))
	})
	t.Run("two registries", func(t *testing.T) {
		t.Parallel()
		meetOnTwoMachines(t, "")
	})
}

func meetOnTwoMachines(t *testing.T, db string) {
	t.Helper()
	machines, remote := newMachines(t, db, "desk", "laptop")
	desk, laptop := machines[0], machines[1]
	edit := func(h *home, branch string) {
		h.ok("agit", "spawn", "app", "--branch", branch, "--quiet")
		path := treeOf(h.ok("git", "worktree", "list", "--porcelain"), branch)
		must(t, os.WriteFile(filepath.Join(path, "one.txt"), []byte(branch+"\n"+strings.Repeat("a line of one.txt\n", 39)), 0o644))
		h.ok("git", "-C", path, "commit", "-qam", branch)
	}
	conflicts := func(h *home) string {
		out, errs, code := h.run("agit", "conflicts", "app", "--json", "--jq", `[.conflicts[] | .file + " " + ([.worktrees[].worktree_id] | map(select(startswith("agit-hosts/"))) | join(","))] | join(";")`)
		if code != 0 && code != 4 {
			t.Fatalf("status %d: %s%s", code, out, errs)
		}
		return strings.Trim(strings.TrimSpace(out), `"`)
	}
	edit(desk, "top")
	edit(laptop, "heading")
	if got := conflicts(desk); got != "" {
		t.Errorf("branches are shared by default: %q", got)
	}
	for _, h := range machines {
		h.ok("agit", "config", "set", "share", "branches")
	}
	conflicts(desk) // which has nothing to meet yet
	if got := conflicts(laptop); got != "one.txt agit-hosts/desk/top" {
		t.Errorf("the laptop knows of %q", got)
	}
	if got := conflicts(desk); got != "one.txt agit-hosts/laptop/heading" {
		t.Errorf("the desk knows of %q", got)
	}
	if got := desk.ok("git", "-C", remote, "for-each-ref", "--format=%(refname)"); got != "refs/agit/desk/top\nrefs/agit/laptop/heading\nrefs/heads/main" {
		t.Errorf("the remote has %q", got)
	}
	desk.ok("agit", "merge", "top")
	conflicts(desk)
	if got := desk.ok("git", "-C", remote, "for-each-ref", "--format=%(refname)", "refs/agit"); got != "refs/agit/laptop/heading" {
		t.Errorf("a branch that landed is still shared: %q", got)
	}
}
