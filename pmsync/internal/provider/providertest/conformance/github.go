package conformance

import (
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/github"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakegithub"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// GitHubBoard runs github.Client with a project that holds states, priorities, points and iterations.
func GitHubBoard() Harness {
	h := GitHub()
	h.World = func(clock *providertest.Clock, skew time.Duration) providertest.World {
		return fakegithub.New(fakegithub.Options{Clock: clock, Skew: skew, Board: true})
	}
	h.Client = func(url, secret string, m provider.Mapping, t transport.Options) (provider.Provider, error) {
		return github.New(github.Options{URL: url, Token: secret, Repo: fakegithub.Repo, Board: fakegithub.Board, Mapping: m, Transport: t})
	}
	h.Mapping = provider.Mapping{State: map[provider.Category]string{provider.InProgress: "In Progress"}}
	h.Quiet, h.Estimates, h.Keys = 2, true, []string{"provider.board"}
	return h
}

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
