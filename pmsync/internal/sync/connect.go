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
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/sibling"
)

// KindNamed finds a tracker by its name.
func KindNamed(name string) (provider.Kind, error) {
	k, known := provider.KindOf(provider.Name(strings.ReplaceAll(strings.ToLower(name), "-", "_")))
	if known {
		return k, nil
	}
	var names []string
	for _, k := range provider.Kinds() {
		names = append(names, string(k.Name))
	}
	return k, fault.Validation("provider", "%q is not a known tracker", name).WithHint("use %s", strings.Join(names, ", "))
}

// Missing returns the names of the credentials of a tracker that a configuration lacks. A secret may also come from a command, or lie
// where the tracker's own tools keep it.
func Missing(k provider.Kind, cfg *config.Config) (keys []string) {
	elsewhere := slices.ContainsFunc(k.Env, func(name string) bool { return os.Getenv(name) != "" }) || k.Program != "" && sibling.Installed(k.Program)
	for _, key := range k.Needs {
		key = "providers." + key
		if !cfg.IsSet(key) && !cfg.IsSet(key+"_command") && !elsewhere {
			keys = append(keys, key)
		}
	}
	return keys
}

// needs returns the error for missing credentials: it names the page where they are made, the rights they need, and a command for each of
// them.
func needs(k provider.Kind, missing []string) error {
	var commands []string
	for _, key := range missing {
		value := " VALUE"
		if strings.HasSuffix(key, "."+k.Secret[strings.LastIndexByte(k.Secret, '.')+1:]) {
			value = " -" // from standard input, to stay out of the shell's history
		}
		commands = append(commands, "`pmsync config set "+key+value+"`")
	}
	return fault.Validation(missing[0], "%s needs %s, which your configuration does not have", k.Title, strings.Join(missing, " and ")).
		WithHint("make a key at %s (%s), then %s; - reads it from standard input, and `providers.%s_command` names a command that prints it",
			k.Page, k.Rights, strings.Join(commands, " and "), k.Secret)
}

// Connected is the result of Connect.
type Connected struct {
	Provider provider.Name      `json:"provider"`
	Part     string             `json:"part,omitempty"`
	Account  *provider.Account  `json:"account,omitempty"`
	File     string             `json:"file,omitempty"`     // the file that was written
	Projects []provider.Project `json:"projects,omitempty"` // to choose from; nothing was written
	States   []string           `json:"states,omitempty"`   // the meaning of its states, a sentence for each category
	Open     []string           `json:"open,omitempty"`     // what the tracker leaves unclear, and the setting for it
	// Proposed are settings that would clear this up, guessed from the words of the states; Left is what they would leave unclear.
	Proposed Proposal `json:"proposed,omitzero"`
	Left     []string `json:"-"`
}

// Proposal holds settings of a project that fill the gaps its tracker leaves.
type Proposal struct {
	CategoryOf []string `json:"category_of,omitempty"`
	StateFor   []string `json:"state_for,omitempty"`

	several []string // the categories that several statuses may mean
}

// Empty reports whether there is nothing to propose.
func (p Proposal) Empty() bool { return len(p.CategoryOf)+len(p.StateFor) == 0 }

// settings are those with a value: a key below provider, and the value as it stands in the project's file.
func (p Proposal) settings() (all [][2]string) {
	if len(p.CategoryOf) > 0 {
		all = append(all, [2]string{"category_of", list(p.CategoryOf)})
	}
	if len(p.StateFor) > 0 {
		all = append(all, [2]string{"state_for", list(p.StateFor)})
	}
	return all
}

// Lines returns the settings as lines of the project's file.
func (p Proposal) Lines() (lines []string) {
	for _, s := range p.settings() {
		lines = append(lines, s[0]+" = "+s[1])
	}
	return lines
}

