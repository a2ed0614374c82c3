package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/memoryd/internal/priorart"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/sibling"
)

type priorArtInput struct {
	Task    string `json:"task_description" also:"task,query"`
	Scope   string `json:"scope,omitempty" is:"name"`
	Agent   string `json:"agent_id,omitempty" also:"agent" is:"name"`
	Limit   int    `json:"max_results,omitempty" also:"limit" min:"1" max:"50" desc:"Default 5"`
	Project string `json:"project_path,omitempty" also:"project" desc:"Ask projects like it, too" is:"name"`
}

func addPriorArt(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "prior_art", ReadOnly: true,
		Description: "What went well on tasks like this, and which mistakes were made.",
	}, func(ctx context.Context, c *mcpkit.Call, in priorArtInput) (r priorart.Result, err error) {
		q := priorart.Query{Task: in.Task, Scope: in.Scope, MaxResults: in.Limit, Similar: in.Project != ""}
		if err := booking.Check("agent_id", in.Agent); err != nil {
			return r, err
		}
		q.Agent, q.Caller = in.Agent, s.Desk.Named(c, "")
		if q.Place, err = s.Desk.Place(ctx, c, in.Project); err != nil && in.Project != "" {
			return r, err // without one the search is everywhere
		}
		_ = s.records.Flush(ctx) // so that buffered writes are found too; Flush has reported a failure
		r, err = (&priorart.Store{DB: s.stores.DB, Seen: s.stores.History.Beside().Bears, Run: sibling.Run, Flags: s.Env.Globals.Args()}).Search(ctx, q)
		c.Summarize(fmt.Sprintf("%d found", len(r.Positive)+len(r.CrossScope)+len(r.Related)+len(r.Mistakes)+len(r.SimilarPatterns)))
		return r, err
	})
}
