package graphquery_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/graphquery"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A project has the agents with a worktree of it, including those whose worktree was merged. A query and the project's status count the
// same agents.
func TestAgentsOfAProject(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	g := gittest.New(t)
	g.Commit("first", "a.txt", "a\n")
	added, err := (&repo.Store{DB: db}).Add(t.Context(), repo.New{Path: g.Dir, Name: "app"})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for _, row := range []struct{ agent, status string }{{"ann", "active"}, {"bob", "completed"}, {"cy", ""}} {
			a, err := agent.Register(tx, agent.Registration{Name: row.agent})
			if err != nil || row.status == "" {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO worktrees (uid, ref, repo_id, host, agent_id, path, branch, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				registry.NewUID(), "w-"+row.agent, added.Repo.ID, registry.Host(), a.ID, "/trees/"+row.agent, row.agent, row.status, tx.Stamp(), tx.Stamp()); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	found, err := (&graphquery.Store{DB: db}).Query(t.Context(), graphquery.Ask{Text: `MATCH (:Project)-[:HAS_AGENT]->(a:Agent) RETURN collect(a.name) AS names`})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"ann", "bob"}, found.Results[0]["names"]); diff != "" {
		t.Error(diff)
	}
	var uid string
	if err := db.Read(t.Context(), func(tx *registry.Tx) error {
		p, err := project.ByID(tx, added.Repo.ProjectID)
		uid = p.UID
		return err
	}); err != nil {
		t.Fatal(err)
	}
	status, err := (&graph.Store{DB: db}).ProjectStatus(t.Context(), uid)
	if err != nil || status.Agents.Active+status.Agents.Idle != 2 {
		t.Errorf("the status counts %+v, %v", status.Agents, err)
	}
}
