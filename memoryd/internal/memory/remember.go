package memory

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Booking is the project and the agent of a write.
type Booking struct {
	Place   project.Place
	Agent   string // name or id; "" when no one is named
	Session string // id of a session, or any label of what is noted together; "" is the agent's open session
}

// batch is how many memories one transaction stores: others, hooks among them, wait for it for up to half a second where there are 20,000.
const batch = 50

// Remember stores memories, each for the same project and agent. All are checked before the first is stored. Many are stored in several
// transactions, and storing them again is harmless. With several memories, an error names the faulty one by its position.
func (s *Store) Remember(ctx context.Context, b Booking, list []New) ([]Stored, error) {
	for i, n := range list {
		if _, err := n.check(); err != nil {
			return nil, nth(err, i, len(list))
		}
	}
	var out []Stored
	for start := 0; start < len(list); start += batch {
		some := list[start:min(start+batch, len(list))]
		var stored []Stored
		err := s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
			stored = stored[:0]
			at, err := b.open(tx)
			if err != nil {
				return err
			}
			for i, n := range some {
				if err := at.on(tx, &n); err != nil {
					return nth(err, start+i, len(list))
				}
				one, err := Put(tx, n, s.MaxPerType)
				if err != nil {
					return nth(err, start+i, len(list))
				}
				stored = append(stored, one)
			}
			return nil
		})
		if err != nil {
			return out, err
		}
		out = append(out, stored...)
	}
	return out, nil
}

// nth adds the position of a memory to its error, when there are several.
func nth(err error, i, of int) error {
	f := fault.From(err)
	if of < 2 || f.Kind == fault.KindDatabase {
		return err
	}
	named := *f
	named.Message = fmt.Sprintf("memory %d of %d: %s", i+1, of, f.Message)
	return &named
}

// opened is a Booking resolved in a transaction.
type opened struct {
	project  project.Project
	agent    int64
	session  int64
	sessions map[string]int64 // named by the memories themselves
}

func (b Booking) open(tx *registry.Tx) (o opened, err error) {
	if o.project, err = b.Place.Ensure(tx); err != nil {
		return o, err
	}
	if b.Agent != "" {
		a, err := agent.Caller(tx, b.Agent)
		if err != nil {
			return o, err
		}
		o.agent = a.ID
	}
	o.sessions = map[string]int64{}
	if b.Session != "" {
		return o, nil // every memory has one
	}
	err = tx.QueryRow(`SELECT id FROM sessions WHERE project_id = ? AND status = 'active'
		AND (agent_id = ? OR ? = 0 AND agent_id IS NULL) ORDER BY last_event_at DESC, id DESC LIMIT 1`, o.project.ID, o.agent, o.agent).Scan(&o.session)
	return o, orNone(err)
}

// on sets the session of a memory: the one that it names, else the agent's open one.
func (o *opened) on(tx *registry.Tx, n *New) error {
	n.ProjectID, n.AgentID = o.project.ID, o.agent
	if n.Thread == "" {
		n.SessionID = o.session
		return nil
	}
	id, known := o.sessions[n.Thread]
	if !known {
		row := tx.QueryRow(`SELECT id FROM sessions WHERE ref = ? AND project_id = ?`, text.Key(strings.TrimSpace(n.Thread)), o.project.ID)
		if err := orNone(row.Scan(&id)); err != nil {
			return err
		}
		o.sessions[n.Thread] = id
	}
	if id != 0 {
		n.SessionID, n.Thread = id, ""
	}
	return nil
}

// longestPause is the longest time between two memories of one part of a conversation.
const longestPause = time.Hour

// Conversation groups the memories that one client stores while it is connected without an open session. Memories noted within an hour of
// each other are each other's context, like those of a session. The zero value is ready; it is safe for concurrent use.
type Conversation struct {
	mu   sync.Mutex
	id   string
	part int
	last time.Time
}

// At returns the part of the conversation for a memory noted at that time, for New.Conversation. A pause of more than an hour, forwards or
// backwards, begins another part: turns of old talks are stored with their original times.
func (c *Conversation) At(noted time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.id == "" {
		c.id = registry.NewID("")
	}
	if c.part == 0 || noted.Sub(c.last).Abs() > longestPause {
		c.part++
	}
	c.last = noted
	return c.id + "." + strconv.Itoa(c.part)
}