// list formats a list as it stands in the project's file.
func list(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// Write writes the settings into the project's file.
func (p Proposal) Write(options config.Options) error {
	for _, s := range p.settings() {
		if err := config.SetProject(options, "provider."+s[0], s[1]); err != nil {
			return err
		}
	}
	return nil
}

// nothingUnderWay reports whether no status means in progress.
func nothingUnderWay(all []provider.Status) bool {
	return !slices.ContainsFunc(all, func(s provider.Status) bool { return s.ID != "" && s.Category == provider.InProgress })
}

// propose guesses the meaning of each status from its words where the tracker does not define which ones are in progress, and the status to
// go to where several mean a category. Configured meanings stay. It returns the settings, and the statuses with their meanings under these
// settings.
func propose(all []provider.Status, cfg config.Provider, m provider.Mapping) (p Proposal, then []provider.Status) {
	then = slices.Clone(all)
	doing := names(all, func(s provider.Status) bool { return provider.LikelyCategory(s.Name) == provider.InProgress })
	if len(doing) > 0 && nothingUnderWay(all) {
		for i, s := range then {
			means := provider.LikelyCategory(s.Name)
			if _, configured := m.CategoryOf(s); s.ID == "" || configured || means == s.Category || means == provider.Todo {
				continue
			}
			then[i].Category = means
			if entry := s.Name + "=" + string(means); !slices.Contains(p.CategoryOf, entry) {
				p.CategoryOf = append(p.CategoryOf, entry)
			}
		}
		if len(p.CategoryOf) > 0 {
			p.CategoryOf = append(slices.Clone(cfg.CategoryOf), p.CategoryOf...)
		}
	}
	for _, category := range []provider.Category{provider.Todo, provider.InProgress, provider.Done} {
		if fits := names(then, func(s provider.Status) bool { return s.Category == category }); m.State[category] == "" && len(fits) > 1 {
			p.StateFor = append(p.StateFor, string(category)+"="+likely(category, fits))
			p.several = append(p.several, fmt.Sprintf("%s may mean %s", category, strings.Join(fits, " or ")))
		}
	}
	if len(p.StateFor) > 0 {
		p.StateFor = append(slices.Clone(cfg.StateFor), p.StateFor...)
	}
	return p, then
}

// mostNamed bounds how many of the tracker's projects an error names.
const mostNamed = 10

// withProjects adds the existing projects to an error about a part that does not exist.
func withProjects(ctx context.Context, k provider.Kind, p provider.Provider, part string, err error) error {
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

// unsettled names everything that a tracker leaves unclear, with the setting for it: which statuses are in progress, the status to go to
// where several mean a category and none is configured, and priorities without a configured field.
func unsettled(k provider.Kind, all []provider.Status, cfg config.Provider, m provider.Mapping) (said []string) {
	p, then := propose(all, cfg, m)
	if p.CategoryOf != nil {
		said = append(said, unknownWork(all, p.CategoryOf))
	}
	said = append(said, beyond(k, then, cfg)...)
	if p.several != nil {
		at := len(said)
		if k.PriorityField && cfg.PriorityField == "" {
			at-- // priorities come last
		}
		said = slices.Insert(said, at, fmt.Sprintf("%s: under [provider] in .agit.toml, state_for = %s names the one to go to",
			strings.Join(p.several, ", "), list(p.StateFor)))
	}
	return said
}

// beyond names the gaps that the words of statuses cannot fill: no status that means in progress, and priorities.
func beyond(k provider.Kind, then []provider.Status, cfg config.Provider) (said []string) {
	if statuses := names(then, func(provider.Status) bool { return true }); len(statuses) > 0 && nothingUnderWay(then) {
		said = append(said, unknownWork(then, []string{likely(provider.InProgress, statuses) + "=in_progress"}))
	}
	if k.PriorityField && cfg.PriorityField == "" {
		said = append(said, noPriorities)
	}
	return said
}

// noPriorities is the sentence for a tracker with priorities in a custom field that is not configured.
const noPriorities = "priorities neither come nor go: under [provider] in .agit.toml, priority_field names the custom field that holds them, and priority_of what its options mean"

// unknownWork is the sentence where no status means in progress, with an example.
func unknownWork(all []provider.Status, example []string) string {
	return fmt.Sprintf("what is in progress is not known: under [provider] in .agit.toml, category_of = %s settles it (there are %s; name each that is not to do)",
		list(example), strings.Join(names(all, func(provider.Status) bool { return true }), ", "))
}

// meanings returns for each category a sentence with the statuses that mean it.
func meanings(all []provider.Status) (said []string) {
	for _, category := range []provider.Category{provider.Todo, provider.InProgress, provider.Done, provider.Canceled} {
		if fits := names(all, func(s provider.Status) bool { return s.Category == category }); len(fits) > 0 {
			said = append(said, string(category)+": "+strings.Join(fits, ", "))
		}
	}
	return said
}

// names returns the names of the statuses that fit, each once.
func names(all []provider.Status, fit func(provider.Status) bool) (out []string) {
	for _, s := range all {
		if s.ID != "" && fit(s) && !slices.Contains(out, s.Name) {
			out = append(out, s.Name)
		}
	}
	return out
}

// usual lists words in names of statuses, the likeliest first. A triage status, where others sort new work, is left out: no work is sent
// there.
var usual = map[provider.Category][]string{
	provider.Todo:       {"to do", "todo", "ready", "selected", "next", "open", "new", "backlog"},
	provider.InProgress: {"progress", "doing", "active", "working", "started", "review"},
	provider.Done:       {"done", "complete", "closed", "finished", "resolved", "released"},
}

// likely returns the status whose name fits a category best, for use in an example.
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

// Connect tests the connection with a tracker and writes it into the configuration of the project that options lead to. Credentials come
// from the user's own configuration alone. Without a part it writes nothing and returns the projects that the account can read. More holds
// values of further keys of the configuration.
func (s *Service) Connect(ctx context.Context, k provider.Kind, part string, more map[string]string, options config.Options) (done Connected, err error) {
	done.Provider = k.Name
	cfg, err := config.Load(options)
	if err != nil {
		return done, err
	}
	if missing := Missing(k, cfg); len(missing) > 0 {
		return done, needs(k, missing)
	}
	_, other := provider.KindOf(provider.Name(cfg.Provider.Name))
	other = other && cfg.Provider.Name != string(k.Name)
	if other { // what holds for another tracker means nothing here, or the wrong thing
		cfg.Provider = config.Provider{}
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
		*set = "-" // a client requires one; listing the projects does not use it
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
		return done, withProjects(ctx, k, p, *set, err)
	}
	if err != nil {
		return done, err
	}
	if other {
		if err := config.ClearProject(options, "provider"); err != nil {
			return done, err
		}
	}
	written := map[string]string{"provider.name": string(k.Name)}
	maps.Copy(written, more)
	written[k.Key] = *set
	for _, key := range slices.Sorted(maps.Keys(written)) {
		if err := config.SetProject(options, key, written[key]); err != nil {
			return done, err
		}
	}
	done.Part, done.Account, done.File = *set, &account, config.ProjectFileName
	if statuses, err := p.Statuses(ctx); err == nil { // else the first pull reports the problem
		done.States = meanings(statuses)
		if mapping, err := open.Mapping(cfg.Provider); err == nil {
			done.Open = unsettled(k, statuses, cfg.Provider, mapping)
			var then []provider.Status
			done.Proposed, then = propose(statuses, cfg.Provider, mapping)
			done.Left = beyond(k, then, cfg.Provider)
		}
	}
	return done, nil
}

// origin returns the address that a clone comes from: that of the remote origin, else of the first remote. It is "" without a remote.
func origin(ctx context.Context, folder string) string {
	repo, err := git.Find(folder)
	if err != nil || repo == nil {
		return ""
	}
	config, err := repo.Config()
	if err != nil || config.Remote() == "" {
		return ""
	}
	address, err := repo.Run(ctx, "remote", "get-url", config.Remote()) // respects insteadOf
	if err != nil {
		return ""
	}
	return address
}
