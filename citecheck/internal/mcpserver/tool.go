package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Results are read by models, which pay for every byte: lists are paged and long texts are cut. The complete document is one resource away.
const (
	memoriesPage     = 20
	instructionsPage = 20 // findings of instruction files
	citationsPage    = 20 // of one memory in a list of them
	namesPage        = 20
	nodesPage        = 100
	shownText        = 200 // bytes of a snippet or line found
)

// brief shortens the results for a memory.
func brief(m check.Memory, most int) check.Memory {
	m.Citations = nil
	m.Stale, m.Unverifiable = first(m.Stale, most), first(m.Unverifiable, most)
	shorten(m.Stale)
	shorten(m.Unverifiable)
	m.Problems = first(m.Problems, most)
	return m
}

func shorten(citations []check.Citation) {
	for i := range citations {
		c := &citations[i]
		c.Snippet, c.FoundText = cut(c.Snippet), cut(c.FoundText)
		c.Candidates = first(c.Candidates, 3)
		for k := range c.Candidates {
			c.Candidates[k].Text = ""
		}
	}
}

func cut(s string) string {
	if len(s) <= shownText {
		return s
	}
	return text.Cut(s, shownText) + "…"
}

// first are the first names of a list.
func first[T any](list []T, most int) []T {
	return list[:min(len(list), most)]
}

// in is the parameter that every tool has.
type in struct {
	Project string `json:"project,omitempty" desc:"Id, name, absolute folder" max:"4096"`
}

func (i in) project() string { return i.Project }

// offer adds a tool that works on the memories of its call's project.
func offer[In interface{ project() string }, Out any](s *service, t mcpkit.Tool, use stores.History,
	run func(ctx context.Context, c *mcpkit.Call, in In, st *stores.Stores) (Out, error)) {
	mcpkit.AddTool(s.MCP, t, func(ctx context.Context, c *mcpkit.Call, in In) (out Out, err error) {
		st, err := s.open(ctx, c, in.project(), use)
		if err != nil {
			return out, err
		}
		defer st.Close()
		return run(ctx, c, in, st)
	})
}

// open opens the stores of a call, for the memories of its project. use decides whether a registry is created; an existing one is used.
// Close them after use.
func (s *service) open(ctx context.Context, c *mcpkit.Call, given string, use stores.History) (*stores.Stores, error) {
	folder, err := s.folder(ctx, c, given)
	if err != nil {
		return nil, err
	}
	return stores.Open(ctx, s.Env, stores.Options{From: folder, History: use, NoFiles: true})
}

// folder returns the folder that a call works in.
func (s *service) folder(ctx context.Context, c *mcpkit.Call, given string) (string, error) {
	place, err := s.Desk.Place(ctx, c, given)
	switch {
	case err != nil:
		return "", err
	case place.At != nil && given == "" && c.Session().Transport() == mcpkit.Stdio:
		return s.Env.Dir, nil // it may be a folder inside the project
	case place.At != nil:
		return place.At.Folder, nil
	case !stores.Exists(ctx, s.Env):
		return "", fault.NotFound("project", place.Named).WithHint("give an absolute folder; there is no registry to look a name up in")
	}
	db, err := s.Env.Registry(ctx)
	if err != nil {
		return "", err
	}
	var folders []string
	err = db.Read(ctx, func(tx *registry.Tx) error {
		p, err := place.Find(tx)
		if err == nil {
			folders, err = project.Folders(tx, p.ID)
		}
		return err
	})
	if err == nil && len(folders) == 0 {
		err = fault.NotFound("folder", place.Named).WithHint("the project has no folder on this machine; give one as an absolute path")
	}
	if err != nil {
		return "", err
	}
	if s.Desk.Project(c) == "" && c.Session().Transport() != mcpkit.Stdio {
		s.Desk.SetProject(c, place.Named) // the desk had no registry to find it in
	}
	return folders[0], nil
}
