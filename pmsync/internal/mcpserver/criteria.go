package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type acParseInput struct {
	Ticket  string `json:"external_item_id" also:"identifier,ticket_id" is:"name"`
	Force   bool   `json:"force_reparse,omitempty" desc:"Look again; what is the same keeps status and evidence"`
	Explain bool   `json:"explain,omitempty" desc:"Say why each was found"`
	signed
}

type acAddInput struct {
	Ticket string `json:"external_item_id" also:"identifier,ticket_id" is:"name"`
	Text   string `json:"criterion_text"`
	Index  *int   `json:"index,omitempty" desc:"From 0; default the end"`
	signed
}

type acTicketInput struct {
	Ticket string `json:"external_item_id" also:"identifier,ticket_id" is:"name"`
	placed
}

type acVerifyInput struct {
	ID       string         `json:"criterion_id" desc:"Or ticket and place: SEM-1#2" is:"name"`
	Status   string         `json:"status" enum:"verified,failed"`
	Evidence map[string]any `json:"evidence,omitempty" desc:"tests, commits, screenshots: lists too" keys:"files[],notes;tests[],commits[],screenshots[]"`
	Notes    string         `json:"notes,omitempty"`
	Check    bool           `json:"check,omitempty" desc:"Refuse files and commits that do not exist"`
	signed
}

type acUpdateInput struct {
	ID     string  `json:"criterion_id" is:"name"`
	Text   *string `json:"criterion_text,omitempty"`
	Status string  `json:"status,omitempty" enum:"pending,in_progress,verified,failed,blocked"`
	signed
}

var criteriaTools = []func(*service){
	writing(mcpkit.Tool{
		Name: "ac_parse", Idempotent: true, Description: "Find the acceptance criteria in a ticket's text. Those marked unsure were not called so by its author.",
	}, func(ctx context.Context, c call, in acParseInput) (ticket.Parsed, caller.BookedOn, error) {
		p, err := c.stores().Tickets.ParseCriteria(ctx, c.who, in.Ticket, in.Force)
		if !in.Explain {
			p.Criteria = criteria.WithoutReasons(p.Criteria)
		}
		return p, p.BookedOn, err
	}),
	writing(mcpkit.Tool{
		Name: "ac_add", Description: "Add a criterion that the text lacks.",
	}, func(ctx context.Context, c call, in acAddInput) (criteria.Changed, caller.BookedOn, error) {
		done, err := c.stores().Criteria.Add(ctx, c.who, in.Ticket, in.Text, in.Index)
		return done, done.BookedOn, err
	}),
	reading(mcpkit.Tool{
		Name: "ac_status", ReadOnly: true, Description: "A ticket's criteria, counted by status.",
	}, func(ctx context.Context, c call, in acTicketInput) (criteria.Status, error) {
		status, err := c.stores().Criteria.Status(ctx, c.who, in.Ticket)
		status.Criteria = criteria.WithoutReasons(status.Criteria)
		return status, err
	}),
	writing(mcpkit.Tool{
		Name: "ac_verify", Description: "Say that a criterion is met, or failed, with evidence.",
	}, func(ctx context.Context, c call, in acVerifyInput) (done criteria.Changed, on caller.BookedOn, err error) {
		v := criteria.Verdict{ID: in.ID, Status: in.Status, Notes: in.Notes}
		if v.Evidence, err = criteria.ParseEvidence(in.Evidence); err != nil {
			return done, on, err
		}
		if in.Check {
			if v.Folder = c.folder(c, in.Project); v.Folder == "" {
				return done, on, fault.Validation("project_path", "the folder to look for evidence in is not known").WithHint("give project_path as an absolute path, or leave check out")
			}
		}
		done, err = c.stores().Criteria.Verify(ctx, c.who, v)
		return done, done.BookedOn, err
	}),
	writing(mcpkit.Tool{
		Name: "ac_update", Idempotent: true, Description: "Change a criterion's text or status.",
	}, func(ctx context.Context, c call, in acUpdateInput) (criteria.Changed, caller.BookedOn, error) {
		var status *string
		if in.Status != "" {
			status = &in.Status
		}
		done, err := c.stores().Criteria.Update(ctx, c.who, in.ID, in.Text, status)
		return done, done.BookedOn, err
	}),
	reading(mcpkit.Tool{
		Name: "ac_check_all", ReadOnly: true, Description: "Whether all criteria are met and the ticket can be closed.",
	}, func(ctx context.Context, c call, in acTicketInput) (criteria.Check, error) {
		check, err := c.stores().Criteria.CheckAll(ctx, c.who, in.Ticket)
		check.Summary = hints.Replace(check.Summary)
		return check, err
	}),
}
