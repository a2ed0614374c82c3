package check

import (
	"math"
	"slices"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/redact"
)

// Memory is what a check says of one memory. Its JSON is a contract.
type Memory struct {
	ID     string `json:"memory_id"`
	Source string `json:"source,omitempty"` // "registry", else a file
	File   string `json:"file,omitempty"`
	Key    string `json:"key,omitempty"` // of a memory of the registry
	Title  string `json:"title,omitempty"`
	// State is valid, stale, unverified (nothing that can be checked) or
	// unreadable.
	State string `json:"state"`
	Valid bool   `json:"valid"` // all are valid or unverifiable
	// Confidence is nil when nothing could be checked.
	Confidence  *float64 `json:"confidence"`
	Reliability *float64 `json:"reliability,omitempty"` // for ranking only
	Total       int      `json:"total_citations"`
	ValidCount  int      `json:"valid_count"`
	Prose       int      `json:"prose_references,omitempty"` // not adopted, and not counted
	Confirms    int      `json:"confirms,omitempty"`
	Disputes    int      `json:"disputes,omitempty"`
	// LastVerified is the time of the last check: from the history, else from the memory itself (its metadata, or the newest date in its
	// table).
	LastVerified string     `json:"last_verified,omitempty"`
	Citations    []Citation `json:"citations,omitempty"`
	Stale        []Citation `json:"stale_citations"`
	// Unverifiable are the citations that could not be checked: they do not count as sound.
	Unverifiable []Citation           `json:"unverifiable_citations,omitempty"`
	Problems     []memoryfile.Problem `json:"problems,omitempty"`

	doc *Document
}

// Citation is the verdict on one citation, and where a memory has it.
type Citation struct {
	verify.Result
	Form string `json:"form,omitempty"`
	At   int    `json:"at,omitempty"` // line of the memory

	cited  Cited
	commit string // where it can be recorded as right
}

// Place is what the citation names.
func (c *Citation) Place() memoryfile.Place {
	return memoryfile.Place{Path: c.Path, Line: c.Line, EndLine: c.EndLine}
}

// Now is where the cited text is.
func (c *Citation) Now() memoryfile.Place {
	return memoryfile.Place{Path: c.FoundPath, Line: c.FoundLine, EndLine: c.FoundEnd}
}

// The states of a memory.
const (
	StateValid      = "valid"
	StateStale      = "stale"
	StateUnverified = "unverified"
	StateUnreadable = "unreadable"
)

// Summary is what a check says of all memories.
type Summary struct {
	Memories   []Memory               `json:"memories"`
	Checked    int                    `json:"checked"`              // memories with citations that were looked at
	Unverified int                    `json:"unverified,omitempty"` // those of Checked for which no citation could be checked
	Total      int                    `json:"total"`                // memories read
	Stale      int                    `json:"stale"`
	Unreadable int                    `json:"unreadable,omitempty"`
	Citations  int                    `json:"citations"`
	Verdicts   map[verify.Verdict]int `json:"verdicts"`
	Low        int                    `json:"low_certainty,omitempty"`    // valid ones that are only likely
	Prose      int                    `json:"prose_references,omitempty"` // not adopted
	At         string                 `json:"at,omitempty"`
	History    bool                   `json:"history"` // whether it is kept
	Since      string                 `json:"since,omitempty"`
}

// Failed reports whether any memory is stale or unreadable.
func (s *Summary) Failed() bool { return s.Stale > 0 || s.Unreadable > 0 }

// citation returns a result as reports show it: with the path that the memory writes, without the found place when it is valid, and
// without secrets.
func citation(c Cited, r verify.Result) Citation {
	r.Path, r.Score = c.Path, round(r.Score)
	if r.Verdict == verify.Valid {
		r.FoundPath, r.FoundLine, r.FoundEnd, r.FoundText, r.Score = "", 0, 0, "", 0
	}
	r.Snippet, r.After, r.Before = redact.Lines(r.Snippet), redact.Clean(r.After), redact.Clean(r.Before)
	r.Reason, r.FoundText = redact.Clean(r.Reason), redact.Clean(r.FoundText)
	r.Candidates = slices.Clone(r.Candidates)
	for i := range r.Candidates {
		r.Candidates[i].Text = redact.Clean(r.Candidates[i].Text)
	}
	return Citation{Result: r, Form: string(c.Form), At: c.At, cited: c}
}

// judge builds the report on a document from the verdicts on its citations.
func (d *Document) judge(found []Citation, known *history.Known, whole bool) Memory {
	m := Memory{
		ID: d.ID, File: d.File, Key: d.Name, Title: d.Title, LastVerified: d.Verified, Total: len(found), Prose: len(d.Loose), Problems: d.Problems, Stale: []Citation{}, doc: d,
	}
	if d.Key.Source == history.Registry {
		m.Source = history.Registry
	}
	if d.Problem != "" {
		m.State = StateUnreadable
		if m.Problems == nil {
			m.Problems = []memoryfile.Problem{{Line: 1, Text: d.Problem}}
		}
		return m
	}
	checkable, right := 0, 0
	for _, c := range found {
		if c.Verdict == verify.Valid {
			m.ValidCount++
		} else if c.Verdict != verify.Unverifiable {
			m.Stale = append(m.Stale, c)
		} else {
			m.Unverifiable = append(m.Unverifiable, c)
		}
		if c.Verdict.Checkable() {
			checkable++
		}
		if c.Verdict.True() {
			right++
		}
	}
	m.Valid = len(m.Stale) == 0 && len(m.Problems) == 0
	switch {
	case len(m.Stale) > 0 || len(m.Problems) > 0:
		m.State = StateStale
	case checkable == 0:
		m.State = StateUnverified
	default:
		m.State = StateValid
	}
	if known != nil {
		m.Confirms, m.Disputes = tally(known.Votes, d.Statement)
		if known.Checks > 0 {
			r := round(Wilson(known.Found, known.Checks))
			m.Reliability = &r
		}
		if !known.CheckedAt.IsZero() {
			m.LastVerified = known.CheckedAt.Format(time.RFC3339)
		}
	}
	if checkable > 0 {
		c := round(Confidence(right, checkable, m.Confirms, m.Disputes))
		m.Confidence = &c
	}
	if whole {
		m.Citations = found
	}
	return m
}

// tally counts the votes on the current text of a memory: the last one of each agent, and of all people without a name together. Votes on
// another text are history.
func tally(votes []history.Vote, statement string) (confirms, disputes int) {
	last := map[string]string{}
	for _, v := range votes { // oldest first
		if v.Statement == statement {
			last[v.Agent] = v.Vote
		}
	}
	for _, vote := range last {
		if vote == history.Confirm {
			confirms++
		} else {
			disputes++
		}
	}
	return confirms, disputes
}

// Confidence is how far a memory can be trusted now: the share of its checkable
// citations that are true, lowered by disputes.
func Confidence(right, checkable, confirms, disputes int) float64 {
	if checkable == 0 {
		return 0
	}
	return float64(right) / float64(checkable) * float64(confirms+1) / float64(confirms+disputes+1)
}

// Wilson returns the lower bound of the 95 % interval of a share (Wilson 1927): a few checks prove little, whatever their result.
func Wilson(right, all int) float64 {
	if all == 0 {
		return 0
	}
	const z = 1.959963984540054
	n, p := float64(all), float64(right)/float64(all)
	return max(0, (p+z*z/(2*n)-z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n)))/(1+z*z/n))
}

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }
