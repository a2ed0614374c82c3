// Package memory keeps the knowledge of agents across sessions: it stores without duplicates, answers plainly worded questions, keeps the
// history of changes, forgets so that it can be undone, and lets memories decay.
//
// It alone writes the memory tables and the text index. Functions that take a *registry.Tx run inside their caller's transaction; the
// methods of Store open one. Standing and Named read files and ask git. Everything is safe for concurrent use.
//
// memory.go has the memory; row.go, load.go and find.go read it, check.go limits its fields. Storing: remember.go (also what one client
// stores in a row), put.go (the rows), sketch.go (near duplicates), citation.go (places in the code). update.go, forget.go
// and decay.go change stored memories. Asking: recall.go, also.go (one question in several wordings), question.go (its words), near.go
// (words similar to unknown ones), textindex.go and index.go (the text index), rank.go, talk.go (turns of conversations),
// meaning.go (similarity according to a model), vectors.go (the vectors, and their rows), weak.go (hits that are not worth showing),
// relevant.go (for a session's start), short.go (the short form of weak hits). stats.go counts, standing.go compares citations with the
// code. Package lexicon has the synonyms, the filler words and the kinds of things that questions ask for.
//
// It must not start a program other than git, and must not store a text that still contains a secret.
package memory

import (
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Store is memories in a registry.
type Store struct {
	DB *registry.DB
	// MaxPerType is how many memories a project keeps of each type; 0 is no
	// limit. Beyond it the one nearest to decay is archived.
	MaxPerType int
	// Used, when set, receives the memories whose bodies a recall showed, instead of a write transaction at once: a server collects them.
	Used func(ids []int64)
	// Embedder, when set, also compares questions with memories by meaning.
	Embedder Embedder
	Refused  error // why the model that is configured is not asked

	kept vectorCache
}

// The types of memories.
const (
	TypePattern      = "pattern"
	TypeDecision     = "decision"
	TypeArchitecture = "architecture"
	TypePreference   = "preference"
	TypeWarning      = "warning"
)

// Types lists the types of memories.
func Types() []string {
	return []string{TypePattern, TypeDecision, TypeArchitecture, TypePreference, TypeWarning}
}

// Importance runs from 1, nice to know, to 5, never forgotten automatically.
const (
	MinImportance     = 1
	MaxImportance     = 5
	DefaultImportance = 2
)

// Memory is a stored memory as programs see it.
type Memory struct {
	RowID     int64 `json:"-"`
	ProjectID int64 `json:"-"`
	SessionID int64 `json:"-"`

	ID           string          `json:"id"` // m-…
	UID          string          `json:"-"`
	ProjectName  string          `json:"-"`
	Project      string          `json:"project_id" wire:"-"`
	Type         string          `json:"memory_type" wire:"-"`
	Key          string          `json:"key"`
	Title        string          `json:"title,omitempty" wire:"-"`
	Content      string          `json:"content,omitempty" wire:"-"`
	Summary      string          `json:"summary,omitempty" wire:"-"`
	Importance   int             `json:"importance" wire:"-"`
	Confidence   float64         `json:"confidence" wire:"-"`
	Tags         []string        `json:"tags,omitempty" wire:"-"`
	Items        []string        `json:"related_items,omitempty" wire:"-"`
	Citations    []Citation      `json:"citations,omitempty" wire:"-"`
	Session      string          `json:"source_session_id,omitempty" wire:"-"` // ref of the session it came from
	Thread       string          `json:"thread,omitempty" wire:"-"`            // the thread it was noted in, when that is not a session
	Context      string          `json:"source_context,omitempty" wire:"-"`
	Agent        string          `json:"agent,omitempty" wire:"-"`
	Version      int             `json:"version" wire:"-"`
	AccessCount  int             `json:"access_count" wire:"-"`
	LastAccessed timestamp.Time  `json:"last_accessed" wire:"-"`
	CreatedAt    timestamp.Time  `json:"created_at" wire:"-"`
	UpdatedAt    timestamp.Time  `json:"updated_at" wire:"-"`
	ExpiresAt    *timestamp.Time `json:"expires_at,omitempty" wire:"-"`
	Expired      bool            `json:"expired,omitempty" wire:"-"`       // it has expired; a decay archives it
	Superseded   string          `json:"superseded_by,omitempty" wire:"-"` // id of the memory that replaced it
	ArchivedAt   *timestamp.Time `json:"archived_at,omitempty" wire:"-"`
	ArchivedWhy  string          `json:"archived_why,omitempty" wire:"-"`
	Redactions   int             `json:"redactions,omitempty" wire:"-"` // secrets removed when it was stored
}

// expired reports whether a memory's time was over at now. It is hidden then; a decay archives it.
func (m Memory) expired(now time.Time) bool { return m.ExpiresAt != nil && !m.ExpiresAt.After(now) }

// New is a memory to store.
type New struct {
	ProjectID  int64
	Type       string
	Key        string   // made from the first words when empty, and then never one in use
	Content    string   // at most MaxContent bytes
	Title      string   // one line; may be empty
	Summary    string   // short version for lists
	Importance int      // 0: as it was, DefaultImportance for a new one
	Confidence *float64 // 1 when nil; 0 to 1
	Tags       []string
	Items      []string // refs or uids of items of any kind
	Citations  []Citation
	Named      []Citation      // places that Content names, as Named finds them; they become citations too
	ExpiresAt  *timestamp.Time // nil means never
	SessionID  int64           // row of the session it comes from; 0 none
	Thread     string          // the thread it was noted in; the session's ref when empty and SessionID is set
	// Conversation is the part of a conversation that it was noted in (see Conversation.At), when Thread and SessionID are empty.
	Conversation string
	Context      string // further words that help to find it, such as who said it and when
	AgentID      int64  // 0 without an agent
	Supersedes   string // id or key of the memory that it replaces

	// AllowSecrets keeps text that looks like a secret.
	AllowSecrets bool
	// SkipSimilar stores nothing when a current memory of the project has the same text, whatever its key and type; sessions use it when
	// they turn events into memories. A memory that is only similar may mean the opposite, and is stored.
	SkipSimilar bool
	// At is when it was noted, for imports; the transaction's time when zero.
	At time.Time
}

// Outcomes of storing.
const (
	Created   = "created"
	Updated   = "updated"
	Unchanged = "unchanged"
	Known     = "known" // SkipSimilar found it already stored; the memory is the stored one
)

// Stored is the result of storing.
type Stored struct {
	Memory
	Outcome   string    `json:"outcome"`
	Similar   []Similar `json:"similar,omitempty" wire:"-"`   // near duplicates under other keys
	Redacted  []string  `json:"redacted,omitempty" wire:"-"`  // kinds of the secrets taken out
	Warnings  []string  `json:"warnings,omitempty" wire:"-"`  // about cited places that do not exist
	Displaced []Brief   `json:"displaced,omitempty" wire:"-"` // archived because the type was full
}

// Similar is a memory with nearly the same text.
type Similar struct {
	ID         string  `json:"id"`
	Type       string  `json:"memory_type"`
	Key        string  `json:"key"`
	Similarity float64 `json:"similarity"` // share of words in common, 0.6 to 1; 1 is the same text

	same bool // the same apart from case and white space; a missing word may reverse the meaning
}

// Brief is a memory in a list: enough to decide whether to fetch it.
type Brief struct {
	RowID      int64          `json:"-"`
	ID         string         `json:"id"`
	Type       string         `json:"memory_type"`
	Key        string         `json:"key"`
	Title      string         `json:"title"` // title, else summary, else the content's first line
	Content    string         `json:"content,omitempty"`
	Importance int            `json:"importance"`
	Confidence float64        `json:"confidence"`
	Source     string         `json:"source,omitempty"` // name of the project it is from, when not the caller's
	UpdatedAt  timestamp.Time `json:"updated_at"`
	Why        string         `json:"why,omitempty"` // what made it relevant: "item", "words", "important", "recent"
}

// Wanted describes the subject of a session, for Relevant.
type Wanted struct {
	ProjectID int64
	ItemID    int64  // the ticket or task; 0 for none
	Text      string // its title and description
	SessionID int64  // a session whose memories count, such as the resumed one
	Least     int    // least importance of a memory that is only important or recent
	Budget    int    // bytes of the JSON of all briefs: titles first, then bodies of the best
	Limit     int    // maximum number of briefs; 12 when 0
}
