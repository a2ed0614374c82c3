package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/graph/graphquery"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type queryGraphInput struct {
	Query      string         `json:"query" desc:"openCypher; labels Project, Epic, Task, Agent, Artifact, Bug, TestScenario" max:"20000"`
	Parameters map[string]any `json:"parameters,omitempty" desc:"Values of $names" keys:"id"`
	MaxBytes   int            `json:"maxBytes,omitempty" desc:"Of the answer; default 32000" min:"1000" max:"1000000"`
}

// answerBytes is how long an answer may be unless the caller asks for more: about
// eight thousand tokens.
const answerBytes = 32_000

func addQueryGraph(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "pm_query_graph", ReadOnly: true,
		Description: "Read the project graph with openCypher, e.g. MATCH (t:Task)-[:DEPENDS_ON]->(d) RETURN t.id, d.id. Writing is refused.",
	}, func(ctx context.Context, c *mcpkit.Call, in queryGraphInput) (graphquery.Answer, error) {
		a, err := s.stores.Queries.Query(ctx, graphquery.Ask{Text: in.Query, Params: in.Parameters, MaxBytes: cmp.Or(in.MaxBytes, answerBytes)})
		c.Summarize(fmt.Sprintf("%d rows", len(a.Results)))
		return a, err
	})
}
