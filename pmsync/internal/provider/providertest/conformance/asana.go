package conformance

import (
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/asana"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakeasana"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// Asana runs asana.Client against a fakeasana.Server.
func Asana() Harness {
	return Harness{
		World: func(clock *providertest.Clock, skew time.Duration) providertest.World {
			return fakeasana.New(fakeasana.Options{Clock: clock, Skew: skew})
		},
		Client: func(url, secret string, m provider.Mapping, t transport.Options) (provider.Provider, error) {
			return asana.New(asana.Options{URL: url + fakeasana.Path, Token: secret, Project: fakeasana.Project,
				PriorityField: fakeasana.PriorityField, Mapping: m, Transport: t})
		},
		Mapping: provider.Mapping{
			Fields: []string{fakeasana.StageField},
			Category: map[string]provider.Category{"To do": provider.Todo, "Doing": provider.InProgress, "In review": provider.InProgress,
				"Done": provider.Done, "Won't do": provider.Canceled},
			State:    map[provider.Category]string{provider.InProgress: "Doing"},
			Priority: map[string]int{"Low": 1, "Medium": 2, "High": 3, "Urgent": 4},
		},
		Secret:    fakeasana.Token,
		PageSize:  150,
		Quiet:     2,
		Custom:    provider.FieldValue{Name: fakeasana.StageField, Value: "Building"},
		Ambiguous: provider.InProgress,
	}
}
