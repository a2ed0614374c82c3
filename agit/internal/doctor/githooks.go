package doctor

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/githook"
	"github.com/agit-suite/agit/shared/sibling"
)

// gitHooks looks at what the suite added to the repositories' hooks: lines of
// another version, and lines that find no program, since a hook is quiet then.
func (d *Doctor) gitHooks(ctx context.Context, all []repo.Repo, fix bool) (checks []Check, err error) {
	installed := 0
	for _, r := range all {
		for _, part := range githook.Suite() {
			path, err := part.Path(ctx, r.Path)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				continue // hooks outside the repository are not the suite's to judge
			}
			state, err := part.Look(path)
			if err != nil || state == "absent" {
				continue
			}
			installed++
			c := Check{Name: "hook " + part.Hook + " of " + r.Name, Category: "hooks", Status: Warning}
			switch {
			case state == "stale":
				c.Message, c.Fix = fmt.Sprintf("the lines of %s in %s are of another version", part.Program, path), "`agit doctor --fix` writes them anew"
				if fix {
					c.mend(part, path)
				}
			case sibling.OnPath(part.Program) == "":
				c.Message = fmt.Sprintf("runs %s, which is not on PATH, so that it does nothing", part.Program)
				c.Fix = fmt.Sprintf("put %s on PATH, or take the lines out with `%s hook remove`", part.Program, part.Program)
			default:
				continue
			}
			checks = append(checks, c)
		}
	}
	if len(checks) == 0 && installed > 0 {
		checks = []Check{{Name: "git hooks", Category: "hooks", Status: OK, Message: "what the suite added to them is current"}}
	}
	return checks, nil
}

func (c *Check) mend(part githook.Part, path string) {
	if _, err := part.Install(path); err != nil {
		c.Message += ": " + fault.From(err).Message
		return
	}
	c.Status, c.Fix = Fixed, "written anew"
}
