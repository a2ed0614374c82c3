// Package doctor looks at everything agit depends on and reports what is wrong and
// how to mend it: the suite's programs, the registry, git, the configuration,
// repositories with their hooks and disks, worktrees, agents, agent clients and
// the tracker. It changes nothing unless asked to fix, and then only what can be
// mended without losing anything. A Doctor is used by one run.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents"
	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/setup"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Status is how a check ended.
type Status string

// The statuses: a warning can wait, an error keeps something from working.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Error   Status = "error"
	Fixed   Status = "fixed"
)

// Check is one thing that was looked at.
type Check struct {
	Name     string `json:"name"`
	Category string `json:"category"` // programs, registry, disk, git, config, repos, hooks, worktrees, agents, tasks, sandbox, clients, sources, tracker
	Status   Status `json:"status"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty"` // what to do
}

// Report is the result of all checks.
type Report struct {
	Checks []Check `json:"checks"`
	OK     bool    `json:"ok"` // no error is left
}

// Doctor is what it looks at.
type Doctor struct {
	Dir      string // the project here: whose tracker is asked
	DB       *registry.DB
	Config   *config.Config
	Sessions index.Kept // the index of clients' sessions
	Audits   *worktreecheck.Store
	Roster   *agents.Store
	Clients  []*setup.Setup // for this project, and for the user
	Wall     *wall.Wanted   // around agents and gates; nil is not looked at
}

// Visit runs every check; with fix, it also mends what can be mended safely.
func (d *Doctor) Visit(ctx context.Context, fix bool) (Report, error) {
	r := Report{Checks: []Check{}}
	for _, area := range []struct {
		name string
		look func(context.Context, bool) ([]Check, error)
	}{
		{"programs", d.programs}, {"registry", d.registry}, {"leftovers", d.leftovers}, {"git", d.git}, {"config", d.config}, {"repos", d.repos},
		{"worktrees", d.worktrees}, {"agents", d.agents}, {"tasks", d.dependencies}, {"sandbox", d.sandbox}, {"clients", d.clients}, {"client ways", d.clientsRun}, {"sources", d.sources}, {"tracker", d.tracker},
	} {
		checks, err := area.look(ctx, fix)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err != nil { // the others may say why
			checks = append(checks, failed(area.name, area.name, err))
		}
		r.Checks = append(r.Checks, checks...)
	}
	r.OK = !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Status == Error })
	return r, nil
}

// failed is a check that err ended, with the step that err names.
func failed(name, category string, err error) Check {
	f := fault.From(err)
	return Check{Name: name, Category: category, Status: Error, Message: strings.TrimSuffix(f.Error(), "; "+f.Hint), Fix: f.Hint}
}

// dependencies checks the counts of what items wait for, and with fix corrects them.
func (d *Doctor) dependencies(ctx context.Context, fix bool) ([]Check, error) {
	c := Check{Name: "dependencies", Category: "tasks", Status: OK, Message: "every item knows what it waits for"}
	wrong, err := registry.Read(ctx, d.DB, work.Miscounted)
	if err != nil {
		return nil, err
	}
	cycles, err := d.cycles(ctx)
	if err == nil && wrong > 0 {
		c.Status, c.Message = Error, fmt.Sprintf("%d items have a wrong count of what they wait for", wrong)
		c.Fix = "`agit doctor --fix` counts again"
		if fix {
			_, err = registry.Write(ctx, d.DB, registry.Everything, work.Recount)
			c.Status, c.Fix = Fixed, "counted again"
		}
	}
	return append([]Check{c}, cycles...), err
}

// cycles looks for items that wait for themselves, which a merge of two
// registries can bring together; which edge is wrong is for people to say.
func (d *Doctor) cycles(ctx context.Context) (checks []Check, err error) {
	found, err := registry.Read(ctx, d.DB, work.Cycles)
	for _, way := range found {
		checks = append(checks, Check{Name: "cycle", Category: "tasks", Status: Error,
			Message: "these wait for each other in a circle: " + strings.Join(way, " → "),
			Fix:     "take one of the edges away with `agit graph unlink`"})
	}
	return checks, err
}

// The merge depth of conflicts and merging need git's merge-tree --write-tree.
const mergeTreeMajor, mergeTreeMinor = 2, 38

