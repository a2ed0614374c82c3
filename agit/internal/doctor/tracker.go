package doctor

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// trackerTime is how long the tracker may take to answer.
const trackerTime = 20 * time.Second

// tracker asks pmsync whether the tracker of this project can be reached. An unreachable tracker is a warning: tickets are read and changed
// all the same.
func (d *Doctor) tracker(ctx context.Context, _ bool) ([]Check, error) {
	name := d.Config.Provider.Name
	if name == "" || name == "local" {
		return nil, nil
	}
	c := Check{Name: "tracker " + name, Category: "tracker", Status: OK}
	var said struct {
		Account string
		Pending int `json:"pending_changes"`
	}
	err := sibling.Run(ctx, sibling.Call{Program: "pmsync", Args: []string{"status", "--online"}, Dir: d.Dir, Timeout: trackerTime}, &said)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f := fault.From(err)
	switch {
	case err == nil:
		c.Message = "answers, and knows you as " + said.Account
	case fault.Is(err, fault.KindProvider) && !f.Retryable:
		c.Status, c.Message, c.Fix = Error, f.Message, "`pmsync providers` shows which credentials are missing; `pmsync connect "+name+"` tests them"
	case fault.Is(err, fault.KindProvider):
		c.Status, c.Message, c.Fix = Warning, f.Message+"; changes of yours wait until it can be reached", "`pmsync sync` then"
	default:
		c.Status, c.Message, c.Fix = Warning, f.Message, f.Hint
	}
	if c.Status != OK && c.Fix == "" {
		c.Fix = "`pmsync status --online` tries again"
	}
	return []Check{c}, nil
}
