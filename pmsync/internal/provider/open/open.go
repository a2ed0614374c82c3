// Package open makes the configured provider, and ensures that a secret is sent only to its own host.
package open

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/github"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// Local stands for no tracker: the project's tickets exist only here.
const Local = "local"

// Provider returns the configured provider. It runs the command that prints the secret, if one is configured, and sends nothing. A
// project without a tracker is a ValidationError.
func Provider(ctx context.Context, cfg *config.Config, t transport.Options) (provider.Provider, error) {
	m, err := Mapping(cfg.Provider)
	if err != nil {
		return nil, err
	}
	if make := makers[provider.Name(cfg.Provider.Name)]; make != nil {
		return make(ctx, cfg, m, t)
	}
	return nil, fault.Validation("provider.name", "this project has no tracker").WithHint("run `pmsync connect` to choose one")
}

// FromOrigin returns the tracker's project of a clone, by the address of its remote; "" for none. The address is read only when needed.
func FromOrigin(n provider.Name, cfg *config.Config, address func() string) string {
	if n != provider.GitHub { // its projects are repositories
		return ""
	}
	return github.RepositoryAt(address(), cfg.Providers.GitHub.URL)
}

// made converts a nil client to a nil Provider.
func made[P provider.Provider](p P, err error) (provider.Provider, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

// secret returns the configured secret, or the output of the configured command. The secret itself takes precedence, because it may
// come from the environment.
func secret(ctx context.Context, key string, value config.Secret, command string) (string, error) {
	if value != "" || command == "" {
		return value.Reveal(), nil
	}
	return sibling.Secret(ctx, key+"_command", command)
}

// sameSite returns an error when the project names another site than the one of the token.
func sameSite(own, projects string) error {
	if projects == "" {
		return nil
	}
	if own == "" {
		return fault.Validation("providers.jira.url", "the site that the Jira token is for is missing; the project's `provider.url` alone does not get it").
			WithHint("set `providers.jira.url` in your own configuration, beside the token")
	}
	a, errA := url.Parse(own)
	b, errB := url.Parse(projects)
	if errA != nil || errB != nil || !strings.EqualFold(a.Host, b.Host) || a.Scheme != b.Scheme {
		return fault.Validation("provider.url", "the project is at %q, and the Jira token is for %q; it is not sent elsewhere", projects, own).
			WithHint("set `providers.jira.url` and the token that is for it")
	}
	return nil
}

// Mapping returns the configured meanings of states and priorities.
func Mapping(p config.Provider) (provider.Mapping, error) {
	m := provider.Mapping{Category: map[string]provider.Category{}, State: map[provider.Category]string{}, Priority: map[string]int{}, Fields: p.Fields}
	for _, entry := range p.CategoryOf {
		state, word, ok := cutLast(entry)
		category, known := provider.ParseCategory(word)
		if !ok || !known {
			return m, fault.Validation("provider.category_of", "%q must be like \"In Review=in_progress\"; the categories are todo, in_progress, done and canceled", entry)
		}
		m.Category[state] = category
	}
	for _, entry := range p.StateFor {
		word, state, ok := strings.Cut(entry, "=")
		category, known := provider.ParseCategory(word)
		if state = strings.TrimSpace(state); !ok || !known || state == "" {
			return m, fault.Validation("provider.state_for", "%q must be like \"in_progress=In Progress\"; the categories are todo, in_progress, done and canceled", entry)
		}
		m.State[category] = state
	}
	for _, entry := range p.PriorityOf {
		name, text, ok := cutLast(entry)
		n, err := strconv.Atoi(text)
		if !ok || err != nil || n < 0 || n > 4 {
			return m, fault.Validation("provider.priority_of", "%q must be like \"Blocker=4\": 0 none, 1 low, 2 medium, 3 high, 4 urgent", entry)
		}
		m.Priority[name] = n
	}
	return m, nil
}

// cutLast splits at the last equals sign, because names of states may contain one.
func cutLast(entry string) (name, value string, ok bool) {
	at := strings.LastIndexByte(entry, '=')
	if at < 0 {
		return "", "", false
	}
	name, value = strings.TrimSpace(entry[:at]), strings.TrimSpace(entry[at+1:])
	return name, value, name != "" && value != ""
}
