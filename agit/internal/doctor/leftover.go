package doctor

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// leftovers looks for copies of the registry that killed processes left.
func (d *Doctor) leftovers(_ context.Context, fix bool) ([]Check, error) {
	left := d.DB.Leftovers()
	if len(left) == 0 {
		return nil, nil
	}
	c := Check{Name: "leftovers", Category: "registry", Status: Warning,
		Message: fmt.Sprintf("processes that were killed left copies of a registry that nothing needs: %s", strings.Join(left, ", ")),
		Fix:     "`agit doctor --fix` removes them; the next `agit db merge` does too"}
	if !fix {
		return []Check{c}, nil
	}
	for _, path := range left {
		if err := os.RemoveAll(path); err != nil {
			c.Message += ": " + err.Error()
			return []Check{c}, nil
		}
	}
	c.Status, c.Fix = Fixed, "removed"
	return []Check{c}, nil
}
