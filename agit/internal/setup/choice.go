package setup

import (
	"reflect"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// choice is a person's choice of servers for one client, in a project or in the user's own configuration. Later runs keep it.
type choice struct {
	Servers []string `json:"servers,omitempty"` // when empty, all that are installed
	None    bool     `json:"none,omitempty"`    // no server at all
}

// AllServers is the value of Options.Servers that takes an earlier choice back.
const AllServers = "all"

// checkServers refuses a choice of servers that no one can mean.
func (o *Options) checkServers() error {
	for _, name := range o.Servers {
		if !slices.Contains(Servers, name) && (name != AllServers || len(o.Servers) > 1) {
			return fault.Validation("servers", "%q is not a server of the suite", name).WithHint("they are %s; %s alone is all of them", strings.Join(Servers, ", "), AllServers)
		}
	}
	return nil
}

// chosenServers returns the servers of a client that this run is about: those of its options, else those of the client's earlier choice. A
// removal does not go by an earlier choice.
func (s *Setup) chosenServers(r *recipe) choice {
	o := s.Options
	all := slices.Equal(o.Servers, []string{AllServers})
	switch {
	case o.NoServers:
		return choice{None: true}
	case all && o.Remove:
		return choice{Servers: Servers} // and nothing but servers
	case all:
		return choice{}
	case len(o.Servers) > 0 || o.Remove:
		return choice{Servers: o.Servers}
	}
	return s.records.Choices[s.choiceKey(r)]
}

// choiceKey names the place that a client's choice holds for.
func (s *Setup) choiceKey(r *recipe) string {
	return string(s.Options.Scope) + " " + r.Name + " " + s.root
}

// keepChoices records the choice for each client of this run, and reports whether any differs from the one before. A removal of
// everything forgets them.
func (s *Setup) keepChoices() (changed bool) {
	if s.Options.Remove && len(s.Options.Servers) > 0 {
		return false
	}
	for _, r := range s.chosen {
		c := choice{}
		if !s.Options.Remove {
			c = s.chosenServers(r)
		}
		changed = s.records.keep(s.choiceKey(r), c) || changed
	}
	return changed
}

// keep records a choice, and reports whether it differs from the one before.
func (m *manifest) keep(key string, c choice) (changed bool) {
	if reflect.DeepEqual(m.Choices[key], c) {
		return false
	}
	if c.None || len(c.Servers) > 0 {
		if m.Choices == nil {
			m.Choices = map[string]choice{}
		}
		m.Choices[key] = c
	} else {
		delete(m.Choices, key)
	}
	return true
}
