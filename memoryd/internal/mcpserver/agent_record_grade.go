package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type agentGradeInput struct {
	Agent      string       `json:"agent_id,omitempty" also:"agent" is:"name"`
	Commit     string       `json:"commit_hash" also:"commit" is:"name"`
	AgentGrade record.Grade `json:"agent_grade" desc:"bad -1, neutral 1, good 2, excellence 5"`
	UserGrade  record.Grade `json:"user_grade"`
	Task       string       `json:"task,omitempty"`
	AgentNote  string       `json:"agent_note,omitempty"`
	UserNote   string       `json:"user_note,omitempty"`
	Project    string       `json:"project_path,omitempty" also:"project" is:"name"`
	Scope      string       `json:"scope,omitempty" is:"name"`
}

func addAgentRecordGrade(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "agent_record_grade",
		Description: "Grade a commit, once: both grades add to CS, 1 to XP.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentGradeInput) (out record.Graded, err error) {
		by, err := s.by(ctx, c, in.Agent, in.Project, in.Scope)
		if err != nil {
			return out, err
		}
		g := record.Grading{By: by, Commit: in.Commit, AgentGrade: in.AgentGrade, UserGrade: in.UserGrade,
			Task: in.Task, AgentNote: in.AgentNote, UserNote: in.UserNote}
		g.LookUp(ctx, s.repository(ctx, c, by.Place, in.Project)) // kept as given when no repository knows it
		if out, err = s.records.Grade(ctx, g); err != nil {
			return out, err
		}
		s.Desk.Book(ctx, c, by.Agent, out.BookedOn.Project)
		return out, nil
	})
}
