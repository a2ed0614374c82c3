package conformance

import (
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/azuredevops"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakeazure"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// AzureDevOps runs azuredevops.Client against a fakeazure.Server.
func AzureDevOps() Harness {
	return Harness{
		World: func(clock *providertest.Clock, skew time.Duration) providertest.World {
			return fakeazure.New(fakeazure.Options{Clock: clock, Skew: skew})
		},
		Client: func(url, secret string, m provider.Mapping, t transport.Options) (provider.Provider, error) {
			return azuredevops.New(azuredevops.Options{URL: url, Organization: fakeazure.Organization, Project: fakeazure.Project,
				Token: secret, Mapping: m, Transport: t})
		},
		Mapping:   provider.Mapping{Fields: []string{"Severity"}, State: map[provider.Category]string{provider.InProgress: "Active"}},
		Secret:    fakeazure.Token,
		Estimates: true,
		PageSize:  250,
		Quiet:     2,
		Custom:    provider.FieldValue{Name: "Severity", Value: "Major"},
		Demanding: "Incident",
		Ambiguous: provider.InProgress,
	}
}
