package doctor

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/setup"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
)

// answerTime is how long a program may take to print its version.
const answerTime = 10 * time.Second

// installed is a program of the suite as it is found on this machine.
type installed struct {
	name, path string // path is "" when it is not installed
	version    string
	err        error // it does not run
}

// programs looks whether the suite's programs run and are of one release, and
// whether PATH leads to them too.
func (d *Doctor) programs(ctx context.Context, _ bool) ([]Check, error) {
	found, err := versions(ctx, programNames())
	if err != nil {
		return nil, err
	}
	return release(found, sibling.OnPath), nil
}

// release judges programs, each followed by its server; onPath is where PATH leads to for a name, "" for nowhere.
func release(found []installed, onPath func(name string) string) (checks []Check) {
	say := func(status Status, name, fix, message string, args ...any) {
		checks = append(checks, Check{Name: name, Category: "programs", Status: status, Message: fmt.Sprintf(message, args...), Fix: fix})
	}
	byVersion := map[string][]string{}
	var absent []string
	for i, p := range found {
		server := strings.HasSuffix(p.name, "-mcp")
		switch {
		case p.path == "" && server && found[i-1].path != "":
			say(Warning, "program "+p.name, "install the whole suite from one release, so that its programs are in one folder",
				"is not installed: `%s serve` cannot start", found[i-1].name)
		case p.path == "" && !server:
			absent = append(absent, p.name)
		case p.path == "":
		case p.err != nil:
			say(Error, "program "+p.name, "install it again from the release of the others", "%s does not run: %s", p.path, fault.From(p.err).Message)
		default:
			byVersion[p.version] = append(byVersion[p.version], p.name)
			if other := onPath(p.name); other != "" && other != real(p.path) {
				say(Warning, "program "+p.name, "let PATH name "+text.ShellWord(filepath.Dir(p.path))+" first",
					"PATH leads to another one, %s: shells, hooks and agent clients start that", other)
			}
		}
	}
	if len(byVersion) > 1 {
		var groups []string
		for _, version := range slices.Sorted(maps.Keys(byVersion)) {
			groups = append(groups, strings.Join(byVersion[version], ", ")+" "+version)
		}
		say(Warning, "versions", "install the whole suite from one release", "the programs are of several releases: %s", strings.Join(groups, "; "))
	}
	if len(byVersion) == 0 && len(checks) == 0 {
		say(Warning, "programs", "install the whole suite from one release", "none of the suite's programs is beside this one or on PATH")
	}
	if len(checks) > 0 {
		return checks
	}
	message := "all are " + slices.Collect(maps.Keys(byVersion))[0]
	if len(absent) > 0 {
		message += "; not installed: " + strings.Join(absent, ", ")
	}
	say(OK, "programs", "", "%s", message)
	return checks
}

// programNames are the programs with a server, each followed by that server.
func programNames() (names []string) {
	for _, name := range setup.Servers {
		names = append(names, name, name+"-mcp")
	}
	return names
}

// versions asks every program that is installed.
func versions(ctx context.Context, names []string) ([]installed, error) {
	found := make([]installed, len(names))
	var asking errgroup.Group
	for i, name := range names {
		asking.Go(func() error {
			p := installed{name: name}
			defer func() { found[i] = p }()
			path, err := sibling.Find(name)
			if err != nil {
				return nil
			}
			p.path = path
			var said struct{ Version string }
			p.err = sibling.Run(ctx, sibling.Call{Program: path, Args: []string{"version"}, Timeout: answerTime}, &said)
			p.version = said.Version
			return ctx.Err()
		})
	}
	return found, asking.Wait()
}

func real(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

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
