package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/priorart"
	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/mcpkit/server"
	"github.com/agit-suite/agit/shared/sibling"
)

// recordTools registers the tools of agents' records and prior art.
var recordTools = []func(*service){
	addAgentStatus, addAgentReportBug, addAgentRecordGrade, addAgentRecordRetrospective, addAgentLogActivity, addPriorArt,
}

// newRecords creates the buffer in front of the records for the life of the server.
func newRecords(b *server.Base, st *record.Store) *record.Buffer {
	return record.NewBuffer(st, record.BufferOptions{Log: b.Env.Logger(), After: b.Config.Server.FlushAfter})
}

// flushRecords stores the buffered records when a session ends, a client's or an agent's.
func (s *service) flushRecords() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.records.Flush(ctx) // it has warned, and keeps the records that it could not store
}

type agentStatusInput struct {
	Agent   string `json:"agent_id,omitempty" also:"agent" desc:"Name or id; you by default" is:"name"`
	Journal int    `json:"journal,omitempty" min:"1" max:"200" desc:"So many entries, newest first"`
}

// agentStatus is the status of an agent, on request with its journal.
type agentStatus struct {
	record.Status
	Journal []record.Entry `json:"journal,omitempty" wire:"-"`
}

func addAgentStatus(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agent_status", ReadOnly: true,
		Description: "How an agent stands: tier, SP, XP, CS, commits, bugs, halted.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentStatusInput) (out agentStatus, err error) {
		if err := booking.Check("agent_id", in.Agent); err != nil {
			return out, err
		}
		who := s.Desk.Named(c, in.Agent)
		if who == "" {
			who = s.Desk.Own(c.Session())
		}
		if in.Journal > 0 {
			_ = s.records.Flush(ctx) // so that buffered writes are read too; Flush has reported a failure
			if out.Journal, err = s.stores.Records.Journal(ctx, who, in.Journal); err != nil {
				return out, err
			}
		}
		if out.Status, err = s.records.Status(ctx, who); err == nil {
			c.Summarize(out.Tier)
		}
		return out, err
	})
}

// recordAgent is the parameter that names the agent of a record, recordPlace those that say where it is booked.
type (
	recordAgent struct {
		Agent string `json:"agent_id,omitempty" also:"agent" is:"name"`
	}
	recordPlace struct {
		Project string `json:"project_path,omitempty" also:"project" is:"name"`
		Scope   string `json:"scope,omitempty" is:"name"`
	}
)

// record stores a record of the named agent by write, and books the call on the agent and on the project that write returns. write gets a
// function that finds the repository of the record's commit.
func (s *service) record(
	ctx context.Context, c *mcpkit.Call, agent string, at recordPlace, write func(by record.By, folder func() string) (project string, err error),
) (err error) {
	by := record.By{Scope: at.Scope}
	if by.Agent, err = s.Desk.Caller(c, "agent_id", agent); err != nil {
		return err
	}
	if by.Place, err = s.Desk.Place(ctx, c, at.Project); err != nil {
		return err
	}
	project, err := write(by, func() string { return s.repository(ctx, c, by.Place, at.Project) })
	if err == nil {
		s.Desk.Book(ctx, c, by.Agent, project)
	}
	return err
}

type agentBugInput struct {
	Agent string `json:"agent_id" also:"agent" desc:"Who made it" is:"name"`
	record.Bug
	recordPlace
}

func addAgentReportBug(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "agent_report_bug",
		Description: "Record a bug an agent made: takes 1 SP; at 0 it is halted and gets no work.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentBugInput) (out record.Reported, err error) {
		err = s.record(ctx, c, in.Agent, in.recordPlace, func(by record.By, folder func() string) (string, error) {
			if in.By = by; in.Commit != "" {
				in.Commit = record.FullOID(ctx, folder(), in.Commit)
			}
			if out, err = s.records.Bug(ctx, in.Bug); out.Halts {
				c.Summarize("halts")
			}
			return out.BookedOn.Project, err
		})
		return out, err
	})
}

type agentGradeInput struct {
	recordAgent
	record.Grading
	recordPlace
}

func addAgentRecordGrade(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "agent_record_grade",
		Description: "Grade a commit, once: both grades add to CS, 1 to XP.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentGradeInput) (out record.Graded, err error) {
		err = s.record(ctx, c, in.Agent, in.recordPlace, func(by record.By, folder func() string) (string, error) {
			in.By = by
			in.LookUp(ctx, folder())
			out, err = s.records.Grade(ctx, in.Grading)
			return out.BookedOn.Project, err
		})
		return out, err
	})
}

type agentRetroInput struct {
	recordAgent
	record.Retrospective
	recordPlace
}

func addAgentRecordRetrospective(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agent_record_retrospective", Idempotent: true,
		Description: "Keep what a task or commit taught; scores stay.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentRetroInput) (out record.Retrospected, err error) {
		err = s.record(ctx, c, in.Agent, in.recordPlace, func(by record.By, folder func() string) (string, error) {
			if in.By = by; in.Commit != "" {
				in.Commit = record.FullOID(ctx, folder(), in.Commit)
			}
			out, err = s.records.Retrospect(ctx, in.Retrospective)
			return out.BookedOn.Project, err
		})
		return out, err
	})
}

type agentActivityInput struct {
	recordAgent
	record.Activity
	recordPlace
}

func addAgentLogActivity(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "agent_log_activity",
		Description: "Journal what was done, its outcome and decisions.",
	}, func(ctx context.Context, c *mcpkit.Call, in agentActivityInput) (out record.Logged, err error) {
		err = s.record(ctx, c, in.Agent, in.recordPlace, func(by record.By, _ func() string) (string, error) {
			in.By = by
			out, err = s.records.Log(ctx, in.Activity)
			return out.BookedOn.Project, err
		})
		return out, err
	})
}

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
