package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/text"
)

// guided reports whether a person can be guided through the connection.
func (o *connectOptions) guided() bool {
	return o.env.Streams.CanAsk() && o.env.Printer().Format() == output.Table
}

// maxTries is how often a refused key is asked for again.
const maxTries = 3

// guide connects a project with a person at the terminal: it asks for missing credentials, tries them before it stores them, and offers
// the tracker's projects. It returns the result of Connect.
func (o *connectOptions) guide(ctx context.Context, st *stores.Stores, k provider.Kind, part string, more map[string]string, options config.Options) (done sync.Connected, err error) {
	given := map[string]string{}
	tried := options
	cfg, err := config.Load(options)
	if err != nil {
		return done, err
	}
	missing := sync.Missing(k, cfg)
	for range maxTries {
		if len(missing) > 0 {
			if err := o.credentials(ctx, k, missing, given); err != nil {
				return done, err
			}
			tried.Env = slices.Clone(options.Env)
			for key, value := range given {
				tried.Env = append(tried.Env, "AGIT_CFG_"+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))+"="+value)
			}
		}
		if done, err = st.Sync.Connect(ctx, k, part, more, tried); err == nil {
			break
		}
		secret := "providers." + k.Secret
		lacks := fault.From(err) != nil && fault.From(err).Field == secret // no program supplies one either
		refused := provider.Is(err, provider.Unauthorized)
		if !lacks && !refused || refused && given[secret] == "" {
			return done, err
		}
		if refused {
			o.env.Streams.Warn("%s", fault.From(err).Message)
		}
		missing = []string{secret}
	}
	if err != nil {
		return done, err
	}
	if done.File == "" {
		if part, err = o.choose(ctx, k, done.Projects, options); err != nil || part == "" {
			return done, err
		}
		if done, err = st.Sync.Connect(ctx, k, part, more, tried); err != nil {
			return done, err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if err := config.Set(options, key, given[key]); err != nil {
			return done, err
		}
	}
	if len(given) > 0 {
		o.env.Streams.Notice("the credentials are kept in your own configuration, not in the project")
	}
	return done, nil
}

// credentials asks for missing credentials, the secret last and without echo.
func (o *connectOptions) credentials(ctx context.Context, k provider.Kind, missing []string, given map[string]string) error {
	s := o.env.Streams
	s.Notice("%s needs a key. Make one at %s (%s).", k.Title, k.Page, k.Rights)
	for _, key := range missing {
		name := strings.TrimPrefix(key, "providers.")
		var value string
		var err error
		if name == k.Secret {
			value, err = s.Secret(ctx, cmp.Or(k.Ask[name], "The key"))
		} else {
			value, err = s.Ask(ctx, cmp.Or(k.Ask[name], name), o.guess(name))
		}
		if err != nil {
			return err
		}
		if value == "" {
			return fault.Validation(key, "nothing was given for %s", key).WithHint("run `pmsync connect %s` again once you have it", k.Name)
		}
		given[key] = value
	}
	return nil
}

// guess returns a likely value for a credential; "" for none.
func (o *connectOptions) guess(name string) string {
	if !strings.HasSuffix(name, ".email") {
		return ""
	}
	if repo, err := git.Find(o.folder()); err == nil {
		if c, err := repo.Config(); err == nil {
			if mail, set := c.Get("user.email"); set {
				return mail
			}
		}
	}
	c, err := git.UserConfig()
	if err != nil {
		return ""
	}
	mail, _ := c.Get("user.email")
	return mail
}

// choose lists the tracker's projects, likeliest first, and asks for one by its number or name. It returns "" when there are none.
func (o *connectOptions) choose(ctx context.Context, k provider.Kind, all []provider.Project, options config.Options) (string, error) {
	s := o.env.Streams
	if len(all) == 0 {
		return "", nil
	}
	all = likeliest(all, filepath.Base(cmp.Or(options.Project, options.Dir)))
	shown := all[:min(len(all), mostShown)]
	for at, p := range shown {
		s.Notice("%3d  %s  %s", at+1, k.NameOf(p), p.Name)
	}
	if len(all) > len(shown) {
		s.Notice("and %s, which can be named too", text.Count(len(all)-len(shown), "other", "others"))
	}
	for range maxTries {
		answer, err := s.Ask(ctx, "Which one does this project belong to?", "1")
		if err != nil {
			return "", err
		}
		if p := chosen(all, len(shown), answer, k); p != "" {
			return p, nil
		}
		s.Warn("%q is none of them", answer)
	}
	return "", fault.Validation("project", "none of the projects was chosen").WithHint("name one by --%s", k.Part)
}

