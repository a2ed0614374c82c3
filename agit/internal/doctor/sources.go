package doctor

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/shared/text"
)

// sources lists which files of agents' clients are read, and which could not be.
func (d *Doctor) sources(ctx context.Context, _ bool) ([]Check, error) {
	states, err := d.Sessions.States(ctx)
	if err != nil {
		return nil, err
	}
	var checks []Check
	for _, s := range states {
		c := Check{Name: "sessions of " + s.Client, Category: "sources", Status: OK}
		switch {
		case s.Off:
			c.Message = "are not read: sources.off"
		case len(s.Trouble) > 0:
			c.Status, c.Message = Warning, fmt.Sprintf("%s could not be read, the first is %q", text.Count(len(s.Trouble), "file or folder", "files or folders"), s.Trouble[0])
			c.Fix = "make it readable for you, or turn the client off: `agit config set sources.off " + s.Client + "`"
		default:
			c.Message = fmt.Sprintf("%s of %d MB are read", text.Count(s.Files, "file", "files"), s.Bytes>>20)
			if s.Passed > 0 {
				c.Message += fmt.Sprintf("; %s in a format that is not known", text.Count(s.Passed, "row is", "rows are"))
			}
		}
		checks = append(checks, c)
	}
	return checks, nil
}
