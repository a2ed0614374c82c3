package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type agentBugInput struct {
	Agent   string `json:"agent_id" also:"agent" desc:"Who made it" is:"name"`
	Note    string `json:"note,omitempty" also:"description" desc:"What was wrong"`
	Commit  string `json:"commit,omitempty" also:"commit_hash" is:"name"`
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
	Scope   string `json:"scope,omitempty" is:"name"`
}

func addAgentReportBug(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "agent_report_bug",
		Description: "Record a bug an agent made: takes 1 SP; at 0 it is halted and gets no work.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentBugInput) (out record.Reported, err error) {
		by, err := s.by(ctx, c, in.Agent, in.Project, in.Scope)
		if err != nil {
			return out, err
		}
		bug := record.Bug{By: by, Commit: in.Commit, Note: in.Note}
		if bug.Commit != "" {
			bug.Commit = record.FullOID(ctx, s.repository(ctx, c, by.Place, in.Project), bug.Commit)
		}
		if out, err = s.records.Bug(ctx, bug); err != nil {
			return out, err
		}
		if out.Halts {
			c.Summarize("halts")
		}
		s.Desk.Book(ctx, c, by.Agent, out.BookedOn.Project)
		return out, nil
	})
}
