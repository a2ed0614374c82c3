package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/text"
)

type searchProjectsInput struct {
	Query      string `json:"query,omitempty" desc:"Words; all must occur. Empty lists all" max:"400"`
	Language   string `json:"language,omitempty" is:"name"`
	Framework  string `json:"framework,omitempty" is:"name"`
	Dependency string `json:"dependency,omitempty" desc:"Declared name, as react" is:"name"`
	Limit      int    `json:"limit,omitempty" min:"1" max:"100" desc:"Default 20"`
}

type projectsOutput struct {
	Projects []profile.Entry `json:"projects"`
}

// listedScope bounds the shown part of a scope in a list, in bytes.
const listedScope = 120

func addSearchProjects(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "search_projects", ReadOnly: true,
		Description: "Find profiled projects by words in their name, description, scope and dependencies, or by language, framework or dependency.",
	}, func(ctx context.Context, c *mcpkit.Call, in searchProjectsInput) (projectsOutput, error) {
		found, err := s.stores.Profiles.List(ctx, profile.Filter{
			Query: strings.TrimSpace(in.Query), Language: in.Language, Framework: in.Framework, Dependency: in.Dependency, Limit: cmp.Or(in.Limit, 20),
		})
		for i := range found {
			found[i].Scope = text.FirstLine(found[i].Scope, listedScope)
		}
		c.Summarize(fmt.Sprintf("%d projects", len(found)))
		return projectsOutput{found}, err
	})
}
