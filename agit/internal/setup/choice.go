package setup

import (
	"reflect"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// choice is a person's choice of servers, for a project or for the user's own configuration. Later runs keep it.
type choice struct {
	Servers []string `json:"servers,omitempty"` // none are all that are installed
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

// chosenServers returns the servers that this run is about: those of its options, else of the choice before, which removal does not go by.
func (s *Setup) chosenServers() choice {
	o := s.Options
	switch {
	case o.NoServers:
		return choice{None: true}
	case len(o.Servers) == 1 && o.Servers[0] == AllServers:
		return choice{}
	case len(o.Servers) > 0 || o.Remove:
		return choice{Servers: slices.Clone(o.Servers)}
	}
	return s.records.Choices[s.choiceKey()]
}

// choiceKey names the place that a choice counts for.
func (s *Setup) choiceKey() string { return string(s.Options.Scope) + " " + s.root }

// keepChoice records the choice of this run, and reports whether it is another one than before. Removal of everything forgets it.
func (s *Setup) keepChoice() (changed bool) {
	if !s.Options.Remove {
		return s.records.keep(s.choiceKey(), s.choice)
	}
	return len(s.Options.Servers) == 0 && s.records.keep(s.choiceKey(), choice{})
}

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
