package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

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

// cited is a place in the code as a tool's parameter: "src/a.go:12", or an object with path, line and snippet. Its schema names only the
// short form, because some models' tools refuse every request when an object has no described fields.
type cited memory.Citation

// MCPSchema returns the part of the schema that clients check.
func (*cited) MCPSchema() json.RawMessage { return json.RawMessage(`{"type":"string"}`) }

// UnmarshalJSON reads either form. The object may be in a string, and the line in quotes.
func (c *cited) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		if text = strings.TrimSpace(text); !strings.HasPrefix(text, "{") {
			return c.short(text)
		}
		raw = []byte(text)
	}
	var given struct {
		Path    string      `json:"path"`
		Line    json.Number `json:"line"` // which encoding/json reads in quotes too
		Snippet string      `json:"snippet"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(&given)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return badCitation("%s of a citation is a %s, not a text", wrong.Field, wrong.Value)
	case err != nil && strings.Contains(err.Error(), "invalid number literal"):
		return badCitation("line of a citation is not a whole number")
	case err != nil:
		return badCitation("a citation is not an object with path, line and snippet")
	}
	*c = cited{Path: given.Path, Snippet: given.Snippet}
	if given.Line == "" {
		if in := memory.Cited(given.Path); in.Line > 0 { // "a.go:12" in the path
			c.Path, c.Line = in.Path, in.Line
		}
		return nil
	}
	line, err := given.Line.Float64()
	if err != nil || line != math.Trunc(line) || math.Abs(line) > math.MaxInt32 {
		return badCitation("line of a citation is %s, not a whole number", given.Line)
	}
	c.Line = int(line)
	return nil
}

// short reads a path with an optional line behind a colon.
func (c *cited) short(text string) error {
	if *c = cited(memory.Cited(text)); c.Line > 0 {
		return nil
	}
	if path, after, ok := cutLast(text, ":"); ok {
		if line, err := strconv.ParseInt(after, 10, 32); err == nil {
			*c = cited{Path: path, Line: int(line)}
		}
	}
	if c.Path == "" {
		return badCitation("a citation names no file")
	}
	return nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func badCitation(format string, args ...any) error {
	return fault.Validation("citations", format, args...).WithHint(`give "src/a.go:12" or {"path": "src/a.go", "line": 12}`)
}

// citations completes the places from the project's folder, and returns a warning for each that does not exist.
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
		return list, nil // storing them reports the error
	}
	return list, memory.Standing(ctx, s.repository(ctx, c, place, project), list)
}

// named returns the places in the project's folder that a text names.
func (s *service) named(ctx context.Context, c *mcpkit.Call, project, says string) []memory.Citation {
	if !reference.MayHold([]byte(says)) {
		return nil // true of most texts, which saves finding the folder
	}
	place, err := s.Desk.Place(ctx, c, project)
	if err != nil {
		return nil // storing it reports the error
	}
	return memory.Named(ctx, s.repository(ctx, c, place, project), says)[0]
}

// projectOf returns the project that a call reads or changes; a project without memories is a NotFound fault.
func (s *service) projectOf(ctx context.Context, c *mcpkit.Call, given string) (p project.Project, err error) {
	place, err := s.Desk.Place(ctx, c, given)
	if err != nil {
		return p, err
	}
	return registry.Read(ctx, s.stores.DB, place.Find)
}

// target returns the named memory, with the agent of the call.
func (s *service) target(ctx context.Context, c *mcpkit.Call, given, key, kind string) (t memory.Target, err error) {
	p, err := s.projectOf(ctx, c, given)
	if err != nil {
		return t, err
	}
	t = memory.Target{ProjectID: p.ID, Key: key, Type: kind}
	t.Agent, err = s.Desk.Caller(c, "", "")
	return t, err
}

// memoryStored is the result of a write, without the values that the caller gave.
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

// shown is how much of a memory's body a tool returns; the rest is fetched by id.
const shown = 2_000

// cutBody shortens a long body and marks it as cut.
func cutBody(m *memory.Memory) (cut bool) {
	if len(m.Content) <= shown {
		return false
	}
	m.Content = text.Cut(m.Content, shown)
	return true
}
