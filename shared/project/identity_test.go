package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

func TestNormaliseRemote(t *testing.T) {
	const one = "example.com/team/app"
	for _, remote := range []string{
		"https://example.com/team/app", "https://example.com/team/app.git", "https://user:secret@Example.COM:8443/Team/App.git/",
		"git@example.com:team/app.git", "example.com:team/app", "ssh://git@example.com:22/team/app", "git://example.com//team/app/",
		"  https://example.com/team/app\n", "git@example.com:/team/app",
	} {
		if got := project.NormaliseRemote(remote); got != one {
			t.Errorf("NormaliseRemote(%q) = %q, want %q", remote, got, one)
		}
	}
	for remote, want := range map[string]string{
		"": "", "/srv/git/app.git": "/srv/git/app", "/srv/git/app/": "/srv/git/app", "file:///srv/git/app.git": "/srv/git/app",
		"https://example.com/team/other": "example.com/team/other", "git@[::1]:x.git": "::1/x", "/srv/with:colon": "/srv/with:colon",
	} {
		if got := project.NormaliseRemote(remote); got != want {
			t.Errorf("NormaliseRemote(%q) = %q, want %q", remote, got, want)
		}
	}
}

func FuzzNormaliseRemote(f *testing.F) {
	f.Add("git@example.com:team/app.git")
	f.Fuzz(func(t *testing.T, remote string) { project.NormaliseRemote(remote) })
}

func TestIdentify(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a.txt", "a")
	repo.Commit("first")
	alone := identify(t, repo.Dir)
	sub := filepath.Join(repo.Dir, "deep", "er")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := identify(t, sub); got != alone {
		t.Errorf("a sub-folder is %+v, its repository %+v", got, alone)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	repo.Git("worktree", "add", "-q", linked)
	if got := identify(t, linked); got.UID != alone.UID {
		t.Errorf("a linked worktree is %+v, its repository %+v", got, alone)
	}
	repo.Git("remote", "add", "origin", "git@example.com:Team/App.git")
	shared := identify(t, repo.Dir)
	if shared.UID == alone.UID || shared.Remote != "example.com/team/app" || shared.Name != "app" {
		t.Errorf("with a remote: %+v", shared)
	}
	clone := gittest.New(t)
	clone.Git("remote", "add", "origin", "https://example.com/team/app/")
	if got := identify(t, clone.Dir); got.UID != shared.UID {
		t.Errorf("another clone is %+v, want %+v", got, shared)
	}
	plain := identify(t, t.TempDir())
	if plain.UID == "" || plain.Remote != "" {
		t.Errorf("a plain folder: %+v", plain)
	}
	if _, err := project.Identify(filepath.Join(repo.Dir, "missing")); !fault.Is(err, fault.KindValidation) {
		t.Errorf("a missing folder: %v", err)
	}
}

func identify(t *testing.T, folder string) project.Identity {
	t.Helper()
	id, err := project.Identify(folder)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestAFolderThatWasMovedKeepsItsProject(t *testing.T) {
	db := registrytest.Open(t)
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		before, err := project.Ensure(tx, project.Identity{UID: "p-old", Name: "app", Folder: "/old"})
		if err != nil {
			return err
		}
		if err := project.Follow(tx, before.ID, "/new"); err != nil {
			return err
		}
		after, err := project.Ensure(tx, project.Identity{UID: "p-new", Name: "app", Folder: "/new"})
		if after != before {
			t.Errorf("after the move: %+v, before: %+v", after, before)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEnsureKeepsOneRow(t *testing.T) {
	db := registrytest.Open(t)
	id := project.Identity{UID: "p-1", Name: "app", Remote: "example.com/app", Folder: "/one"}
	var first project.Project
	for _, folder := range []string{"/one", "/two", "/one"} {
		id.Folder = folder
		err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			p, err := project.Ensure(tx, id)
			if first.ID == 0 {
				first = p
			}
			if p != first {
				t.Errorf("ensure gave %+v, then %+v", first, p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := db.Read(t.Context(), func(tx *registry.Tx) error {
		if p, err := project.Get(tx, "p-1"); err != nil || p != first {
			t.Errorf("get: %+v, %v", p, err)
		}
		if _, err := project.Get(tx, "p-2"); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("get of an unknown project: %v", err)
		}
		folders, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM project_folders`))
		if folders != 2 {
			t.Errorf("%d folders are kept, want 2", folders)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The name of a project is valid text even when the bytes of its folder are not.
func TestNamesOfProjectsAreText(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "caf\xe9")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skip("this file system takes no such name")
	}
	if got := identify(t, dir); got.Name != "caf?" || filepath.Base(got.Folder) != "caf\xe9" {
		t.Errorf("%+q", got)
	}
}

// A folder without a remote is a project of its host alone.
func TestFoldersOfTwoHostsAreTwoProjects(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(registry.HostVariable, "a")
	one := identify(t, dir)
	t.Setenv(registry.HostVariable, "b")
	if other := identify(t, dir); other.UID == one.UID {
		t.Errorf("%s on both hosts is %s", dir, one.UID)
	}
}
