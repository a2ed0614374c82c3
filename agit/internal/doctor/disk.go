package doctor

import (
	"fmt"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/durable"
)

// scarce is how little room is worth a warning: worktrees are checkouts, and an
// upgrade of the registry keeps a copy of it.
const scarce = 1 << 30

// disk looks how much room is left where the registry and the repositories are.
func (d *Doctor) disk(all []repo.Repo) []Check {
	home := filepath.Dir(d.DB.Path())
	checks := room(nil, "registry", home)
	for _, r := range all {
		checks = room(checks, "repository "+r.Name, r.Path)
	}
	if len(checks) > 0 {
		return checks
	}
	message := "the system does not say how much room is left"
	if free, known := durable.Free(home); known {
		message = fmt.Sprintf("%d GB are free where the registry is", free>>30)
	}
	return []Check{{Name: "disk", Category: "disk", Status: OK, Message: message}}
}

func room(checks []Check, whose, folder string) []Check {
	free, known := durable.Free(folder)
	if !known || free >= scarce {
		return checks
	}
	return append(checks, Check{Name: "disk", Category: "disk", Status: Warning,
		Message: fmt.Sprintf("%d MB are left where the %s is", free>>20, whose),
		Fix:     "make room; `agit cleanup` moves worktrees that are done into the trash, which is emptied after its time"})
}
