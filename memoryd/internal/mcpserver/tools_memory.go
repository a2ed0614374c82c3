package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/reference"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// memoryTools registers the tools of long-term memory.
var memoryTools = []func(*service){addMemoryStore, addMemoryRecall, addMemoryUpdate, addMemoryForget, addMemoryDecay}

// cited is a place in the code as a tool takes it. It reads itself, so that the
// schema of every tool that takes some need not spell it out.
type cited memory.Citation

func (c *cited) UnmarshalJSON(raw []byte) error {
	var given struct {
		Path    string `json:"path"`
		Line    int    `json:"line"`
		Snippet string `json:"snippet"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&given); err != nil {
		return fault.Validation("citations", "a citation is not an object with path, line and snippet").WithHint(`give {"path": "src/a.go", "line": 12}`)
	}
	*c = cited{Path: given.Path, Line: given.Line, Snippet: given.Snippet}
	return nil
}

// citations looks where places point in the project's folder, and says what is not
// there.
func (s *service) citations(ctx context.Context, c *mcpkit.Call, project string, given []cited) (_ []memory.Citation, warnings []string) {
	if len(given) == 0 {
		return nil, nil
	}
	list := make([]memory.Citation, len(given))
	for i, g := range given {
		list[i] = memory.Citation(g)
	}
	place, err := s.Desk.Place(ctx, c, project)
	if err != nil {
		return list, nil // whoever stores them says so
	}
	return list, memory.Standing(ctx, s.repository(ctx, c, place, project), list)
}

// named are the places in the project's folder that a text names.
func (s *service) named(ctx context.Context, c *mcpkit.Call, project, says string) []memory.Citation {
	if !reference.MayHold([]byte(says)) {
		return nil // most texts, for which no folder has to be found
	}
	place, err := s.Desk.Place(ctx, c, project)
	if err != nil {
		return nil // whoever stores it says so
	}
	return memory.Named(ctx, s.repository(ctx, c, place, project), says)[0]
}

// projectOf is the project that a call reads or changes; one that has nothing is
// a NotFound fault.
func (s *service) projectOf(ctx context.Context, c *mcpkit.Call, given string) (p project.Project, err error) {
	place, err := s.Desk.Place(ctx, c, given)
	if err != nil {
		return p, err
	}
	err = s.stores.DB.Read(ctx, func(tx *registry.Tx) error {
		p, err = place.Find(tx)
		return err
	})
	return p, err
}

// target names one memory and books the call on its agent.
func (s *service) target(ctx context.Context, c *mcpkit.Call, given, key, kind string) (t memory.Target, err error) {
	p, err := s.projectOf(ctx, c, given)
	if err != nil {
		return t, err
	}
	t = memory.Target{ProjectID: p.ID, Key: key, Type: kind}
	t.Agent, err = s.Desk.Caller(c, "", "")
	return t, err
}

// memoryStored says what a write did, without what the caller has just said.
type memoryStored struct {
	Outcome    string           `json:"outcome" wire:"-"`
	ID         string           `json:"id" wire:"-"`
	Type       string           `json:"memory_type" wire:"-"`
	Key        string           `json:"key" wire:"-"`
	Version    int              `json:"version" wire:"-"`
	Importance int              `json:"importance" wire:"-"`
	Similar    []memory.Similar `json:"similar,omitempty" wire:"-"`
	Redacted   []string         `json:"redacted,omitempty" wire:"-"`
	Displaced  []memory.Brief   `json:"displaced,omitempty" wire:"-"`
	Warnings   []string         `json:"warnings,omitempty" wire:"-"`
	BookedOn   booking.Booking  `json:"booked_on" wire:"-"`
}

func (s *service) stored(ctx context.Context, c *mcpkit.Call, agent string, done memory.Stored, warnings []string) memoryStored {
	c.Summarize(done.Outcome)
	return memoryStored{Outcome: done.Outcome, ID: done.ID, Type: done.Type, Key: done.Key, Version: done.Version, Importance: done.Importance, Similar: done.Similar,
		Redacted: done.Redacted, Displaced: done.Displaced, Warnings: warnings, BookedOn: s.Desk.Book(ctx, c, agent, done.Project)}
}

// shown is what a tool gives of a memory's body; the rest is fetched by id.
const shown = 2_000

// cutBody shortens a long body and says so.
func cutBody(m *memory.Memory) (cut bool) {
	if len(m.Content) <= shown {
		return false
	}
	m.Content = text.Cut(m.Content, shown)
	return true
}
