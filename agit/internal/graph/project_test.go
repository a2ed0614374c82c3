package graph_test

import (
	"context"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph"
)

// A folder without a project is a valid answer. An unreadable registry is an error, because a caller without a project would serve all
// projects.
func TestProjectOf(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	dir := t.TempDir()
	if id, err := p.ProjectOf(t.Context(), dir); id != "" || err != nil {
		t.Errorf("of an unknown folder: %q, %v", id, err)
	}
	_, err := p.CreateProject(t.Context(), graph.NewProject{ID: "here", Name: "Here", Path: dir})
	p.must(err)
	if id, err := p.ProjectOf(t.Context(), dir); id != "here" || err != nil {
		t.Errorf("of its folder: %q, %v", id, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if id, err := p.ProjectOf(ctx, dir); id != "" || err == nil {
		t.Errorf("of a registry that cannot be read: %q, %v", id, err)
	}
}
