package check

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/fault"
)

// emptyTree is the object name of the empty tree, which a first commit is compared with.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Staged checks, against the index, the citations into files that the pending commit changes, and the citations of memories that it
// changes.
func (s *Service) Staged(ctx context.Context) (*Summary, error) {
	checker, err := s.checker(ctx, verify.Index)
	if err != nil {
		return nil, err
	}
	defer checker.Close()
	base := "HEAD"
	touched, err := checker.ChangedSince(ctx, base)
	if fault.Is(err, fault.KindNotFound) {
		base = ""
		touched, err = checker.ChangedSince(ctx, emptyTree)
	}
	if err != nil {
		return nil, err
	}
	if len(touched) == 0 {
		return &Summary{Memories: []Memory{}, Verdicts: map[verify.Verdict]int{}}, nil
	}
	docs, err := s.All(ctx, Options{})
	if err != nil {
		return nil, err
	}
	return s.verifyTouched(ctx, checker, docs, Options{At: verify.Index, NoRecord: true}, change{base, touched})
}

// FailOn are the verdicts that make a hook or CI fail by default.
var FailOn = []verify.Verdict{verify.Changed, verify.Gone, verify.Outside, verify.Ambiguous}

// ParseVerdicts reads names of verdicts. "stale" means all but valid and unverifiable; "none" is the empty list.
func ParseVerdicts(names []string) ([]verify.Verdict, error) {
	var out []verify.Verdict
	for _, name := range names {
		v := verify.Verdict(name)
		switch {
		case name == "none":
		case name == "stale":
			out = append(out, verify.Moved, verify.Renamed, verify.Changed, verify.Gone, verify.Ambiguous, verify.Outside)
		case slices.Contains(verify.Verdicts(), v):
			out = append(out, v)
		default:
			return nil, fault.Validation("fail-on", "%q is not a verdict", name).WithHint("verdicts are moved, renamed, changed, gone, ambiguous, outside and unverifiable; or say stale or none")
		}
	}
	return out, nil
}

// Failing returns the number of citations whose verdict is among those given.
func (s *Summary) Failing(failOn []verify.Verdict) (n int) {
	for _, m := range s.Memories {
		for _, c := range m.Stale {
			if slices.Contains(failOn, c.Verdict) {
				n++
			}
		}
	}
	if slices.Contains(failOn, verify.Unverifiable) {
		for _, m := range s.Memories {
			n += len(m.Unverifiable)
		}
	}
	return n
}

// Vote is an agent's vote on a memory, with the resulting counts and confidence.
type Vote struct {
	Memory     string   `json:"memory_id"`
	Vote       string   `json:"vote"`
	Agent      string   `json:"agent,omitempty"`
	Note       string   `json:"note,omitempty"`
	Confirms   int      `json:"confirms"`
	Disputes   int      `json:"disputes"`
	Confidence *float64 `json:"confidence"`
	Project    string   `json:"-"`
}

// maxNote bounds the note of a vote, in bytes.
const maxNote = 2000

// Say records an agent's vote on a memory, and checks the memory anew.
func (s *Service) Say(ctx context.Context, name, who, vote, note string) (*Vote, error) {
	if len(note) > maxNote {
		return nil, fault.Validation("note", "the note has %d bytes; %d are allowed", len(note), maxNote)
	}
	d, err := s.Named(ctx, name)
	if err != nil {
		return nil, err
	}
	v, project, err := s.History.Say(ctx, d.Key, who, vote, note, d.Statement)
	if err != nil {
		return nil, err
	}
	sum, err := s.Verify(ctx, []Document{d}, Options{})
	if err != nil {
		return nil, err
	}
	m := sum.Memories[0]
	out := &Vote{Memory: d.ID, Vote: v.Vote, Agent: v.Agent, Note: v.Note, Confidence: m.Confidence, Project: project}
	known, err := s.History.Known(ctx, []history.Key{d.Key})
	if err == nil && known[d.Key] != nil {
		out.Confirms, out.Disputes = tally(known[d.Key].Votes, d.Statement)
	}
	return out, err
}

// Named reads one memory completely, from a file or from the registry, as it is written.
func (s *Service) Named(ctx context.Context, name string) (Document, error) {
	d, err := s.find(ctx, name, Options{Loose: true}, true)
	if err == nil && d.Problem != "" {
		err = fault.Operation(nil, "the memory %q cannot be read: %s", d.ID, d.Problem).About("memory", d.ID)
	}
	return d, err
}

// find reads the file, or the memory of the registry, that a name means; keep keeps the parsed file.
func (s *Service) find(ctx context.Context, name string, o Options, keep bool) (Document, error) {
	e, err := s.Lib.Find(s.From, name)
	if err == nil {
		return s.document(s.Lib.Read(e, s.wants(o)), o, keep), nil
	}
	if d, ok := s.registered(ctx, name, o); ok {
		return d, nil
	}
	return Document{}, err
}

// Entries finds the memory files that a person named; none means all.
func (s *Service) Entries(named []string) ([]library.Entry, error) {
	if len(named) == 0 {
		return s.Lib.Entries()
	}
	entries := make([]library.Entry, len(named))
	for i, name := range named {
		var err error
		if entries[i], err = s.Lib.Find(s.From, name); err != nil {
			return nil, err
		}
	}
	return entries, nil
}
