package mcpserver

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type initProjectInput struct {
	Path          string `json:"path,omitempty" desc:"Absolute folder; default the server's" max:"4096"`
	Force         bool   `json:"force,omitempty" desc:"Even if nothing changed"`
	WriteAgentsMD bool   `json:"write_agents_md,omitempty" desc:"Also put a marked block into AGENTS.md"`
	Agent         string `json:"agent,omitempty" is:"name"`
}

func addInitProject(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "init_project", Idempotent: true,
		Description: "Find out what a project is and remember it. Cheap to repeat: done anew only when AGENTS.md, a manifest, a README or .gitattributes changed.",
	}, func(ctx context.Context, c *mcpkit.Call, in initProjectInput) (profileOutput, error) {
		who, err := s.Desk.Caller(c, "agent", in.Agent)
		if err != nil {
			return profileOutput{}, err
		}
		dir, err := s.folder(c, in.Path)
		if err != nil {
			return profileOutput{}, err
		}
		r, err := s.stores.Catalogue.Init(ctx, dir, catalogue.InitOptions{Force: in.Force, WriteAgentsMD: in.WriteAgentsMD})
		if err != nil {
			return profileOutput{}, err
		}
		c.Summarize(r.Outcome)
		d := brief(r)
		booked := s.Desk.Book(ctx, c, who, r.Project)
		s.Desk.SetProject(c, r.Project)
		s.Alive(ctx, c)
		d.BookedOn = &booked
		return profileOutput{document: d}, nil
	})
}

// folder returns the folder that a call names. Over HTTP the server's current folder is not the client's.
func (s *service) folder(c *mcpkit.Call, given string) (string, error) {
	if c.Session().Transport() != mcpkit.Stdio && !filepath.IsAbs(given) {
		if given == "" {
			return "", fault.Validation("path", "parameter \"path\" is missing").WithHint("over HTTP give the absolute path of the folder")
		}
		return "", fault.Validation("path", "parameter \"path\" must be an absolute path, not %q", given)
	}
	return s.Env.Path(cmp.Or(given, "."))
}
