package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A registered repository without a remote that was moved keeps its project, also before it is registered again; a copy has one of its own.
func TestMarkOfAMovedRepository(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	origin := filepath.Join(t.TempDir(), ".git")
	if err := os.Mkdir(origin, 0o755); err != nil {
		t.Fatal(err)
	}
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
		if err := os.Remove(origin); err != nil {
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
