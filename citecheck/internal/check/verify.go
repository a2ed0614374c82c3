package check

import (
	"cmp"
	"context"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
)

// Verify checks documents and, unless told otherwise, appends what it found to
// the history.
func (s *Service) Verify(ctx context.Context, docs []Document, o Options) (*Summary, error) {
	checker, err := s.checker(ctx, o.At)
	if err != nil {
		return nil, err
	}
	defer checker.Close()
	of := change{base: o.Since}
	if o.Since != "" {
		if of.touched, err = checker.ChangedSince(ctx, o.Since); err != nil {
			return nil, err
		}
	}
	return s.verifyTouched(ctx, checker, docs, o, of)
}

// verifyTouched checks the citations into files that a change touched (all citations when the change has no set of files) and those of
// touched memories.
func (s *Service) verifyTouched(ctx context.Context, checker *verify.Checker, docs []Document, o Options, of change) (*Summary, error) {
	touched := of.touched
	if o.Prose {
		if err := s.resolve(ctx, checker, docs); err != nil {
			return nil, err
		}
	}
	known, err := s.known(ctx, docs)
	if err != nil {
		return nil, err
	}
	strayed, err := s.strayed(ctx, checker, docs, known, of)
	if err != nil {
		return nil, err
	}
	sum := &Summary{Memories: []Memory{}, Total: len(docs), Verdicts: map[verify.Verdict]int{}, History: s.History != nil, Since: o.Since, At: o.At}
	var cites []verify.Citation
	cited := make([][]Cited, len(docs))
	for i := range docs {
		d := &docs[i]
		sum.Prose += len(d.Loose)
		for k, c := range d.Cited {
			if touched == nil || of.concerns(d, c) || strayed[spot{i, k}] {
				cited[i] = append(cited[i], c)
				cites = append(cites, cite(d, c, known[d.Key]))
			}
		}
	}
	results, err := checker.Verify(ctx, cites)
	if err != nil {
		return nil, err
	}
	commits := []string{}
	if s.History != nil && !o.NoRecord && o.At == verify.WorkingTree {
		if commits, err = checker.Remember(ctx, results); err != nil {
			return nil, err
		}
	}
	var checks []history.Check
	for i, at := 0, 0; i < len(docs); i++ {
		d := &docs[i]
		found := make([]Citation, len(cited[i]))
		for k, c := range cited[i] {
			if len(c.may) > 0 {
				results[at] = verify.Result{Citation: results[at].Citation, Verdict: verify.Ambiguous, Reason: mayMean(c.may)}
			}
			found[k] = citation(c, results[at])
			if len(commits) > 0 {
				found[k].commit = commits[at]
			}
			sum.Verdicts[found[k].Verdict]++
			if found[k].Low {
				sum.Low++
			}
			at++
		}
		sum.Citations += len(found)
		if touched != nil && !touched[d.File] { // its problems are not from this change
			if len(found) == 0 {
				continue
			}
			d.Problems = nil
		}
		m := d.judge(found, known[d.Key], o.Whole)
		sum.add(m, len(found))
		if len(commits) > 0 && touched == nil && len(found) > 0 && d.Key.Doc != "" {
			checks = append(checks, m.check(found, checker.Commit()))
		}
	}
	if len(checks) > 0 {
		err = s.History.Record(ctx, checks)
	}
	return sum, err
}

func (s *Summary) add(m Memory, citations int) {
	switch {
	case m.State == StateUnreadable:
		s.Unreadable++
	case m.State == StateStale:
		s.Stale++
	}
	if citations > 0 {
		s.Checked++
		if m.State == StateUnverified {
			s.Unverified++
		}
	}
	s.Memories = append(s.Memories, m)
}

