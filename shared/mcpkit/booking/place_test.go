package booking_test

import (
	"context"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// Without a folder, a session's calls belong to the project that its first call named, until another is set.
func TestTheProjectOfASessionIsSetOnce(t *testing.T) {
	d := booking.Desk{DB: registrytest.Open(t), Getenv: func(string) string { return "" }, Dir: t.TempDir()}
	if err := d.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := project.Make(tx, project.New{UID: "one"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	s := mcpkit.New(mcpkit.Info{Name: "x"}, mcpkit.Options{})
	type in struct {
		Project string `json:"project,omitempty"`
		Set     bool   `json:"set,omitempty"`
	}
	type out struct {
		Named string `json:"named"`
	}
	mcpkit.AddTool(s, mcpkit.Tool{Name: "where"}, func(ctx context.Context, c *mcpkit.Call, in in) (out, error) {
		if in.Set {
			d.SetProject(c, in.Project)
		}
		p, err := d.Place(ctx, c, in.Project)
		return out{p.Named}, err
	})
	local := s.Local()
	defer local.Close()
	where := func(in map[string]any) string {
		t.Helper()
		return string(mcptest.Call(t, local, "where", in).StructuredContent)
	}
	where(map[string]any{"project": "mistyped"}) // which is not kept
	if r := mcptest.Call(t, local, "where", map[string]any{}); !r.IsError {
		t.Errorf("a call without a project: %s", r.StructuredContent)
	}
	for _, step := range []struct {
		in   map[string]any
		want string
	}{
		{map[string]any{"project": "one"}, `{"named":"one"}`},
		{map[string]any{}, `{"named":"one"}`},
		{map[string]any{"project": "two"}, `{"named":"two"}`},
		{map[string]any{}, `{"named":"one"}`},
		{map[string]any{"project": "three", "set": true}, `{"named":"three"}`},
		{map[string]any{}, `{"named":"three"}`},
	} {
		if got := where(step.in); got != step.want {
			t.Errorf("%v: %s, want %s", step.in, got, step.want)
		}
	}
	if err := booking.Check("agent", "a\nb"); fault.From(err).Field != "agent" {
		t.Errorf("got %v", err)
	}
}
