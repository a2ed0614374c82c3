package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
)

var criteriaTools = []func(*service){addACParse, addACAdd, addACStatus, addACVerify, addACUpdate, addACCheckAll}

type acParseInput struct {
	Ticket  string `json:"external_item_id" also:"identifier,ticket_id" is:"name"`
	Force   bool   `json:"force_reparse,omitempty" desc:"Look again; what is the same keeps status and evidence"`
	Explain bool   `json:"explain,omitempty" desc:"Say why each was found"`
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
	Agent   string `json:"agent,omitempty" is:"name"`
}

func addACParse(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "ac_parse", Idempotent: true, Description: "Find the acceptance criteria in a ticket's text. Those marked unsure were not called so by its author.",
	}, func(ctx context.Context, c *mcpkit.Call, in acParseInput) (ticket.Parsed, error) {
		who, err := s.writes(ctx, c, in.Project, in.Agent)
		if err != nil {
			return ticket.Parsed{}, err
		}
		p, err := s.stores().Tickets.ParseCriteria(ctx, who, in.Ticket, in.Force)
		s.booked(c, p.BookedOn)
		if !in.Explain {
			p.Criteria = criteria.WithoutReasons(p.Criteria)
		}
		return p, err
	})
}

type acAddInput struct {
	Ticket  string `json:"external_item_id" also:"identifier,ticket_id" is:"name"`
	Text    string `json:"criterion_text"`
	Index   *int   `json:"index,omitempty" desc:"From 0; default the end"`
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
	Agent   string `json:"agent,omitempty" is:"name"`
}

func addACAdd(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "ac_add", Description: "Add a criterion that the text lacks.",
	}, func(ctx context.Context, c *mcpkit.Call, in acAddInput) (criteria.Changed, error) {
		who, err := s.writes(ctx, c, in.Project, in.Agent)
		if err != nil {
			return criteria.Changed{}, err
		}
		done, err := s.stores().Criteria.Add(ctx, who, in.Ticket, in.Text, in.Index)
		s.booked(c, done.BookedOn)
		return done, err
	})
}

type acTicketInput struct {
	Ticket  string `json:"external_item_id" also:"identifier,ticket_id" is:"name"`
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
}

func addACStatus(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "ac_status", ReadOnly: true, Description: "A ticket's criteria, counted by status.",
	}, func(ctx context.Context, c *mcpkit.Call, in acTicketInput) (criteria.Status, error) {
		who, err := s.reads(ctx, c, in.Project, "")
		if err != nil {
			return criteria.Status{}, err
		}
		status, err := s.stores().Criteria.Status(ctx, who, in.Ticket)
		status.Criteria = criteria.WithoutReasons(status.Criteria)
		return status, err
	})
}

type acVerifyInput struct {
	ID       string         `json:"criterion_id" desc:"Or ticket and place: SEM-1#2" is:"name"`
	Status   string         `json:"status" enum:"verified,failed"`
	Evidence map[string]any `json:"evidence,omitempty" desc:"tests, commits, screenshots: lists too" keys:"files[],notes;tests[],commits[],screenshots[]"`
	Notes    string         `json:"notes,omitempty"`
	Check    bool           `json:"check,omitempty" desc:"Refuse files and commits that do not exist"`
	Project  string         `json:"project_path,omitempty" also:"project" is:"name"`
	Agent    string         `json:"agent,omitempty" is:"name"`
}

func addACVerify(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "ac_verify", Description: "Say that a criterion is met, or failed, with evidence.",
	}, func(ctx context.Context, c *mcpkit.Call, in acVerifyInput) (criteria.Changed, error) {
		who, err := s.writes(ctx, c, in.Project, in.Agent)
		if err != nil {
			return criteria.Changed{}, err
		}
		v := criteria.Verdict{ID: in.ID, Status: in.Status, Notes: in.Notes}
		if v.Evidence, err = criteria.ParseEvidence(in.Evidence); err != nil {
			return criteria.Changed{}, err
		}
		if in.Check {
			if v.Folder = s.folder(c, in.Project); v.Folder == "" {
				return criteria.Changed{}, fault.Validation("project_path", "the folder to look for evidence in is not known").WithHint("give project_path as an absolute path, or leave check out")
			}
		}
		done, err := s.stores().Criteria.Verify(ctx, who, v)
		s.booked(c, done.BookedOn)
		return done, err
	})
}

type acUpdateInput struct {
	ID      string  `json:"criterion_id" is:"name"`
	Text    *string `json:"criterion_text,omitempty"`
	Status  string  `json:"status,omitempty" enum:"pending,in_progress,verified,failed,blocked"`
	Project string  `json:"project_path,omitempty" also:"project" is:"name"`
	Agent   string  `json:"agent,omitempty" is:"name"`
}

func addACUpdate(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "ac_update", Idempotent: true, Description: "Change a criterion's text or status.",
	}, func(ctx context.Context, c *mcpkit.Call, in acUpdateInput) (criteria.Changed, error) {
		who, err := s.writes(ctx, c, in.Project, in.Agent)
		if err != nil {
			return criteria.Changed{}, err
		}
		var status *string
		if in.Status != "" {
			status = &in.Status
		}
		done, err := s.stores().Criteria.Update(ctx, who, in.ID, in.Text, status)
		s.booked(c, done.BookedOn)
		return done, err
	})
}

func addACCheckAll(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "ac_check_all", ReadOnly: true, Description: "Whether all criteria are met and the ticket can be closed.",
	}, func(ctx context.Context, c *mcpkit.Call, in acTicketInput) (criteria.Check, error) {
		who, err := s.reads(ctx, c, in.Project, "")
		if err != nil {
			return criteria.Check{}, err
		}
		return s.stores().Criteria.CheckAll(ctx, who, in.Ticket)
	})
}
