package open

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/asana"
	"github.com/agit-suite/agit/pmsync/internal/provider/azuredevops"
	"github.com/agit-suite/agit/pmsync/internal/provider/github"
	"github.com/agit-suite/agit/pmsync/internal/provider/jira"
	"github.com/agit-suite/agit/pmsync/internal/provider/linear"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
)

// maker makes a tracker's client from a configuration.
type maker func(ctx context.Context, cfg *config.Config, m provider.Mapping, t transport.Options) (provider.Provider, error)

// makers are the makers of all trackers.
var makers = map[provider.Name]maker{
	provider.Linear:      makeLinear,
	provider.Jira:        makeJira,
	provider.Asana:       makeAsana,
	provider.AzureDevOps: makeAzureDevOps,
	provider.GitHub:      makeGitHub,
}

func makeLinear(ctx context.Context, cfg *config.Config, m provider.Mapping, t transport.Options) (provider.Provider, error) {
	own, p := cfg.Providers.Linear, cfg.Provider
	key, err := secret(ctx, "providers.linear.api_key", own.APIKey, own.APIKeyCommand)
	if err != nil {
		return nil, err
	}
	return made(linear.New(linear.Options{URL: own.URL, APIKey: key, Team: p.TeamID, Project: p.ProjectID, Mapping: m, Transport: t}))
}

// makeJira sends the token only to the site that it was made for, not to another site that the project names.
func makeJira(ctx context.Context, cfg *config.Config, m provider.Mapping, t transport.Options) (provider.Provider, error) {
	own, p := cfg.Providers.Jira, cfg.Provider
	if err := sameSite(own.URL, p.URL); err != nil {
		return nil, err
	}
	token, err := secret(ctx, "providers.jira.api_token", own.APIToken, own.APITokenCommand)
	if err != nil {
		return nil, err
	}
	return made(jira.New(jira.Options{URL: own.URL, Email: own.Email, Token: token, Project: p.ProjectKey, Mapping: m, Transport: t}))
}

func makeAsana(ctx context.Context, cfg *config.Config, m provider.Mapping, t transport.Options) (provider.Provider, error) {
	own, p := cfg.Providers.Asana, cfg.Provider
	token, err := secret(ctx, "providers.asana.access_token", own.AccessToken, own.AccessTokenCommand)
	if err != nil {
		return nil, err
	}
	return made(asana.New(asana.Options{URL: own.URL, Token: token, Project: p.ProjectID, StatusField: p.StatusField, PriorityField: p.PriorityField, Mapping: m, Transport: t}))
}

func makeAzureDevOps(ctx context.Context, cfg *config.Config, m provider.Mapping, t transport.Options) (provider.Provider, error) {
	own, p := cfg.Providers.AzureDevOps, cfg.Provider
	if own.Organization == "" {
		return nil, fault.Validation("providers.azure_devops.organization", "the organization that the token is for is missing").
			WithHint("set `providers.azure_devops.organization` in your own configuration, beside the token")
	}
	if p.Organization != "" && !strings.EqualFold(p.Organization, own.Organization) {
		return nil, fault.Validation("provider.organization", "the project is in the organization %q, and the token is for %q; it is not sent elsewhere",
			p.Organization, own.Organization).WithHint("set `providers.azure_devops.organization` and the token that is for it")
	}
	token, err := secret(ctx, "providers.azure_devops.pat", own.PAT, own.PATCommand)
	if err != nil {
		return nil, err
	}
	return made(azuredevops.New(azuredevops.Options{URL: own.URL, Organization: own.Organization, Project: p.Project, Team: p.Team, Token: token, Mapping: m, Transport: t}))
}

func makeGitHub(ctx context.Context, cfg *config.Config, m provider.Mapping, t transport.Options) (provider.Provider, error) {
	own, p := cfg.Providers.GitHub, cfg.Provider
	token, err := secret(ctx, "providers.github.token", own.Token, own.TokenCommand)
	if err == nil && token == "" {
		token, err = githubToken(ctx, github.BaseURL(own.URL))
	}
	if err != nil {
		return nil, err
	}
	return made(github.New(github.Options{URL: own.URL, Token: token, Repo: p.Project, Board: p.Board, StatusField: p.StatusField, PriorityField: p.PriorityField, Mapping: m, Transport: t}))
}
