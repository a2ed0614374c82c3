// Package agent keeps the agents: registration, heartbeat, sweep and removal. Every part of the suite shares these rows; this package alone
// writes `agents` and `agent_capabilities`. Its functions take a transaction and so are safe for concurrent use.
package agent

import (
	"cmp"
	"strings"

	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Statuses of an agent. Registering and heartbeats make it active, releasing its
// last claim idle, only the sweep disconnected, and any call revives it.
const (
	StatusActive       = "active"
	StatusIdle         = "idle"
	StatusDisconnected = "disconnected"
)

// TypeCustom is the type of an agent that named none.
const TypeCustom = "custom"

// Agent is one row of agents.
type Agent struct {
	ID           int64          `json:"-"`
	UID          string         `json:"id"`
	Name         string         `json:"name"`
	Type         string         `json:"type"`
	Status       string         `json:"status"`
	Epoch        int64          `json:"-"`
	RegisteredAt timestamp.Time `json:"registered_at"`
	LastSeen     timestamp.Time `json:"last_seen"`
	Capabilities []string       `json:"capabilities,omitempty"`
	Host         string         `json:"-"` // the host that it registered on; empty when not known
	Joined       bool           `json:"-"` // this transaction registered it, so that nothing is its own yet
}

// Elsewhere is the host of an agent that registered on another host; empty for an agent of this one.
func (a Agent) Elsewhere() string {
	if a.Host == registry.Host() {
		return ""
	}
	return a.Host
}

// Columns and Scan let owners of other tables join agents in their reads.
const Columns = `agents.id, agents.uid, agents.name, agents.type, agents.status, agents.epoch, agents.registered_at, agents.last_seen_at, agents.host`

// Scan reads Columns.
func Scan(row registry.Scanner) (Agent, error) { return scanWith(row) }

func scanWith(row registry.Scanner, more ...any) (a Agent, err error) {
	err = row.Scan(append([]any{&a.ID, &a.UID, &a.Name, &a.Type, &a.Status, &a.Epoch, &a.RegisteredAt, &a.LastSeen, &a.Host}, more...)...)
	return a, err
}

// Registration is what an agent registers about itself.
type Registration struct {
	Name         string
	Type         string   // TypeCustom when empty
	Capabilities []string // nil keeps what is known
}

// Register adds an agent or revives the one of that name (names are compared
// without case), which keeps its id. It counts as a heartbeat.
func Register(tx *registry.Tx, r Registration) (Agent, error) {
	name, err := r.name()
	if err != nil {
		return Agent{}, err
	}
	kind, err := text.Name("type", cmp.Or(r.Type, TypeCustom))
	if err != nil {
		return Agent{}, err
	}
	if tx.OnServer() {
		if known, err := get(tx, name); err != nil {
			return Agent{}, err
		} else if known.ID != 0 {
			if isOfAnother(known, name) {
				name = hostsOwn(name)
			} else {
				name = known.Name
			}
		}
	}
	return add(tx, name, kind, r.Capabilities)
}

// name returns the name to register, and refuses one that cannot be used.
func (r Registration) name() (string, error) {
	name, err := text.Name("name", r.Name)
	if err == nil && looksLikeID(name) {
		err = fault.Validation("name", "agent name %q has the form of an agent id", name).WithHint("choose another name")
	}
	return name, err
}

// add is Register under a name that is settled.
func add(tx *registry.Tx, name, kind string, able []string) (Agent, error) {
	a, err := Scan(tx.QueryRow(`INSERT INTO agents (uid, name, name_key, type, host, registered_at, last_seen_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name_key) DO UPDATE SET
		  type = CASE WHEN excluded.type = '`+TypeCustom+`' THEN agents.type ELSE excluded.type END,
		  status = '`+StatusActive+`', epoch = agents.epoch + 1, host = excluded.host,
		  last_seen_at = excluded.last_seen_at, removed_at = NULL
		RETURNING `+bare(Columns),
		registry.NewID("a-"), name, text.Key(name), kind, registry.Host(), tx.Stamp(), tx.Stamp()))
	if err != nil {
		return Agent{}, err
	}
	tx.Changed(registry.TopicAgents, 0, a.UID)
	if able != nil {
		if err := setCapabilities(tx, a.ID, able); err != nil {
			return Agent{}, err
		}
	} else if a.Capabilities = []string{}; a.Epoch == firstEpoch { // a new one has none yet
		return a, nil
	}
	a.Capabilities, err = capabilities(tx, a.ID)
	return a, err
}

// firstEpoch is that of an agent whose row was just made.
const firstEpoch = 1

// bare drops the table from column names, as RETURNING wants them.
func bare(columns string) string { return strings.ReplaceAll(columns, "agents.", "") }

func setCapabilities(tx *registry.Tx, id int64, list []string) error {
	if err := tx.Do(`DELETE FROM agent_capabilities WHERE agent_id = ?`, id); err != nil {
		return err
	}
	for _, c := range list {
		c, err := text.Name("capabilities", c)
		if err != nil {
			return err
		}
		if err := tx.Do(`INSERT INTO agent_capabilities (agent_id, capability) VALUES (?, ?) ON CONFLICT DO NOTHING`, id, c); err != nil {
			return err
		}
	}
	return nil
}

func capabilities(tx *registry.Tx, id int64) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `SELECT capability FROM agent_capabilities WHERE agent_id = ? ORDER BY capability`, id)
}

