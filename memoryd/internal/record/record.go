// Package record keeps what agents have earned and done: score points, experience and communication scores, the commits, grades,
// retrospectives and activities behind them, and who is halted. docs/scores.md has the rules.
//
// It alone writes agent_scores, score_events, commits, grades, retrospectives and activities; others read them through it or the view
// halted_agents. Writes for a command are stored when the call returns. A server puts a Buffer in front, which collects tracking writes for
// up to five seconds. A Store and a Buffer are safe for concurrent use.
//
// score.go has the rules of points, scores.go the status of an agent. Points are earned in commit.go (with look_up.go), grading.go,
// scores.go (of bugs and uses) and retrospective.go. journal.go has the activities and lists all records, files.go writes them for other tools.
// buffer.go and buffer_write.go are the Buffer.
//
// It must not decide who may act: a score halts an agent only as docs/scores.md says.
package record

import (
	"context"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// By is the agent and project of a write.
type By struct {
	Agent string        // name or id
	Place project.Place // the zero value where a write needs no project
	Scope string        // "" is the agent's type
}

// booked is By resolved to rows.
type booked struct {
	agent   agent.Agent
	project project.Project
	scope   string
}

// Booking names the agent and project of a write, in its answer.
type Booking struct {
	Project string `json:"project,omitempty"`
	Agent   string `json:"agent"`
}

func (to booked) booking() Booking { return Booking{Project: to.project.UID, Agent: to.agent.Name} }

// Store keeps the records in one registry.
type Store struct{ DB *registry.DB }

// check refuses a By that cannot be resolved, before anything is read.
func (b By) check() error {
	if b.Agent == "" {
		return fault.Validation("agent", "no agent is named").
			WithHint("give NAME or --agent (over MCP agent_id), or set AGIT_AGENT")
	}
	if b.Scope != "" {
		if _, err := text.Name("scope", b.Scope); err != nil {
			return err
		}
	}
	return nil
}

// anywhere reports whether a write names no project.
func (b By) anywhere() bool { return b.Place.At == nil && b.Place.Named == "" }

// book returns the rows for a write and counts as a heartbeat of the agent: an unknown name is registered, an unknown id is a NotFound
// fault.
func (b By) book(tx *registry.Tx) (booked, error) {
	return b.resolve(tx, agent.Caller, project.Place.Ensure)
}

// find is book without changing anything; it returns a NotFound fault where book would create a row.
func (b By) find(tx *registry.Tx) (booked, error) {
	return b.resolve(tx, agent.Get, project.Place.Find)
}

func (b By) resolve(
	tx *registry.Tx, who func(*registry.Tx, string) (agent.Agent, error), where func(project.Place, *registry.Tx) (project.Project, error),
) (to booked, err error) {
	if to.agent, err = who(tx, b.Agent); err != nil {
		return to, err
	}
	if !b.anywhere() {
		if to.project, err = where(b.Place, tx); err != nil {
			return to, err
		}
	}
	return to.scoped(b.Scope), nil
}

func (to booked) scoped(scope string) booked {
	if to.scope = redact.Stored(scope); scope == "" {
		to.scope = to.agent.Type
	}
	return to
}

// write checks and books a write, and runs it in one transaction.
func (s *Store) write(ctx context.Context, b By, fn func(*registry.Tx, booked) error) error {
	if err := b.check(); err != nil {
		return err
	}
	return s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		to, err := b.book(tx)
		if err != nil {
			return err
		}
		return fn(tx, to)
	})
}

// redacted are the kinds of the secrets that were removed from texts.
type redacted []string

// said lists the kinds, "" for none.
func (r redacted) said() string { return redact.Kinds(r) }

// texts checks texts of several lines under their parameters' names, trims them and removes secrets.
func (r *redacted) texts(fields map[string]*string) error {
	for field, s := range fields {
		clean, err := text.Verbatim(field, *s)
		if err != nil {
			return err
		}
		var kinds []string
		*s, kinds = redact.Text(clean)
		*r = append(*r, kinds...)
	}
	return nil
}
