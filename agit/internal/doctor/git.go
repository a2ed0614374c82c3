package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
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

// structural are merge drivers that know the syntax of languages, with the programs by which they are found and how each is put to use
// (https://mergiraf.org/usage.html, https://github.com/Ataraxy-Labs/weave).
var structural = []struct {
	name     string
	programs []string
	use      string
}{
	{"mergiraf", []string{"mergiraf"}, "`mergiraf languages --gitattributes` prints the lines for .gitattributes; its documentation has the driver for git's configuration"},
	{"weave", []string{"weave-driver", "weave"}, "`weave setup` in the repository writes the driver and its attributes"},
}

// mergeDrivers reports structural merge drivers that are installed but not used. Without them git merges by lines, in the prediction of
// conflicts and in every landing.
func mergeDrivers(ctx context.Context, all []repo.Repo) (checks []Check, err error) {
	for _, d := range structural {
		if !slices.ContainsFunc(d.programs, sibling.Installed) {
			continue
		}
		var without []string
		for _, r := range all {
			g, err := r.Open()
			if err != nil {
				continue // told elsewhere
			}
			used, err := usesDriver(ctx, g, d.programs)
			if err != nil {
				return nil, err
			}
			if !used {
				without = append(without, r.Name)
			}
		}
		if len(without) > 0 {
			checks = append(checks, Check{Name: "merge driver " + d.name, Category: "git", Status: Warning, Fix: d.use,
				Message: "is installed and not used in " + strings.Join(without, ", ") + ": conflicts are judged, and work is merged, by lines"})
		}
	}
	return checks, nil
}

// usesDriver reports whether git has a merge driver that runs one of the programs, and attributes of the repository name it.
func usesDriver(ctx context.Context, g *git.Repo, programs []string) (bool, error) {
	out, err := g.Run(ctx, "config", "--get-regexp", `^merge\..*\.driver$`)
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return false, nil //nolint:nilerr // there is none
	}
	attributes := attributesOf(ctx, g)
	for line := range strings.Lines(out) {
		key, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		name := strings.TrimSuffix(strings.TrimPrefix(key, "merge."), ".driver")
		runs := slices.ContainsFunc(programs, func(program string) bool {
			return regexp.MustCompile(`(^|[\s/'"])` + regexp.QuoteMeta(program) + `(\s|['"]|$)`).MatchString(command)
		})
		if runs && namesDriver(attributes, name) {
			return true, nil
		}
	}
	return false, nil
}

// attributesOf are the lines of the attributes that hold for a whole repository.
func attributesOf(ctx context.Context, g *git.Repo) string {
	files := []string{filepath.Join(g.CommonDir, "info", "attributes")}
	if g.WorkTree != "" {
		files = append(files, filepath.Join(g.WorkTree, ".gitattributes"))
	}
	if own, err := g.Run(ctx, "config", "--type=path", "core.attributesFile"); err == nil && own != "" {
		files = append(files, own)
	} else if dir, err := os.UserConfigDir(); err == nil {
		files = append(files, filepath.Join(dir, "git", "attributes"))
	}
	var all strings.Builder
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			all.Write(text)
			all.WriteByte('\n')
		}
	}
	return all.String()
}

// namesDriver reports whether a line of attributes assigns files to a merge driver.
func namesDriver(attributes, driver string) bool {
	for line := range strings.Lines(attributes) {
		fields := strings.Fields(line)
		if len(fields) > 1 && !strings.HasPrefix(fields[0], "#") && slices.Contains(fields[1:], "merge="+driver) {
			return true
		}
	}
	return false
}
