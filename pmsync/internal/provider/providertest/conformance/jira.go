package conformance

import (
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/jira"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakejira"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// Jira runs jira.Client against a fakejira.Server.
func Jira() Harness {
	return Harness{
		World: func(clock *providertest.Clock, skew time.Duration) providertest.World {
			return fakejira.New(fakejira.Options{Clock: clock, Skew: skew})
		},
		Client: func(url, secret string, m provider.Mapping, t transport.Options) (provider.Provider, error) {
			return jira.New(jira.Options{URL: url, Email: fakejira.Email, Token: secret, Project: fakejira.Key, Mapping: m, Transport: t})
		},
		Mapping: provider.Mapping{
			Fields:   []string{"Severity"},
			Category: map[string]provider.Category{"Won't Do": provider.Canceled},
			State:    map[provider.Category]string{provider.InProgress: "In Progress"},
		},
		Secret:    fakejira.Token,
		Estimates: true,
		PageSize:  100,
		Quiet:     2, // the search, and the versions, which do not say when they changed
		Custom:    provider.FieldValue{Name: "Severity", Value: "Major"},
		Demanding: fakejira.Incident,
		Ambiguous: provider.InProgress,
	}
}