// isTouched reports whether a cited file, or one below a cited folder, is among
// the changed ones.
func isTouched(touched map[string]bool, path string) bool {
	path = strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(path, `\`, "/"), "./"), "/")
	if touched[path] {
		return true
	}
	for t := range touched {
		if strings.HasPrefix(t, path+"/") {
			return true
		}
	}
	return false
}

// cite is a citation as the verifier takes it.
func cite(d *Document, c Cited, known *history.Known) verify.Citation {
	out := verify.Citation{Path: c.place(), Line: c.Line, EndLine: c.EndLine, Snippet: c.Snippet, After: c.After, Before: c.Before, Commit: c.Commit, Surroundings: c.Surroundings, Verified: c.Verified,
		Together: d.Key.Source + ":" + cmp.Or(d.Key.Doc, d.ID)}
	if known != nil {
		right := known.Right[history.Place{Path: c.Path, Line: c.Line}]
		out.Commit, out.Surroundings = cmp.Or(right.Commit, out.Commit), cmp.Or(right.Surroundings, out.Surroundings)
	}
	if d.File != "" {
		out.Source = verify.Source{Path: d.File, Line: c.At, Holds: c.written}
	}
	return out
}

// resolve finds the files that references in prose mean.
func (s *Service) resolve(ctx context.Context, checker *verify.Checker, docs []Document) error {
	n := &names{checker: checker}
	for i := range docs {
		for k := range docs[i].Cited {
			c := &docs[i].Cited[k]
			if c.Form != memoryfile.Prose {
				continue
			}
			found, err := n.meant(ctx, c.Path, docs[i].File, c.meant)
			if err != nil {
				return err
			}
			switch {
			case len(found) > 1:
				c.may = found
			case len(found) == 1 && found[0] != c.Path:
				c.Resolved = found[0]
			}
		}
	}
	return nil
}

// known reads the history of the documents that have citations.
func (s *Service) known(ctx context.Context, docs []Document) (map[history.Key]*history.Known, error) {
	if s.History == nil {
		return nil, nil
	}
	var keys []history.Key
	for i := range docs {
		if len(docs[i].Cited) > 0 {
			keys = append(keys, docs[i].Key)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	return s.History.Known(ctx, keys)
}

// check returns what to append to the history.
func (m *Memory) check(found []Citation, at string) history.Check {
	c := history.Check{Key: m.doc.Key, Statement: m.doc.Statement, Confidence: m.Confidence, State: m.State}
	for _, f := range found {
		entry := history.Found{
			Place: history.Place{Path: f.Path, Line: f.Line}, Snippet: f.Snippet, Verdict: string(f.Verdict),
			FoundPath: f.FoundPath, FoundLine: f.FoundLine, Score: f.Score, At: at,
		}
		if f.Verdict == verify.Valid {
			entry.Commit, entry.Surroundings = f.commit, f.Around // at another place it is right only after a fix
		}
		c.Found = append(c.Found, entry)
	}
	return c
}

// VerifyAll checks every memory of the folder.
func (s *Service) VerifyAll(ctx context.Context, o Options) (*Summary, error) {
	docs, err := s.All(ctx, o)
	if err != nil {
		return nil, err
	}
	return s.Verify(ctx, docs, o)
}

// VerifyNamed checks the memories that a person named.
func (s *Service) VerifyNamed(ctx context.Context, named []string, o Options) (*Summary, error) {
	o.Loose = !o.Prose // a check of named memories also reports what does not count
	docs, err := s.NamedDocuments(ctx, named, o)
	if err != nil {
		return nil, err
	}
	o.Registry = false
	return s.Verify(ctx, docs, o)
}

// NamedDocuments reads the memories that a person named: files, and memories of
// the registry by id or key. None named means all files.
func (s *Service) NamedDocuments(ctx context.Context, named []string, o Options) ([]Document, error) {
	o.Registry = false
	if len(named) == 0 {
		return s.All(ctx, o)
	}
	var docs []Document
	var entries []library.Entry
	for _, name := range named {
		e, err := s.Lib.Find(s.From, name)
		if err == nil {
			entries = append(entries, e)
			continue
		}
		d, ok := s.registered(ctx, name, o)
		if !ok {
			return nil, err
		}
		docs = append(docs, d)
	}
	if len(entries) == 0 {
		return docs, nil
	}
	files, err := s.Documents(ctx, entries, o)
	return append(files, docs...), err
}

// registered finds a memory of the registry by its id or key.
func (s *Service) registered(ctx context.Context, name string, o Options) (Document, bool) {
	if s.History == nil {
		return Document{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byName == nil {
		docs, err := s.registry(ctx)
		if err != nil {
			return Document{}, false // the caller reports that there is no such memory
		}
		s.byName = make(map[string]Document, 3*len(docs))
		for _, d := range docs {
			if d.Name != "" {
				s.byName[strings.ToLower(d.Name)] = d
			}
		}
		for _, d := range docs { // an id takes precedence over another memory's key
			s.byName[strings.ToLower(d.ID)], s.byName[strings.ToLower(d.Key.Doc)] = d, d
		}
	}
	d, ok := s.byName[strings.ToLower(name)]
	if ok && o.Prose {
		with := []Document{d}
		if err := s.withProse(ctx, with); err != nil {
			return Document{}, false
		}
		d = with[0]
	}
	return d, ok
}
