package sync

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/open"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// Kind is a tracker as it is connected with.
type Kind struct{ provider.Kind }

// Kinds are the trackers.
func Kinds() (all []Kind) {
	for _, k := range provider.Kinds() {
		all = append(all, Kind{k})
	}
	return all
}

// KindNamed finds a tracker by its name.
func KindNamed(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if string(k.Name) == strings.ReplaceAll(strings.ToLower(name), "-", "_") {
			return k, nil
		}
		names = append(names, string(k.Name))
	}
	return Kind{}, fault.Validation("provider", "%q is not a tracker that pmsync knows", name).WithHint("use %s", strings.Join(names, ", "))
}

// Missing are the credentials that a configuration lacks. A secret may also come
// from a command.
func (k Kind) Missing(cfg *config.Config) (keys []string) {
	for _, key := range k.Needs {
		key = "providers." + key
		if !cfg.IsSet(key) && !cfg.IsSet(key+"_command") && !k.elsewhere() {
			keys = append(keys, key)
		}
	}
	return keys
}

// needs is the error for credentials that are missing: it names the page where they are
// made, what they must allow, and a command for each of them.
func (k Kind) needs(missing []string) error {
	var commands []string
	for _, key := range missing {
		value := " VALUE"
		if strings.HasSuffix(key, "."+k.Secret[strings.LastIndexByte(k.Secret, '.')+1:]) {
			value = " -" // from standard input, so that no history keeps it
		}
		commands = append(commands, "`pmsync config set "+key+value+"`")
	}
	return fault.Validation(missing[0], "%s needs %s, which your configuration does not have", k.Title, strings.Join(missing, " and ")).
		WithHint("make a key at %s (%s), then %s; - reads it from standard input, and `providers.%s_command` names a command that prints it",
			k.Page, k.Rights, strings.Join(commands, " and "), k.Secret)
}

// elsewhere reports whether the secret may be found where the tracker's own tools have it.
func (k Kind) elsewhere() bool {
	if slices.ContainsFunc(k.Env, func(name string) bool { return os.Getenv(name) != "" }) {
		return true
	}
	return k.Program != "" && sibling.Installed(k.Program)
}

// Connected is what Connect did.
type Connected struct {
	Provider provider.Name      `json:"provider"`
	Part     string             `json:"part,omitempty"`
	Account  *provider.Account  `json:"account,omitempty"`
	File     string             `json:"file,omitempty"`     // that was written
	Projects []provider.Project `json:"projects,omitempty"` // to choose from; nothing was written
	States   []string           `json:"states,omitempty"`   // what its states mean, a sentence for each category
	Open     []string           `json:"open,omitempty"`     // what the tracker leaves open, and what settles it
}

// mostNamed bounds how many of the tracker's projects an error names.
const mostNamed = 10

// withProjects adds to an error about a part that does not exist which there are.
func (k Kind) withProjects(ctx context.Context, p provider.Provider, part string, err error) error {
	var names []string
	what := "project"
	if failure := p.Projects(ctx, func(p provider.Project) error {
		what = cmp.Or(p.Kind, what)
		if !p.Archived && len(names) < mostNamed {
			names = append(names, strconv.Quote(k.NameOf(p)))
		}
		return nil
	}); failure != nil || len(names) == 0 {
		return err
	}
	return fault.NotFound(what, part).
		WithHint("this account can read %s in %s", strings.Join(names, ", "), k.Name.Title())
}

// unsettled names everything that a tracker leaves open, with what settles it: a category
// of which it has several statuses, or none, and no one to go to is configured; and
// priorities that no field holds.
func unsettled(k Kind, all []provider.Status, cfg config.Provider, m provider.Mapping) (said []string) {
	statuses := names(all, func(provider.Status) bool { return true })
	var open, settle []string
	for _, category := range []provider.Category{provider.Todo, provider.InProgress, provider.Done} {
		fits := names(all, func(s provider.Status) bool { return s.Category == category })
		switch {
		case len(fits) == 0 && category == provider.InProgress && len(statuses) > 0:
			said = append(said, fmt.Sprintf("what is in progress is not known: under [provider] in .agit.toml, category_of = [\"%s=in_progress\"] settles it (there are %s; name each that is not to do)",
				likely(category, statuses), strings.Join(statuses, ", ")))
		case m.State[category] == "" && len(fits) > 1:
			open = append(open, fmt.Sprintf("%s may mean %s", category, strings.Join(fits, " or ")))
			settle = append(settle, fmt.Sprintf("%q", string(category)+"="+likely(category, fits)))
		}
	}
	if open != nil {
		said = append(said, fmt.Sprintf("%s: under [provider] in .agit.toml, state_for = [%s] names the one to go to", strings.Join(open, ", "), strings.Join(settle, ", ")))
	}
	if k.PriorityField && cfg.PriorityField == "" {
		said = append(said, "priorities neither come nor go: under [provider] in .agit.toml, priority_field names the custom field that holds them, and priority_of what its options mean")
	}
	return said
}

