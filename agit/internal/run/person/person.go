// Package person decides whether a caller is a person. Some actions are for people only, such as answering an agent's question or
// sending an agent a message. It reads which processes agents run in and writes nothing.
package person

import (
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Caller is a process that requests an action for people only.
type Caller struct {
	// By names a caller that is known not to be a person, such as "agent ann"; "" otherwise.
	By string
	// Ancestors are the process and its ancestors, itself first.
	Ancestors []int64
}

// Must refuses all callers but people: an agent that could act as a person could get around its own permissions. deed is what only a person
// may do to the entity, such as "answer the question q-1".
func (c Caller) Must(tx *registry.Tx, kind, id, deed string) error {
	by, err := c.Not(tx)
	if err != nil || by == "" {
		return err
	}
	return fault.Conflict(kind, id, "only a person may %s, and %s may not", deed, by).WithHint("run it in a shell of your own, without AGIT_AGENT")
}

// Not returns a description of a caller that is not a person, for a sentence that continues with "may not"; "" for a person.
func (c Caller) Not(tx *registry.Tx) (string, error) {
	if c.By != "" || len(c.Ancestors) == 0 {
		return c.By, nil
	}
	type process struct{ pid, child int64 }
	running, err := registry.Collect(tx, func(row registry.Scanner) (p process, err error) { return p, row.Scan(&p.pid, &p.child) },
		`SELECT pid, child_pid FROM attempts WHERE state = 'running' AND host = ?`, registry.Host())
	if err != nil {
		return "", err
	}
	for _, p := range running {
		for _, ancestor := range c.Ancestors {
			if ancestor == p.child && p.child > 0 || ancestor == p.pid {
				return "a process that an agent started", nil
			}
		}
	}
	return "", nil
}
