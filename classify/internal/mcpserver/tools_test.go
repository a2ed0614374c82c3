package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

// world is a server over a fresh registry, started in a folder.
type world struct {
	*service
	t    *testing.T
	dir  string
	main *mcpkit.Local
}

type args = map[string]any

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{service: mcptest.Build(t, Server, mcptest.Env(t, t.TempDir(), dir)), t: t, dir: dir}
	w.main = w.MCP.Local()
	t.Cleanup(w.main.Close)
	return w
}

// write makes a file in the server's folder.
func (w *world) write(path, text string) {
	w.t.Helper()
	path = filepath.Join(w.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) must(tool string, in args, out any) {
	w.t.Helper()
	r := mcptest.Call(w.t, w.main, tool, in)
	if r.IsError {
		w.t.Fatalf("%s: %s", tool, r.StructuredContent)
	}
	if err := json.Unmarshal(r.StructuredContent, out); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) fails(tool string, in any) (r struct{ Error, Message, Field string }) {
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

func TestWorkflow(t *testing.T) {
	w := newWorld(t)
	w.write("one/package.json", `{"name": "one", "description": "an API", "dependencies": {"express": "4", "pg": "8"}}`)
	w.write("one/index.js", "require('express')()\n")
	w.write("two/package.json", `{"name": "two", "description": "an API", "dependencies": {"express": "4"}}`)
	w.write("two/index.js", "require('express')()\n")
	var p document
	for _, name := range []string{"one", "two"} {
		w.must("init_project", args{"path": filepath.Join(w.dir, name), "agent": "ann"}, &p)
		if p.Outcome != catalogue.Created || p.Framework != "express" || p.BookedOn == nil || p.BookedOn.Agent != "ann" || p.BookedOn.Project != p.Project {
			t.Errorf("init of %s: %+v", name, p)
		}
	}
	w.must("init_project", args{"path": filepath.Join(w.dir, "one")}, &p)
	if p.Outcome != catalogue.Unchanged {
		t.Errorf("again: %q", p.Outcome)
	}
	var s catalogue.Similar
	w.must("find_similar_projects", args{"project": filepath.Join(w.dir, "one")}, &s)
	if len(s.Projects) != 1 || s.Projects[0].Score != 0.95 || s.Projects[0].Shared[0] != "express" {
		t.Errorf("similar: %+v", s)
	}
	w.must("find_similar_projects", args{"project": "two", "min_score": 1}, &s)
	if len(s.Projects) != 0 {
		t.Errorf("none scores 1: %+v", s)
	}
	w.must("project_profile", args{"project": "two"}, &p)
	if p.Name != "two" || p.Scope != "API" {
		t.Errorf("by name: %+v", p)
	}
	var list projectsOutput
	w.must("search_projects", args{"query": "express pg"}, &list)
	if len(list.Projects) != 1 || list.Projects[0].Name != "one" {
		t.Errorf("search: %+v", list)
	}
	w.must("search_projects", args{}, &list)
	if len(list.Projects) != 2 {
		t.Errorf("all: %+v", list)
	}
}

// A profile with many dependencies is cut, is marked as cut, and is complete on request.
func TestLongListsAreCut(t *testing.T) {
	w := newWorld(t)
	var deps []string
	for i := range 100 {
		deps = append(deps, fmt.Sprintf(`"dep-%03d": "1"`, i))
	}
	w.write("package.json", `{"dependencies": {`+strings.Join(deps, ",")+`}}`)
	var p document
	w.must("init_project", args{"path": w.dir}, &p)
	if len(p.Dependencies) != mostDependencies || p.Counts == nil || p.Counts.Dependencies != 100 {
		t.Errorf("%d dependencies, %+v", len(p.Dependencies), p.Counts)
	}
	w.must("project_profile", args{"full": true}, &p) // of the session's project
	if len(p.Dependencies) != 100 {
		t.Errorf("%d dependencies in full", len(p.Dependencies))
	}
}

func TestRefusals(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", 5000)
	for _, c := range []struct {
		tool string
		in   any
		kind string
		word string
	}{
		{"project_profile", args{}, "ValidationError", "project"},
		{"project_profile", args{"project": w.dir}, "NotFoundError", "init_project"},
		{"init_project", args{"path": "relative"}, "ValidationError", "absolute"},
		{"project_profile", args{"project": "nobody"}, "NotFoundError", "nobody"},
		{"project_profile", args{"project": long}, "ValidationError", "project"},
		{"project_profile", args{"project": 7}, "ValidationError", "project"},
		{"project_profile", args{"projet": "x"}, "ValidationError", "projet"},
		{"project_profile", args{"project": "/nowhere/at/all"}, "ValidationError", "nowhere"},
		{"find_similar_projects", args{"min_score": 2}, "ValidationError", "min_score"},
		{"find_similar_projects", args{"limit": -1}, "ValidationError", "limit"},
		{"find_similar_projects", args{"limit": "ten"}, "ValidationError", "limit"},
		{"init_project", args{"path": "/nowhere/at/all"}, "NotFoundError", "nowhere"},
		{"init_project", args{"path": "a\x00b"}, "ValidationError", "NUL"},
		{"init_project", args{"path": long}, "ValidationError", "path"},
		{"init_project", args{"agent": "a\nb"}, "ValidationError", "agent"},
		{"search_projects", args{"query": strings.Repeat("x ", 500)}, "ValidationError", "query"},
		{"search_projects", json.RawMessage(`[]`), "ValidationError", ""},
	} {
		if r := w.fails(c.tool, c.in); r.Error != c.kind || !strings.Contains(r.Message, c.word) {
			t.Errorf("%s%.80v: %s: %s", c.tool, c.in, r.Error, r.Message)
		}
	}
}

// A refusal names tools and never commands.
func TestHints(t *testing.T) {
	w := newWorld(t)
	if r := w.fails("project_profile", args{"project": w.dir}); strings.Contains(r.Message, "`classify") {
		t.Error(r.Message)
	}
}
