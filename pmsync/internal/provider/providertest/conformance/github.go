package conformance

import (
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/github"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakegithub"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// GitHub runs github.Client against a fakegithub.Server.
func GitHub() Harness {
	return Harness{
		World: func(clock *providertest.Clock, skew time.Duration) providertest.World {
			return fakegithub.New(fakegithub.Options{Clock: clock, Skew: skew})
		},
		Client: func(url, secret string, m provider.Mapping, t transport.Options) (provider.Provider, error) {
			return github.New(github.Options{URL: url, Token: secret, Repo: fakegithub.Repo, Mapping: m, Transport: t})
		},
		Mapping:   provider.Mapping{State: map[provider.Category]string{provider.InProgress: "in progress"}},
		Secret:    fakegithub.Token,
		PageSize:  150,
		Quiet:     1,
		Undated:   true,
		Ambiguous: provider.InProgress,
	}
}