// some returns the agents that a condition selects, each with its capabilities, in one statement; order has to keep an agent's rows
// together.
func some(tx *registry.Tx, condition, order string, args ...any) (all []Agent, err error) {
	_, err = registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
		var capability registry.Null[string]
		a, err := scanWith(row, &capability)
		if err != nil {
			return none, err
		}
		if len(all) == 0 || all[len(all)-1].ID != a.ID {
			a.Capabilities = []string{}
			all = append(all, a)
		}
		if of := &all[len(all)-1]; capability.Valid {
			of.Capabilities = append(of.Capabilities, capability.V)
		}
		return none, nil
	}, `SELECT `+Columns+`, c.capability FROM agents LEFT JOIN agent_capabilities c ON c.agent_id = agents.id
		WHERE agents.removed_at IS NULL AND `+condition+` ORDER BY `+order+`c.capability`, args...)
	return all, err
}

// Get finds an agent by id or name, or by the handle of its client's conversation (seat.Handle), without counting as a heartbeat. In a
// registry on a server, this host's own agent of a name comes before another host's.
func Get(tx *registry.Tx, nameOrID string) (Agent, error) {
	a, err := find(tx, nameOrID)
	if err == nil && a.ID == 0 {
		err = unknown(tx, nameOrID)
	}
	return a, err
}

// find is Get that returns the zero Agent where there is none.
func find(tx *registry.Tx, nameOrID string) (Agent, error) {
	a, err := get(tx, nameOrID)
	if err != nil || a.ID != 0 {
		return a, err
	}
	name, err := seat.Handled(tx, nameOrID)
	if err != nil || name == "" {
		return Agent{}, err
	}
	return get(tx, name)
}

// get finds an agent by id or name; the zero Agent where there is none.
func get(tx *registry.Tx, nameOrID string) (Agent, error) {
	column := "name_key"
	if looksLikeID(nameOrID) {
		column = "uid"
	}
	keys, order := []any{text.Key(nameOrID)}, ``
	if tx.OnServer() && column == "name_key" { // each host may have an agent of that name
		keys, order = append(keys, text.Key(hostsOwn(nameOrID))), `LENGTH(agents.name_key) DESC, `
	}
	found, err := some(tx, `agents.`+column+` IN (?`+strings.Repeat(`, ?`, len(keys)-1)+`)`, order, keys...)
	if err != nil || len(found) == 0 {
		return Agent{}, err
	}
	return found[0], nil
}

// Candidates returns a condition on agents: it selects those that Get can find by a name or id, apart from names of clients' conversations.
func Candidates(nameOrID string) (where string, args []any) {
	return `(agents.uid = ? OR agents.name_key IN (?, ?))`, []any{text.Key(nameOrID), text.Key(nameOrID), text.Key(hostsOwn(nameOrID))}
}

// hostsOwn returns NAME@HOST, the name of an agent of this host when another host's agent has the short name.
func hostsOwn(name string) string { return name + "@" + registry.Host() }

// isOfAnother reports whether an agent that was found by a short name belongs to another host.
func isOfAnother(a Agent, name string) bool {
	return a.Elsewhere() != "" && !looksLikeID(name) && !strings.Contains(name, "@")
}

// NameOf returns the name of the agent with a row id, even if the agent was removed.
func NameOf(tx *registry.Tx, id int64) (string, error) {
	return registry.One[string](tx.QueryRow(`SELECT name FROM agents WHERE id = ?`, id))
}

func unknown(tx *registry.Tx, nameOrID string) error {
	f := fault.NotFound("agent", nameOrID)
	names, err := names(tx, nameOrID)
	if err != nil {
		return err
	}
	if near := text.Nearest(nameOrID, names); near != "" {
		return f.WithHint("did you mean %q?", near)
	}
	return f.WithHint("`agit agents` lists the registered ones")
}

// names returns the names of the 1000 agents seen last, without one.
func names(tx *registry.Tx, without string) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `SELECT name FROM agents WHERE removed_at IS NULL AND name_key <> ? ORDER BY last_seen_at DESC LIMIT 1000`, text.Key(without))
}

// List returns every registered agent by name, with capabilities.
func List(tx *registry.Tx) ([]Agent, error) {
	all, err := some(tx, `1 = 1`, `agents.name_key, `)
	if all == nil {
		all = []Agent{}
	}
	return all, err
}

// looksLikeID reports whether s has the form of a generated agent id.
func looksLikeID(s string) bool {
	rest, ok := strings.CutPrefix(text.Key(s), "a-")
	return ok && len(rest) == 10 && !strings.ContainsFunc(rest, func(r rune) bool {
		return !strings.ContainsRune("0123456789abcdefghjkmnpqrstvwxyz", r)
	})
}
