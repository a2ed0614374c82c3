// Package open makes the provider that the configuration names, and sees to it that
// a secret goes only to the host it was given for.
package open

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// Local is the name of no tracker: a project whose tickets are here alone.
const Local = "local"

// Provider makes the configured provider. It runs the command that prints the
// secret, if the configuration has one, and sends nothing. A project without a
// tracker is a ValidationError.
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

// FromOrigin is the tracker's project that a clone belongs to, by the address that it comes
// from; "" for none. The address is asked for where it matters alone.
func FromOrigin(n provider.Name, cfg *config.Config, address func() string) string {
	at := origins[n]
	if at == nil {
		return ""
	}
	return at(cfg, address())
}

// made keeps a client that is nil from being a provider that is not.
func made[P provider.Provider](p P, err error) (provider.Provider, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

// secret is the configured secret, or what the command prints. The secret itself
// wins: it may come from the environment.
func secret(ctx context.Context, key string, value config.Secret, command string) (string, error) {
	if value != "" || command == "" {
		return value.Reveal(), nil
	}
	return sibling.Secret(ctx, key+"_command", command)
}

// sameSite reports an error where the project names another site than the one the
// token was given for.
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

// Mapping reads what the configuration says where the tracker leaves it open.
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

// cutLast cuts at the last equals sign: names of states may hold one.
func cutLast(entry string) (name, value string, ok bool) {
	at := strings.LastIndexByte(entry, '=')
	if at < 0 {
		return "", "", false
	}
	name, value = strings.TrimSpace(entry[:at]), strings.TrimSpace(entry[at+1:])
	return name, value, name != "" && value != ""
}