// mostShown bounds how many projects are offered.
const mostShown = 15

// chosen returns the project that an answer names: by its number in the list, its name, key or id.
func chosen(all []provider.Project, shown int, answer string, k provider.Kind) string {
	if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= shown {
		return k.NameOf(all[n-1])
	}
	for _, p := range all {
		if strings.EqualFold(answer, p.Name) || strings.EqualFold(answer, p.Key) || answer == p.ID {
			return k.NameOf(p)
		}
	}
	return ""
}

// likeliest sorts projects by how similar their names are to the folder's.
func likeliest(all []provider.Project, folder string) []provider.Project {
	folder = strings.ToLower(folder)
	rank := func(p provider.Project) int {
		best := 3
		for _, name := range []string{p.Name, p.Key} {
			name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
			switch {
			case name == "":
			case name == folder:
				best = min(best, 1)
			case strings.Contains(name, folder) || strings.Contains(folder, name):
				best = min(best, 2)
			}
		}
		return best
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b provider.Project) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// offerProposal shows settings for what the tracker leaves open, and writes them if the person agrees. They take effect at once, unless
// the file has other settings that wait for trust.
func (o *connectOptions) offerProposal(ctx context.Context, done sync.Connected, options config.Options) error {
	s := o.env.Streams
	if done.Proposed.Empty() {
		return nil
	}
	s.Notice("some of its states have no meaning here yet; these lines in %s set it:", done.File)
	for _, line := range done.Proposed.Lines() {
		s.Notice("  %s", line)
	}
	answer, err := s.Ask(ctx, "Write them?", "Y")
	if err != nil {
		return err
	}
	if !strings.HasPrefix(strings.ToLower(answer), "y") {
		tellOpen(s, done.Open)
		return nil
	}
	files, err := config.ProjectFiles(options)
	if err != nil {
		return err
	}
	waits := slices.ContainsFunc(files, func(f config.ProjectFile) bool { return f.State != config.Trusted && len(f.Needs) > 0 })
	if err := done.Proposed.Write(options); err != nil {
		return err
	}
	if waits || cli.GivenByPerson(o.env) != nil {
		s.Notice("they take effect after `pmsync config trust`, which shows what else the file sets")
	} else {
		if files, err = config.ProjectFiles(options); err == nil {
			err = config.Trust(options, files)
		}
		if err != nil {
			return err
		}
	}
	tellOpen(s, done.Left)
	return nil
}

// tellCounts prints the number of tickets in each status, and the meaning of the status.
func (o *connectOptions) tellCounts(ctx context.Context, st *stores.Stores, c caller.Caller) error {
	counts, err := st.Tickets.ByStatus(ctx, c)
	if err != nil || len(counts) == 0 {
		return err
	}
	words := make([]string, len(counts))
	for i, n := range counts {
		words[i] = fmt.Sprintf("%d %s (%s)", n.Count, n.Status, n.Category)
	}
	o.env.Streams.Notice("there are %s", strings.Join(words, ", "))
	nextStep(o.env, "`pmsync ready` lists what can be begun")
	return nil
}

// offerPull asks whether to fetch the tickets at once.
func (o *connectOptions) offerPull(ctx context.Context, options config.Options) error {
	answer, err := o.env.Streams.Ask(ctx, "Fetch its tickets now?", "Y")
	if err != nil || !strings.HasPrefix(strings.ToLower(answer), "y") {
		return err
	}
	pull := &syncOptions{where: o.where}
	st, c, err := pull.start(ctx)
	if err != nil {
		return err
	}
	// Uses the configuration as it is now, not as it was when the command began.
	st.Sync.Config = func(context.Context, string) (*config.Config, error) { return config.Load(options) }
	if err := pull.with(ctx, st, c, "pull"); err != nil {
		return err
	}
	return o.tellCounts(ctx, st, c)
}
