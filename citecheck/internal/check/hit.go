package check

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/shared/fault"
)

// Hit is one entry of a list of memories from another program: a name, an object with a name, or an object with its own citations, as
// memoryd prints them.
type Hit struct {
	Name  string // "" when the object names nothing
	Ours  bool   // the name is surely a memory file's
	Title string
	Cited []Cited
	Raw   map[string]json.RawMessage
}

// UnmarshalJSON reads a string or an object.
func (h *Hit) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		h.Ours = true
		return json.Unmarshal(data, &h.Name)
	}
	if err := json.Unmarshal(data, &h.Raw); err != nil {
		return err
	}
	h.Title = h.text("title")
	h.Name = h.text("memory_id")
	h.Ours = h.Name != ""
	if raw := h.Raw["citations"]; len(raw) > 0 && raw[0] == '[' {
		if err := h.citations(raw); err != nil && !h.Ours {
			return err
		}
	}
	if h.Ours {
		return nil // its citations count when no memory here has the name
	}
	for _, field := range []string{"memory", "Path", "path", "file", "id", "name", "uid", "key"} {
		if h.Name = h.text(field); h.Name != "" {
			return nil
		}
	}
	return nil
}

// text returns the value of a field that is a string.
func (h *Hit) text(field string) (s string) {
	if raw := h.Raw[field]; len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &s) // it was part of a whole that is valid
	}
	return s
}

func (h *Hit) citations(raw json.RawMessage) error {
	var list []struct {
		memoryfile.Place
		Snippet string `json:"snippet"`
		Commit  string `json:"commit"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, c := range list {
		if c.Line < 0 || c.EndLine < 0 || c.EndLine > 0 && c.EndLine < c.Line {
			return fault.Validation("citations", "%d to %d are not lines", c.Line, c.EndLine)
		}
		cited := memoryfile.Citation{Place: c.Place, Quote: memoryfile.Quote{Snippet: c.Snippet}}
		h.Cited = append(h.Cited, Cited{Citation: cited, Commit: c.Commit})
	}
	return nil
}

// DocumentOf returns the document that a hit means: its own citations, a memory
// file, or a memory of the registry.
func (s *Service) DocumentOf(ctx context.Context, h Hit, o Options) (Document, error) {
	if h.Ours {
		d, err := s.find(ctx, h.Name, o, false)
		if err == nil || len(h.Cited) == 0 {
			return d, err
		}
	}
	if len(h.Cited) > 0 {
		d := Document{ID: h.Name, Title: h.Title, Cited: h.Cited, Key: history.Key{Source: history.Registry}}
		if known, ok := s.registered(ctx, h.Name, Options{}); ok { // otherwise no history of it is kept
			d.Key, d.Statement = known.Key, known.Statement
		}
		if o.Prose {
			d.Cited = append(slices.Clip(d.Cited), named(h.text("content"), d.Cited)...)
		}
		return d, nil
	}
	if h.Name == "" {
		return Document{}, fault.Validation("-", "the object names no memory").WithHint("give it a field memory_id, path or id")
	}
	return s.find(ctx, h.Name, o, false)
}

// Kept is a hit with what checking it found.
type Kept struct {
	Hit
	Memory *Memory // nil when nothing is known of it
}

// FilterOptions say which hits are kept.
type FilterOptions struct {
	MinConfidence    float64
	RequireCitations bool
	Prose            bool
}

// Filter checks hits and keeps those whose confidence is high enough. A hit that cannot be checked is kept and marked unverified, unless
// citations are required.
func (s *Service) Filter(ctx context.Context, hits []Hit, o FilterOptions) ([]Kept, error) {
	opts := Options{Prose: o.Prose, NoRecord: true}
	docs := make([]Document, len(hits))
	for i, h := range hits {
		d, err := s.DocumentOf(ctx, h, opts)
		switch {
		case fault.Is(err, fault.KindNotFound), fault.Is(err, fault.KindValidation):
			d = Document{ID: h.Name} // a search may find what is not a memory here
		case err != nil:
			return nil, err
		}
		docs[i] = d
	}
	sum, err := s.Verify(ctx, docs, opts)
	if err != nil {
		return nil, err
	}
	kept := []Kept{}
	for i := range hits {
		m := &sum.Memories[i]
		switch {
		case m.Confidence == nil && o.RequireCitations:
			continue
		case m.Confidence != nil && *m.Confidence < o.MinConfidence:
			continue
		}
		kept = append(kept, Kept{hits[i], m})
	}
	return kept, nil
}

// Object returns the hit as it came, with the results: confidence, citations_valid, verification, and the new places of stale citations.
func (k *Kept) Object() map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(k.Raw)+4)
	maps.Copy(out, k.Raw)
	set := func(field string, value any) {
		if raw, err := json.Marshal(value); err == nil {
			out[field] = raw
		}
	}
	if k.Raw == nil {
		set("memory_id", k.Memory.ID)
	}
	set("verification", k.Memory.State)
	if k.Memory.Confidence != nil {
		set("confidence", *k.Memory.Confidence)
		set("citations_valid", k.Memory.Valid)
	}
	if len(k.Memory.Stale) > 0 {
		set("stale_citations", k.Memory.Stale)
	}
	return out
}

// Names returns the id and the title of a hit, for people.
func (k *Kept) Names() (id, title string) {
	title = k.Title
	if title == "" && k.Memory != nil {
		title = k.Memory.Title
	}
	return strings.TrimSpace(k.Name), title
}
