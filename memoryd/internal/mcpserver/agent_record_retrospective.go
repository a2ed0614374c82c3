package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/timestamp"
)

type agentRetroInput struct {
	Agent       string         `json:"agent_id,omitempty" also:"agent" is:"name"`
	Commit      string         `json:"commit,omitempty" also:"commit_hash" is:"name"`
	Timestamp   timestamp.Time `json:"timestamp,omitzero"`
	Task        string         `json:"task,omitempty"`
	AgentGrade  record.Grade   `json:"agent_grade,omitempty"`
	UserGrade   record.Grade   `json:"user_grade,omitempty"`
	ScoreBefore *int64         `json:"score_before,omitempty"`
	ScoreAfter  *int64         `json:"score_after,omitempty"`
	AgentNote   string         `json:"agent_note,omitempty"`
	UserNote    string         `json:"user_note,omitempty"`
	Project     string         `json:"project_path,omitempty" also:"project" is:"name"`
	Scope       string         `json:"scope,omitempty" is:"name"`
}

func addAgentRecordRetrospective(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agent_record_retrospective", Idempotent: true,
		Description: "Keep what a task or commit taught; scores stay.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentRetroInput) (out record.Retrospected, err error) {
		by, err := s.by(ctx, c, in.Agent, in.Project, in.Scope)
		if err != nil {
			return out, err
		}
		r := record.Retrospective{By: by, Commit: in.Commit, At: in.Timestamp.Time, Task: in.Task, AgentGrade: in.AgentGrade, UserGrade: in.UserGrade,
			ScoreBefore: in.ScoreBefore, ScoreAfter: in.ScoreAfter, AgentNote: in.AgentNote, UserNote: in.UserNote}
		if r.Commit != "" {
			r.Commit = record.FullOID(ctx, s.repository(ctx, c, by.Place, in.Project), r.Commit)
		}
		if out, err = s.records.Retrospect(ctx, r); err != nil {
			return out, err
		}
		s.Desk.Book(ctx, c, by.Agent, out.BookedOn.Project)
		return out, nil
	})
}
