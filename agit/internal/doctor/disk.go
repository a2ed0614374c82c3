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

// full is how little room keeps git and the registry from writing.
const full = 16 << 20

// disk looks how much room is left where the registry and the repositories are.
func (d *Doctor) disk(all []repo.Repo) []Check {
	home := filepath.Dir(d.DB.Path())
	free, known := durable.Free(home)
	checks := room(nil, "registry", free, known)
	for _, r := range all {
		there, known := durable.Free(r.Path)
		checks = room(checks, "repository "+r.Name, there, known)
	}
	if len(checks) > 0 {
		return checks
	}
	message := "the system does not say how much room is left"
	if known {
		message = fmt.Sprintf("%d GB are free where the registry is", free>>30)
	}
	return []Check{{Name: "disk", Category: "disk", Status: OK, Message: message}}
}

func room(checks []Check, whose string, free uint64, known bool) []Check {
	if !known || free >= scarce {
		return checks
	}
	status, message := Warning, fmt.Sprintf("%d MB are left where the %s is", free>>20, whose)
	if free < full {
		status, message = Error, fmt.Sprintf("the disk is full where the %s is: %d kB are left", whose, free>>10)
	}
	return append(checks, Check{Name: "disk", Category: "disk", Status: status, Message: message,
		Fix: "make room; `agit cleanup` moves worktrees that are done into the trash, which is emptied after its time"})
}