func (d *Doctor) git(ctx context.Context, _ bool) ([]Check, error) {
	v, err := git.CurrentVersion(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return []Check{gitCheck(v, err)}, nil
}

// gitCheck is the check of git by its version, or by the error of asking for it.
func gitCheck(v git.Version, err error) Check {
	c := Check{Name: "git", Category: "git", Status: OK, Message: "git " + v.String()}
	switch {
	case err != nil:
		c = failed("git", "git", err)
		c.Fix = cmp.Or(c.Fix, "install git and put it on PATH")
	case !v.AtLeast(mergeTreeMajor, mergeTreeMinor):
		c.Status = Warning
		c.Message = fmt.Sprintf("git %s is older than %d.%d: conflicts at depth merge are not available", v, mergeTreeMajor, mergeTreeMinor)
		c.Fix = "upgrade git"
	}
	return c
}

func (d *Doctor) config(context.Context, bool) ([]Check, error) {
	warnings := d.Config.Warnings()
	if len(warnings) == 0 {
		return []Check{{Name: "configuration", Category: "config", Status: OK, Message: "every key is known"}}, nil
	}
	var checks []Check
	for _, w := range warnings {
		status := Warning
		if w == d.Config.LeftOut() { // nothing lands, and no work begins
			status = Error
		}
		what, step, _ := strings.Cut(w, "; ")
		checks = append(checks, Check{Name: "configuration", Category: "config", Status: status, Message: what,
			Fix: cmp.Or(step, "`agit config show` shows where each value comes from")})
	}
	return checks, nil
}

func (d *Doctor) repos(ctx context.Context, fix bool) ([]Check, error) {
	all, err := registry.Read(ctx, d.DB, repo.All)
	if err != nil {
		return nil, err
	}
	var checks []Check
	var here []repo.Repo
	for _, r := range all {
		c := Check{Name: "repository " + r.Name, Category: "repos", Status: OK, Message: r.Path}
		if r.Host != registry.Host() {
			c.Message = "is on machine " + r.Host
		} else if _, err := r.Open(); err != nil {
			c = failed(c.Name, c.Category, err)
			c.Fix = cmp.Or(c.Fix, "`git -C "+text.ShellWord(r.Path)+" status` fails alike until that is mended")
		} else {
			here = append(here, r)
			c = canWrite(c, repoFolders(r), "")
		}
		checks = append(checks, c)
	}
	hooks, err := d.gitHooks(ctx, here, fix)
	if err != nil {
		return append(checks, hooks...), err
	}
	drivers, err := mergeDrivers(ctx, here)
	return slices.Concat(checks, d.tables(all), hooks, drivers, d.disk(here)), err
}

// tables names the [[repo]] tables of the configuration that no registered repository reads.
func (d *Doctor) tables(all []repo.Repo) (checks []Check) {
	for _, t := range d.Config.Repos {
		if !slices.ContainsFunc(all, func(r repo.Repo) bool { return text.Key(r.Name) == text.Key(t.Name) }) {
			checks = append(checks, Check{Name: "configuration", Category: "config", Status: Warning,
				Message: fmt.Sprintf("the [[repo]] table %q in %s is for no registered repository", t.Name, t.From),
				Fix:     "correct its name; `agit repos` lists the repositories"})
		}
	}
	return checks
}

func (d *Doctor) worktrees(ctx context.Context, fix bool) ([]Check, error) {
	findings, err := d.Audits.Check(ctx, "")
	if git.IsMissing(err) { // which a check of its own says
		return []Check{{Name: "worktrees", Category: "worktrees", Status: Warning, Message: "were not looked at, since git was not found", Fix: "install git and put it on PATH"}}, nil
	}
	if err != nil {
		return nil, err
	}
	checks := []Check{}
	for _, f := range findings {
		if f.Kind == worktreecheck.RepoMissing {
			continue // said of the repository already
		}
		checks = append(checks, finding(ctx, f, fix))
	}
	if len(checks) == 0 {
		checks = append(checks, Check{Name: "worktrees", Category: "worktrees", Status: OK, Message: "registry, git and folders agree"})
	}
	return checks, nil
}

// finding is a disagreement between registry, git and disk, mended when asked to.
func finding(ctx context.Context, f worktreecheck.Finding, fix bool) Check {
	c := Check{Name: strings.TrimSpace("worktree " + f.Worktree), Category: "worktrees", Status: Error, Message: f.Text, Fix: f.Remedy}
	switch {
	case f.Kind == worktreecheck.HooksMissing: // most repositories do without
		c.Status = Warning
	case !f.Fixable():
	case !fix:
		c.Fix = "`agit doctor --fix` will " + f.Remedy
	default:
		if err := f.Fix(ctx); err != nil {
			c.Message += ": " + err.Error()
		} else {
			c.Status = Fixed
		}
	}
	return c
}

func (d *Doctor) agents(ctx context.Context, _ bool) ([]Check, error) {
	entries, err := d.Roster.List(ctx)
	if err != nil {
		return nil, err
	}
	var checks []Check
	const ahead = time.Minute
	now := time.Now()
	for _, e := range entries {
		if early := e.LastSeen.Sub(now); early > ahead {
			checks = append(checks, Check{Name: "clock", Category: "agents", Status: Warning,
				Message: fmt.Sprintf("agent %s was last heard of %s in the future: the clock was ahead then, or is behind now", e.Name, early.Round(time.Second)),
				Fix:     "set the clock right; where it is, `agit agents heartbeat " + text.ShellWord(e.Name) + "` notes the time again"})
		}
		if e.CurrentTask != "" && e.Status == agent.StatusDisconnected {
			checks = append(checks, Check{Name: "agent " + e.Name, Category: "agents", Status: Warning,
				Message: fmt.Sprintf("is disconnected and holds task %s", e.CurrentTask),
				Fix:     "`agit agents sweep --release` gives its tasks back"})
		}
	}
	if len(checks) == 0 {
		checks = append(checks, Check{Name: "agents", Category: "agents", Status: OK, Message: "no disconnected agent holds a task"})
	}
	return checks, nil
}
