package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/classify/internal/similar"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type findSimilarInput struct {
	Project  string   `json:"project,omitempty" desc:"Id, name, or absolute path; default the session's" is:"name"`
	Package  string   `json:"package,omitempty" desc:"Folder of a monorepo's package" is:"name"`
	MinScore *float64 `json:"min_score,omitempty" min:"0" max:"1" desc:"Default 0.3"`
	Limit    int      `json:"limit,omitempty" min:"1" max:"100" desc:"Default 10"`
}

func addFindSimilarProjects(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "find_similar_projects", ReadOnly: true,
		Description: "Known projects most like one, best first. Score: same language 0.4, framework 0.3, scope 0.2, shared dependencies up to 0.1.",
	}, func(ctx context.Context, c *mcpkit.Call, in findSimilarInput) (catalogue.Similar, error) {
		w, err := s.which(ctx, c, in.Project, in.Package)
		if err != nil {
			return catalogue.Similar{}, err
		}
		least := similar.Threshold
		if in.MinScore != nil {
			least = *in.MinScore
		}
		found, err := s.stores.Catalogue.Similar(ctx, w, similar.Options{Min: least, Limit: cmp.Or(in.Limit, 10)})
		c.Summarize(fmt.Sprintf("%d projects", len(found.Projects)))
		return found, err
	})
}
