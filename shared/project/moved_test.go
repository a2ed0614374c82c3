package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// note writes the mark of a git directory.
func note(t *testing.T, commonDir, uid string) {
	t.Helper()
	path := filepath.Join(commonDir, filepath.FromSlash(project.MarkFile))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(uid+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A registered repository without a remote that was moved keeps its project, also before it is registered again; a copy has one of its own.
func TestMarkOfAMovedRepository(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	origin := filepath.Join(t.TempDir(), ".git")
	note(t, origin, "u-app")
	moved := project.Identity{UID: "p-new", Name: "new", Folder: "/new", Mark: "u-app"}
	at := func(tx *registry.Tx, id project.Identity) string {
		p, err := project.At(tx, id)
		if found, err := registry.Found(err); err != nil || !found {
			return ""
		}
		return p.UID
	}
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, project.Identity{UID: "p-app", Name: "app", Folder: "/app"})
		if err != nil {
			return err
		}
		for uid, host := range map[string]string{"u-app": registry.Host(), "u-other": "another host"} {
			if err := tx.Do(`INSERT INTO repos (uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
				VALUES (?, ?, ?, ?, ?, ?, ?, 'main', ?, ?)`, uid, p.ID, uid, uid, host, uid, origin, tx.Stamp(), tx.Stamp()); err != nil {
				return err
			}
		}
		if got := at(tx, moved); got != "" {
			t.Errorf("a copy is of project %q", got)
		}
		note(t, origin, "u-app")
		loop := filepath.Join(origin, filepath.FromSlash(project.MarkFile))
		if err := os.Remove(loop); err != nil {
			return err
		}
		if os.Symlink(loop, loop) == nil { // like a disk that does not answer
			if got := at(tx, moved); got != "" {
				t.Errorf("a copy of one that cannot be read is of project %q", got)
			}
			if err := os.Remove(loop); err != nil {
				return err
			}
		}
		note(t, origin, "u-new") // another repository is in the place
		if got := at(tx, moved); got != "p-app" {
			t.Errorf("in place of another one: project %q", got)
		}
		if err := os.RemoveAll(origin); err != nil {
			return err
		}
		for mark, want := range map[string]string{"u-app": "p-app", "u-other": "", "u-none": "", "": ""} {
			id := moved
			if id.Mark = mark; at(tx, id) != want {
				t.Errorf("mark %q is of project %q, want %q", mark, at(tx, id), want)
			}
		}
		if _, err := project.Ensure(tx, moved); err != nil {
			return err
		}
		moved.Mark = ""
		if got := at(tx, moved); got != "p-app" {
			t.Errorf("once it was seen, the folder is of project %q", got)
		}
		return tx.Do(`DELETE FROM repos`)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A registered repository takes its project along when its remote is added, changed or removed, unless the project is of others too. A
// repository that is made in its place later has a project of its own.
func TestRemoteOfARegisteredRepository(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	origin := filepath.Join(t.TempDir(), ".git")
	note(t, origin, "u-app")
	here := func(uid, remote, folder string) project.Identity {
		return project.Identity{UID: uid, Name: "app", Remote: remote, Folder: folder, Mark: "u-app"}
	}
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		first := here("p-app", "", "/app")
		p, err := project.Ensure(tx, first)
		if err != nil {
			return err
		}
		add := func(uid, path string) error {
			return tx.Do(`INSERT INTO repos (uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
				VALUES (?, ?, ?, ?, ?, ?, ?, 'main', ?, ?)`, uid, p.ID, uid, uid, registry.Host(), path, origin+strings.Repeat("2", len(uid)-5), tx.Stamp(), tx.Stamp())
		}
		if err := add("u-app", "/app"); err != nil {
			return err
		}
		is := func(what string, id project.Identity, want bool) {
			t.Helper()
			now, err := project.At(tx, id)
			if found, err := registry.Found(err); err != nil || found && now.ID == p.ID != want || want && !found {
				t.Errorf("%s: %v %v, the project: want %v", what, now.UID, err, want)
			}
		}
		added, changed := here("p-one", "host/one", "/app"), here("p-two", "host/two", "/app")
		is("a copy gets a remote", here("p-one", "host/one", "/copy"), false)
		is("a remote is added", added, true)
		if _, ok, err := project.Former(tx, added); ok || err != nil {
			t.Errorf("it has a former project: %v", err)
		}
		for _, id := range []project.Identity{added, changed} {
			got, err := project.Ensure(tx, id)
			if err != nil || got.ID != p.ID || got.UID != "p-app" || got.Remote != id.Remote || got.Former != nil {
				t.Errorf("%+v, %v", got, err)
			}
			is("by its remote alone", project.Identity{UID: id.UID, Remote: id.Remote, Folder: "/clone"}, true)
		}
		is("the remote is removed", first, true)
		if err := tx.Do(`UPDATE projects SET last_seen_at = 'before'`); err != nil {
			return err
		}
		if got, err := project.Ensure(tx, first); err != nil || got.ID != p.ID || got.Remote != "host/two" {
			t.Errorf("%+v, %v", got, err)
		}
		if seen, err := registry.One[string](tx.QueryRow(`SELECT last_seen_at FROM projects WHERE id = ?`, p.ID)); err != nil || seen != "before" {
			t.Errorf("a second call in a minute writes: %s, %v", seen, err)
		}
		three := here("p-three", "host/three", "/app")
		if err := project.Follow(tx, p.ID, "/clone"); err != nil {
			return err
		}
		is("a clone of the former remote is known", three, false)
		if err := project.Left(tx, p.ID, "/clone"); err != nil {
			return err
		}
		is("it is not any more", three, true)
		if err := add("u-app2", "/app2"); err != nil {
			return err
		}
		is("another repository of the project is registered", three, false)

		anew := project.Identity{UID: "p-app", Name: "app", Folder: "/app"} // git init in the place of the deleted one
		got, err := project.Ensure(tx, anew)
		if err != nil || got.ID == p.ID || got.Former == nil || got.Former.ID != p.ID {
			t.Errorf("made anew: %+v, %v", got, err)
		}
		if now, err := project.At(tx, anew); err != nil || now.ID != got.ID {
			t.Errorf("found anew: %+v, %v", now, err)
		}
		if err := project.Left(tx, got.ID, "/app"); err != nil {
			return err
		}
		for _, id := range []project.Identity{{UID: "p-app", Name: "app", Folder: "/app"}, {UID: "p-app", Name: "app", Remote: "host/other", Folder: "/else"}} {
			if err := project.Follow(tx, p.ID, "/moved"); err != nil {
				return err
			}
			if err := project.Left(tx, p.ID, "/app"); err != nil {
				return err
			}
			if got, err := project.Ensure(tx, id); err != nil || got.ID == p.ID || got.UID == "p-app" {
				t.Errorf("made later in its place: %+v, %v", got, err)
			}
		}
		return tx.Do(`DELETE FROM repos`)
	})
	if err != nil {
		t.Fatal(err)
	}
}
