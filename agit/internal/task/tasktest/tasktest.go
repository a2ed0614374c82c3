// Package tasktest makes registries with tasks in them. It is for tests only.
package tasktest

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// Claimed returns a registry with a repository app of one commit, and a task in it that ann has claimed.
func Claimed(t testing.TB) (*registry.DB, repo.Repo, task.Task) {
	t.Helper()
	db := registrytest.Open(t)
	g := gittest.New(t)
	g.Commit("first", "a.txt", "a")
	added, err := (&repo.Store{DB: db}).Add(t.Context(), repo.New{Path: g.Dir, Name: "app"})
	if err != nil {
		t.Fatal(err)
	}
	tasks := &task.Store{DB: db}
	made, err := tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "sort the list"}})
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := tasks.Claim(t.Context(), made[0].ID, "ann")
	if err != nil {
		t.Fatal(err)
	}
	return db, added.Repo, claimed
}
