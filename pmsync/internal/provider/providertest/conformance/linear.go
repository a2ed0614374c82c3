package conformance

import (
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/linear"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakelinear"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// Linear runs linear.Client against a fakelinear.Server.
func Linear() Harness {
	return Harness{
		World: func(clock *providertest.Clock, skew time.Duration) providertest.World {
			return fakelinear.New(fakelinear.Options{Clock: clock, Skew: skew})
		},
		Client: func(url, secret string, m provider.Mapping, t transport.Options) (provider.Provider, error) {
			return linear.New(linear.Options{URL: url, APIKey: secret, Team: fakelinear.TeamKey, Mapping: m, Transport: t})
		},
		Mapping: provider.Mapping{State: map[provider.Category]string{
			provider.InProgress: "In Progress", provider.Todo: "Todo", provider.Canceled: "Canceled"}},
		Secret:    fakelinear.Key,
		Estimates: true,
		PageSize:  150,
		Quiet:     1,
		Ambiguous: provider.InProgress,
	}
}
