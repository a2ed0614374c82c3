package doctor

import (
	"context"
	"runtime"

	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/shared/fault"
)

// sandbox reports the configured sandbox of agents and gates, and whether it is available. When none is configured, it names one that
// could be used.
func (d *Doctor) sandbox(ctx context.Context, _ bool) ([]Check, error) {
	if d.Wall == nil {
		return nil, nil
	}
	made, err := d.Wall.Get(ctx)
	if err != nil {
		f := fault.From(err)
		return []Check{{Name: "sandbox", Category: "sandbox", Status: Error, Message: f.Message, Fix: f.Hint}}, nil
	}
	if made != nil {
		return []Check{{Name: "sandbox", Category: "sandbox", Status: OK, Message: "agents of `agit work` and gates run inside " + made.Name() + ", which works here"}}, nil
	}
	c := Check{Name: "sandbox", Category: "sandbox", Status: OK, Message: "there is no wall around agents of `agit work`: work.sandbox is not set"}
	try := wall.Bwrap
	if runtime.GOOS == "darwin" {
		try = wall.Seatbelt
	}
	if _, err := wall.Find(ctx, wall.Settings{Sandbox: []string{string(try)}}); err == nil {
		c.Message += "; " + string(try) + " works here"
		c.Fix = "`agit config set work.sandbox " + string(try) + "` puts it there"
	}
	return []Check{c}, nil
}