// meanings says of each category which statuses mean it.
func meanings(all []provider.Status) (said []string) {
	for _, category := range []provider.Category{provider.Todo, provider.InProgress, provider.Done, provider.Canceled} {
		if fits := names(all, func(s provider.Status) bool { return s.Category == category }); len(fits) > 0 {
			said = append(said, string(category)+": "+strings.Join(fits, ", "))
		}
	}
	return said
}

// names are the statuses that fit, each once.
func names(all []provider.Status, fit func(provider.Status) bool) (out []string) {
	for _, s := range all {
		if s.ID != "" && fit(s) && !slices.Contains(out, s.Name) {
			out = append(out, s.Name)
		}
	}
	return out
}

// usual are words of names of statuses, the likeliest first. A place where others sort what
// comes in is none to send work to.
var usual = map[provider.Category][]string{
	provider.Todo:       {"to do", "todo", "ready", "selected", "next", "open", "new", "backlog"},
	provider.InProgress: {"progress", "doing", "active", "working", "started", "review"},
	provider.Done:       {"done", "complete", "closed", "finished", "resolved", "released"},
}

// likely is the status whose name fits a category best, to stand in an example.
func likely(c provider.Category, statuses []string) string {
	for _, word := range usual[c] {
		for _, s := range statuses {
			if strings.Contains(strings.ToLower(s), word) {
				return s
			}
		}
	}
	return statuses[len(statuses)/2]
}

// Connect tests the connection with a tracker and writes it into the configuration
// of the project that options lead to. Credentials come from the user's own
// configuration alone. Without a part it writes nothing and returns the projects
// that the account can read. More are values of further keys of the configuration.
func (s *Service) Connect(ctx context.Context, k Kind, part string, more map[string]string, options config.Options) (done Connected, err error) {
	done.Provider = k.Name
	cfg, err := config.Load(options)
	if err != nil {
		return done, err
	}
	if missing := k.Missing(cfg); len(missing) > 0 {
		return done, k.needs(missing)
	}
	cfg.Provider.Name = string(k.Name)
	fields := map[string]*string{
		"provider.team_id": &cfg.Provider.TeamID, "provider.project_key": &cfg.Provider.ProjectKey,
		"provider.project_id": &cfg.Provider.ProjectID, "provider.project": &cfg.Provider.Project, "provider.board": &cfg.Provider.Board,
	}
	set := fields[k.Key]
	for key, value := range more {
		*fields[key] = value
	}
	if part == "" && *set == "" {
		part = open.FromOrigin(k.Name, cfg, func() string { return origin(ctx, cmp.Or(options.Project, options.Dir)) })
	}
	if part != "" {
		*set = part
	}
	choose := *set == ""
	if choose {
		*set = "-" // a client wants one; listing what there is does not use it
	}
	p, err := open.Provider(ctx, cfg, s.transport())
	if err != nil {
		return done, err
	}
	if choose {
		return done, p.Projects(ctx, func(p provider.Project) error {
			if !p.Archived {
				done.Projects = append(done.Projects, p)
			}
			return nil
		})
	}
	account, err := p.TestConnection(ctx)
	if provider.Is(err, provider.NotFound) && strings.Contains(err.Error(), "disabled") {
		return done, err
	}
	if provider.Is(err, provider.NotFound) {
		return done, k.withProjects(ctx, p, *set, err)
	}
	if err != nil {
		return done, err
	}
	written := maps.Clone(more)
	if written == nil {
		written = map[string]string{}
	}
	written["provider.name"], written[k.Key] = string(k.Name), *set
	for key, value := range written {
		if err := config.SetProject(options, key, value); err != nil {
			return done, err
		}
	}
	done.Part, done.Account, done.File = *set, &account, config.ProjectFileName
	if statuses, err := p.Statuses(ctx); err == nil { // else the first pull says what is wrong
		done.States = meanings(statuses)
		if mapping, err := open.Mapping(cfg.Provider); err == nil {
			done.Open = unsettled(k, statuses, cfg.Provider, mapping)
		}
	}
	return done, nil
}
