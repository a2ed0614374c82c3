package integration

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// The documents of classify that clients depend on.
type (
	profileDoc struct {
		Project, Name, Package, Path, Language, Framework, Scope string
		Dependencies, Manifests                                  []string
		ManifestType                                             string
		ClassifiedAt                                             string
		AgentsmdHash                                             string
		Outcome                                                  string
		Origins                                                  map[string]struct{ From, Confidence string }
		BookedOn                                                 bookedOn `json:"booked_on"`
	}
	similarDoc struct {
		Projects []struct {
			Name, Path string
			Score      float64
			Breakdown  struct{ Language, Framework, Scope, Dependencies float64 }
			Shared     []string
		}
	}
	searchDoc struct {
		Projects []struct{ Name, Language string }
	}
)

// classifier runs one of classify's programs in the world's environment and a project's folder.
func (w *world) classifier(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(binaries, "classify"), args...)
	cmd.Env, cmd.Dir = w.env, dir
	return cmd
}

func (w *world) classify(t testing.TB, out any, args ...string) {
	t.Helper()
	text, err := w.classifier(w.home, append(args, "--json")...).Output()
	if err != nil {
		t.Fatalf("classify %q: %v", args, err)
	}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
}

// Every tool of classify over each transport, with a second process beside it and a restart of the server.
func TestClassifyMCP(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"stdio", "http", "sse"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			one, two := filepath.Join(w.home, "one"), filepath.Join(w.home, "two")
			for _, dir := range []string{one, two} {
				write(t, dir, "package.json", `{"description": "an API", "dependencies": {"express": "4", "pg": "8"}}`)
				write(t, dir, "index.js", "require('express')()\n")
			}
			connect := func() *mcpclient.Client {
				cmd := w.classifier(one, "serve", "--transport", transport)
				if transport == "stdio" {
					return mcpclient.Command(t, cmd)
				}
				cmd.Args = append(cmd.Args, "--port", "0")
				server := mcpclient.Start(t, cmd)
				if transport == "sse" {
					return mcpclient.SSE(t, server.URL)
				}
				return mcpclient.HTTP(t, server.URL)
			}
			c := connect()
			var p profileDoc
			in := args{"path": one, "agent": "ann"}
			if transport == "stdio" {
				delete(in, "path") // the server's folder
			}
			c.MustCall(t, "init_project", in, &p)
			if p.Outcome != "created" || p.Language != "javascript" || p.Framework != "express" || p.Scope != "API" || p.ManifestType != "package.json" ||
				strings.Join(p.Dependencies, " ") != "express pg" || p.Path != one || p.ClassifiedAt == "" || p.BookedOn.Agent != "ann" || p.BookedOn.Project != p.Project {
				t.Errorf("init: %+v", p)
			}
			if transport != "stdio" {
				if f := c.MustFail(t, "init_project", args{}); f.Kind != "ValidationError" {
					t.Errorf("without a path: %v", f)
				}
			}
			// Another process adds a project; the server sees it.
			w.classify(t, &p, "init", two)
			var s similarDoc
			c.MustCall(t, "find_similar_projects", args{"project": one}, &s)
			if len(s.Projects) != 1 || s.Projects[0].Path != two || s.Projects[0].Score != 1 || len(s.Projects[0].Shared) != 2 {
				t.Errorf("similar: %+v", s)
			}
			// The session's project is the one that was profiled in it.
			c.MustCall(t, "project_profile", args{}, &p)
			if p.Path != one || p.Origins["language"].Confidence != "high" {
				t.Errorf("profile: %+v", p)
			}
			var found searchDoc
			c.MustCall(t, "search_projects", args{"query": "express", "language": "javascript"}, &found)
			if len(found.Projects) != 2 {
				t.Errorf("search: %+v", found)
			}
			if f := c.MustFail(t, "project_profile", args{"project": "nobody"}); f.Kind != "NotFoundError" {
				t.Errorf("an unknown project: %v", f)
			}
			// After a restart all answers are the same, and a changed manifest is noticed.
			again := connect()
			write(t, one, "package.json", `{"dependencies": {"fastify": "5"}}`)
			again.MustCall(t, "init_project", args{"path": one}, &p)
			if p.Outcome != "updated" || p.Framework != "fastify" {
				t.Errorf("after a restart: %+v", p)
			}
			c.MustCall(t, "project_profile", args{"project": one}, &p)
			if p.Framework != "fastify" {
				t.Errorf("the first server says %+v", p)
			}
		})
	}
}
