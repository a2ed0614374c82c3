package mcptest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/server"
	"github.com/agit-suite/agit/shared/term"
)

// Env is the environment of a server program over stdio: it stands in dir, its
// home folder is home, and its messages are dropped. Everything that it opened is
// closed when the test ends.
func Env(t testing.TB, home, dir string, environ ...string) *cli.Env {
	t.Helper()
	streams, _, _, _ := term.Test()
	env := &cli.Env{
		Name: "test-mcp", Version: "test", Streams: streams, Dir: dir, UserHome: home,
		Environ: append([]string{"HOME=" + home}, environ...),
	}
	t.Cleanup(func() {
		if db := env.OpenedRegistry(); db != nil {
			_ = db.Close()
		}
	})
	return env
}

// Build builds a server as its program does, with all tools offered, and stops it when the test ends.
func Build[S any](t testing.TB, spec server.Spec[S], env *cli.Env) S {
	t.Helper()
	s, _ := build(t, spec, env, nil, false)
	return s
}

func build[S any](t testing.TB, spec server.Spec[S], env *cli.Env, tools []string, readOnly bool) (S, *mcpkit.Server) {
	t.Helper()
	s, b, err := spec.Build(t.Context(), env, &cli.ServeOptions{Transport: cli.Stdio, Tools: tools, ReadOnly: readOnly})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if spec.Stop != nil {
			_ = spec.Stop(s, context.Background())
		}
	})
	return s, b.MCP
}

// Declared holds the limits for a server's declarations.
type Declared struct {
	// All, Core and ReadOnly are budgets in bytes for the part of the tools that a model sees: of all tools, of --tools core, and of tools
	// that change nothing.
	All, Core, ReadOnly int
	// Fields are words of the instructions with an underscore that are neither
	// tools nor parameters, but fields of answers.
	Fields []string
}

// Declarations checks the declarations of a server, which every conversation pays for and models act on: the snapshot of each tool, schemas
// that every model's API accepts, the byte budgets, and that the instructions name only tools that are offered.
func Declarations[S any](t *testing.T, spec server.Spec[S], d Declared) {
	env := Env(t, t.TempDir(), t.TempDir())
	for _, offered := range []struct {
		name     string
		tools    []string
		readOnly bool
		most     int
	}{
		{"all", nil, false, d.All},
		{"core", []string{"core"}, false, d.Core},
		{"read only", nil, true, d.ReadOnly},
	} {
		t.Run(offered.name, func(t *testing.T) {
			_, s := build(t, spec, env, offered.tools, offered.readOnly)
			if offered.name == "all" {
				Snapshot(t, s)
				Portable(t, s)
			}
			Budget(t, s, offered.most)
			names(t, s, d.Fields)
		})
	}
}

// names fails when the instructions name a tool, or a parameter, that no model
// is offered.
func names(t *testing.T, s *mcpkit.Server, known []string) {
	t.Helper()
	known = append(slices.Clone(known), s.ToolNames()...)
	for _, tool := range Tools(t, s) {
		var input struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(tool.InputSchema, &input); err != nil {
			t.Fatal(err)
		}
		for name := range input.Properties {
			known = append(known, name)
		}
	}
	for _, word := range strings.FieldsFunc(s.Info().Instructions, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		if strings.Contains(word, "_") && !slices.Contains(known, word) {
			t.Errorf("the instructions name %s, which is not offered", word)
		}
	}
}
