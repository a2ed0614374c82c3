// Package person decides whether a caller is a person: some things only a person may do, such as answering what an agent asks, or
// telling an agent what to do. It reads which processes agents run in and writes nothing.
package person

import "github.com/agit-suite/agit/shared/registry"

// Caller is a process that asks for something that only a person may do.
type Caller struct {
	// By is the reason why it is known not to be a person, such as "agent ann"; "" for none.
	By string
	// Ancestors are the processes that it descends from, its own first.
	Ancestors []int64
}

// Not names what the caller is instead of a person, for a sentence that goes on with "may not"; "" for a person.
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
