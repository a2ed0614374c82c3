//go:build unix

package agent_test

import (
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// In a registry on a server, two hosts may each have an agent of one name: the second agent is named after its host, and each host's short
// name means its own.
func TestAgentsOfOneNameOnTwoHosts(t *testing.T) {
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: registrytest.NewCluster(t).URL("postgres")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct {
		host, name string
		find       func(*registry.Tx, string) (agent.Agent, error)
		want, on   string
	}{
		{"desk", "ann", agent.Caller, "ann", ""},
		{"desk", "ann", agent.Caller, "ann", ""},
		{"laptop", "ann", agent.Get, "ann", "desk"}, // no other exists
		{"laptop", "ann", agent.Named, "ann", "desk"},
		{"laptop", "ann", agent.Lookup, "ann@laptop", ""},
		{"laptop", "ann", agent.Caller, "ann@laptop", ""},
		{"laptop", "Ann", agent.Caller, "ann@laptop", ""},
		{"laptop", "ann", agent.Get, "ann@laptop", ""},
		{"laptop", "ann", agent.Lookup, "ann@laptop", ""},
		{"desk", "ann", agent.Get, "ann", ""},
		{"desk", "ann@laptop", agent.Get, "ann@laptop", "laptop"},
		{"desk", "ann@laptop", agent.Named, "ann@laptop", "laptop"},
		{"laptop", "bob", agent.Caller, "bob", ""},
		{"desk", "bob", register, "bob@desk", ""},
		{"desk", "bob", register, "bob@desk", ""},
		{"laptop", "bob", register, "bob", ""},
	} {
		t.Setenv(registry.HostVariable, c.host)
		err := db.Write(t.Context(), registry.Named, func(tx *registry.Tx) error {
			a, err := c.find(tx, c.name)
			if err == nil && (a.Name != c.want || a.Elsewhere() != c.on && a.ID != 0) {
				t.Errorf("%s means %q on %q by %q, not %q on %q", c.host, a.Name, a.Elsewhere(), c.name, c.want, c.on)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func register(tx *registry.Tx, name string) (agent.Agent, error) {
	return agent.Register(tx, agent.Registration{Name: name})
}
