package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
	"github.com/agit-suite/agit/shared/registry"
)

// world is a server over a fresh registry with one repository, "app".
type world struct {
	*service
	t    *testing.T
	repo *gittest.Repo
	main *mcpkit.Local // a session
}

func newWorld(t *testing.T, environ ...string) *world {
	t.Helper()
	home := t.TempDir()
	env := mcptest.Env(t, home, home, environ...)
	w := &world{service: mcptest.Build(t, Server, env), t: t, repo: gittest.New(t)}
	w.main = w.session()
	w.repo.Write("file.txt", "one\ntwo\nthree\n")
	w.repo.Commit("first")
	w.must("agit_add_repo", args{"path": w.repo.Dir, "name": "app"}, nil)
	return w
}

// session is another client of the server.
func (w *world) session() *mcpkit.Local {
	w.t.Helper()
	local := w.MCP.Local()
	w.t.Cleanup(local.Close)
	return local
}

type args = map[string]any

// must calls a tool that succeeds, in the main session.
func (w *world) must(tool string, in args, out any) { w.t.Helper(); w.mustIn(w.main, tool, in, out) }

func (w *world) mustIn(session *mcpkit.Local, tool string, in args, out any) {
	w.t.Helper()
	r := mcptest.Call(w.t, session, tool, in)
	if r.IsError {
		w.t.Fatalf("%s: %s", tool, r.StructuredContent)
	}
	if out != nil {
		if err := json.Unmarshal(r.StructuredContent, out); err != nil {
			w.t.Fatal(err)
		}
	}
}

// refused is what a failed call answers.
type refused struct{ Error, Message, Field string }

// fails calls a tool that has to fail, in the main session.
func (w *world) fails(tool string, in args) (r refused) {
	w.t.Helper()
	result := mcptest.Call(w.t, w.main, tool, in)
	if !result.IsError {
		w.t.Fatalf("%s%v succeeded: %s", tool, in, result.StructuredContent)
	}
	if err := json.Unmarshal(result.StructuredContent, &r); err != nil {
		w.t.Fatal(err)
	}
	return r
}

// task makes a task and returns its id.
func (w *world) task(text string) string {
	w.t.Helper()
	var made taskOutput
	w.must("agit_create_task", args{"repo": "app", "description": text}, &made)
	return made.ID
}

// count reads one number from the registry.
func (w *world) count(n *int, query string) error {
	return w.stores.DB.Read(w.t.Context(), func(tx *registry.Tx) error { return tx.QueryRow(query).Scan(n) })
}
