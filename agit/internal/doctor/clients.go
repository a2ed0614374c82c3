package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// clients looks at what agent clients read of the suite. It changes nothing:
// `agit setup` does, which says what it keeps.
func (d *Doctor) clients(ctx context.Context, _ bool) (checks []Check, err error) {
	var ready []string
	for _, s := range d.Clients {
		clients, findings, err := s.Findings(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			f := fault.From(err)
			checks = append(checks, Check{Name: "clients", Category: "clients", Status: Warning, Message: f.Message, Fix: f.Hint})
			continue
		}
		for _, client := range clients {
			if !slices.Contains(ready, client) {
				ready = append(ready, client)
			}
		}
		for _, f := range findings {
			message := fmt.Sprintf("%s in %s is %s", f.What, f.File, f.State)
			if f.Why != "" {
				message += ": " + f.Why
			}
			checks = append(checks, Check{Name: "client " + f.Client, Category: "clients", Status: Warning, Message: message, Fix: f.Fix})
		}
	}
	switch {
	case len(checks) > 0:
	case len(ready) == 0:
		checks = []Check{{Name: "clients", Category: "clients", Status: OK, Message: "no agent client is set up here; `agit setup` sets up those that are installed"}}
	default:
		checks = []Check{{Name: "clients", Category: "clients", Status: OK, Message: strings.Join(ready, ", ") + ": what is set up is current"}}
	}
	return checks, nil
}
