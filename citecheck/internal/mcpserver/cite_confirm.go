package mcpserver

import (
	"cmp"
	"context"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type confirmInput struct {
	Memory string `json:"memory" is:"name"`
	Vote   string `json:"vote,omitempty" enum:"confirm,dispute" desc:"Default confirm"`
	Note   string `json:"note,omitempty" max:"2000"`
	Agent  string `json:"agent,omitempty" desc:"Your name" is:"name"`
	in
}

type confirmOutput struct {
	check.Vote
	BookedOn booking.Booking `json:"booked_on"`
}

func addConfirm(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "cite_confirm",
		Description: "Say that a memory proved right, or wrong (dispute): it counts for its confidence.",
	}, func(ctx context.Context, c *mcpkit.Call, in confirmInput) (confirmOutput, error) {
		st, err := s.open(ctx, c, in.Project, stores.Needed)
		if err != nil {
			return confirmOutput{}, err
		}
		defer st.Close()
		desk := s.Desk
		desk.DB = st.History.DB // it holds the client's seat
		who, err := desk.Caller(c, "agent", in.Agent)
		if err != nil {
			return confirmOutput{}, err
		}
		v, err := st.Checks.Say(ctx, in.Memory, who, cmp.Or(in.Vote, history.Confirm), in.Note)
		if err != nil {
			return confirmOutput{}, err
		}
		return confirmOutput{*v, desk.Book(ctx, c, who, v.Project)}, nil
	})
}
