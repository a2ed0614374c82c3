package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type readyInput struct {
	Project     string `json:"project_path,omitempty" also:"project" desc:"Id, name or path" is:"name"`
	External    *bool  `json:"include_external,omitempty" desc:"Tickets; default true"`
	Local       *bool  `json:"include_local,omitempty" desc:"Plans, tasks; default true"`
	AnyAssignee bool   `json:"any_assignee,omitempty" desc:"Others' too"`
	Explain     bool   `json:"explain,omitempty" desc:"Why each is ready, why others are not"`
	Limit       int    `json:"limit,omitempty" min:"1" max:"100" desc:"Default 5"`
	Agent       string `json:"agent,omitempty" is:"name"`
}

// on is a boolean whose default is true.
func on(given *bool) bool { return given == nil || *given }

// readyOutput is the list of ready work, with hints on what to check when it is empty.
type readyOutput struct {
	worklist.ReadyList
	Next string `json:"next,omitempty"`
}

type sprintStatusInput struct {
	placed
	Sprint   string `json:"sprint,omitempty" desc:"Name; default the active one" is:"name"`
	Criteria *bool  `json:"include_ac_status,omitempty" desc:"Default true"`
	Blockers *bool  `json:"include_blockers,omitempty" desc:"Default true"`
	Limit    int    `json:"limit,omitempty" min:"1" max:"1000" desc:"Tickets, default 50"`
}

func (in readyInput) where() (project, agent string)   { return in.Project, in.Agent }
func (in suggestInput) where() (project, agent string) { return in.Project, in.Agent }

type suggestInput struct {
	placed
	Blockers *bool  `json:"consider_blockers,omitempty" desc:"Prefer what unblocks; default true"`
	Criteria *bool  `json:"consider_ac_complexity,omitempty" desc:"Prefer few criteria; default true"`
	Assigned *bool  `json:"prefer_assigned,omitempty" desc:"Default true"`
	Limit    int    `json:"limit,omitempty" min:"1" max:"50" desc:"Default 3"`
	Agent    string `json:"agent,omitempty" is:"name"`
}

var workTools = []func(*service){
	reading(mcpkit.Tool{
		Name: "get_ready_work", ReadOnly: true,
		Description: "Tickets, plans and tasks that nothing blocks and no other has, most urgent first.",
	}, func(ctx context.Context, c call, in readyInput) (out readyOutput, err error) {
		if !on(in.External) && !on(in.Local) {
			return out, fault.Validation("include_local", "neither tickets nor plans and tasks are asked for").WithHint("leave one of include_external and include_local out")
		}
		out.ReadyList, err = c.stores().Board.Ready(ctx, worklist.ReadyQuery{Caller: c.who, Tickets: on(in.External), Local: on(in.Local), AnyAssignee: in.AnyAssignee, Limit: cmp.Or(in.Limit, 5), Explain: in.Explain})
		c.Summarize(fmt.Sprintf("%d ready", len(out.Items)))
		if out.Open != nil && *out.Open > 0 && !in.Explain {
			out.Next = "nothing is ready: with explain it says what each waits for"
		}
		return out, err
	}),
	reading(mcpkit.Tool{
		Name: "sprint_status", ReadOnly: true,
		Description: "The active sprint: tickets by category with verified criteria and blockers, counts, points.",
	}, func(ctx context.Context, c call, in sprintStatusInput) (worklist.SprintStatus, error) {
		return c.stores().Board.Sprint(ctx, c.who, worklist.SprintQuery{Sprint: in.Sprint, Criteria: on(in.Criteria), Blockers: on(in.Blockers), Limit: cmp.Or(in.Limit, 50)})
	}),
	reading(mcpkit.Tool{
		Name: "sprint_suggest", ReadOnly: true,
		Description: "Which ticket to take next, and why. Never one that waits.",
	}, func(ctx context.Context, c call, in suggestInput) (worklist.Suggestions, error) {
		return c.stores().Board.Suggest(ctx, worklist.SuggestQuery{Caller: c.who, Blockers: on(in.Blockers), Criteria: on(in.Criteria), Mine: on(in.Assigned), Limit: cmp.Or(in.Limit, 3)})
	}),
}
