package check

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/fault"
)

// Service checks the memories of one folder against the code they cite.
type Service struct {
	Lib     *library.Library
	History *history.Store   // nil: history is not kept
	Now     func() time.Time // for the dates that are written
	From    string           // the current folder, for paths that people give

	mu     sync.Mutex
	byName map[string]Document // the registry's memories, read on first use

	// IndexFile is the index of the commit being made, when git names another one than the repository's.
	IndexFile string
}

// Options select what a check covers.
type Options struct {
	At       string // verify.WorkingTree, verify.Index, or a revision
	Prose    bool   // references in prose count too
	Loose    bool   // count those not adopted, without checking them
	Since    string // only citations into files changed since this revision
	Registry bool   // memories of the registry too
	Uncited  bool   // of those, also the ones without citations
	Whole    bool   // return every citation, not only those that are not valid
	NoRecord bool   // leave the history alone
}

// Document is one memory to check, wherever it comes from.
type Document struct {
	Key       history.Key
	ID        string
	Name      string // the key of a memory of the registry, "" when it has none
	File      string // from the root; "" for a memory of the registry
	Entry     library.Entry
	Title     string
	Problem   string // why it cannot be read
	Problems  []memoryfile.Problem
	Statement string
	Verified  string // when, according to the memory itself
	Cited     []Cited
	Loose     []memoryfile.Citation // references in prose that do not count
	Memory    *memoryfile.Memory    // of a file, while it is kept
}

// Cited is one citation of a document.
type Cited struct {
	memoryfile.Citation
	Commit       string // recorded with it, for memories of the registry
	Surroundings string // of its lines at that commit; both as memoryd stored them
	Resolved     string // path from the root, when the written one is shorter

	may []string // files that the written path may mean, when it is ambiguous

	written func(line []byte) bool // see memoryfile.Memory.Written; nil without a file
	meant   func(files []string) string
}

// place is the path that is checked.
func (c Cited) place() string {
	if c.Resolved != "" {
		return c.Resolved
	}
	return c.Path
}

// document makes a document of a memory file.
func (s *Service) document(d library.Doc, o Options, keep bool) Document {
	doc := Document{ID: d.ID, Entry: d.Entry, File: s.Lib.File(d.Entry), Problem: d.Problem}
	doc.Key = history.Key{Source: history.File, Doc: doc.File}
	if d.Memory == nil {
		return doc
	}
	doc.Title, doc.Problems = d.Title, d.Problems
	if d.Unreadable {
		doc.Problem = d.Problems[0].Text
		return doc
	}
	for _, c := range d.Citations {
		doc.Cited = append(doc.Cited, Cited{Citation: c, written: d.Written(c)})
	}
	for _, r := range d.References {
		switch {
		case r.InCode || r.Adopted:
		case o.Prose:
			doc.Cited = append(doc.Cited, Cited{Citation: r, written: d.Written(r), meant: func(files []string) string { return d.Meant(r, files) }})
		case o.Loose:
			doc.Loose = append(doc.Loose, r)
		}
	}
	doc.Verified = d.LastVerified
	if doc.Verified == "" {
		for _, c := range d.Citations {
			doc.Verified = max(doc.Verified, c.Verified)
		}
	}
	if s.History != nil && len(doc.Cited) > 0 || keep {
		doc.Statement = d.Statement()
	}
	if keep {
		doc.Memory = d.Memory
	}
	return doc
}

// wants returns the parts of a memory that a check needs parsed.
func (s *Service) wants(o Options) memoryfile.Want {
	switch {
	case o.Prose || o.Loose:
		return memoryfile.Citations | memoryfile.References
	case s.History != nil:
		return memoryfile.Citations | memoryfile.Statements
	}
	return memoryfile.Citations
}

// Documents reads memories; none named means all.
func (s *Service) Documents(ctx context.Context, entries []library.Entry, o Options) ([]Document, error) {
	docs, err := library.Map(ctx, s.Lib, entries, s.wants(o), func(d library.Doc) Document { return s.document(d, o, false) })
	if err != nil || !o.Registry {
		return docs, err
	}
	more, err := s.Registered(ctx, o)
	return append(docs, more...), err
}

// All reads every memory of the folder.
func (s *Service) All(ctx context.Context, o Options) ([]Document, error) {
	entries, err := s.Lib.Entries()
	if err != nil {
		return nil, err
	}
	return s.Documents(ctx, entries, o)
}

// Registered reads the memories of the registry that carry citations; with o.Uncited
// the others too.
func (s *Service) Registered(ctx context.Context, o Options) ([]Document, error) {
	if s.History == nil {
		return nil, fault.NotFound("registry", "").WithHint("`memoryd remember` or `agit init` makes one")
	}
	docs, err := s.registry(ctx)
	if err == nil && o.Prose {
		err = s.withProse(ctx, docs)
	}
	return slices.DeleteFunc(docs, func(d Document) bool { return len(d.Cited) == 0 && !o.Uncited }), err
}

// registry reads the memories of the registry, with citations or without.
func (s *Service) registry(ctx context.Context) ([]Document, error) {
	memories, err := s.History.Memories(ctx)
	if err != nil {
		return nil, err
	}
	docs := make([]Document, len(memories))
	for i, m := range memories {
		docs[i] = Document{ID: m.Ref, Name: m.Name, Key: history.Key{Source: history.Registry, Doc: m.UID}, Title: m.Title, Statement: m.Hash}
		for _, c := range m.Citations {
			cited := memoryfile.Citation{Place: memoryfile.Place{Path: c.Path, Line: c.Line}, Quote: memoryfile.Quote{Snippet: c.Snippet}}
			docs[i].Cited = append(docs[i].Cited, Cited{Citation: cited, Commit: c.Commit, Surroundings: c.Surroundings})
		}
	}
	return docs, nil
}

// checker opens the code in a state.
func (s *Service) checker(ctx context.Context, at string) (*verify.Checker, error) {
	return verify.Open(ctx, s.Lib.Root, verify.Options{At: at, IndexFile: s.IndexFile, Around: s.History != nil})
}

// names resolves paths that leave folders out, as prose does. It lists the files when the first such path comes up.
type names struct {
	checker *verify.Checker
	byBase  map[string][]string
}

// meant returns the files that a written path may mean, or only one when the memory settles it: see find and memoryfile.Memory.Meant.
func (n *names) meant(ctx context.Context, written, memory string, meant func(files []string) string) ([]string, error) {
	files, err := n.find(ctx, written, memory)
	if len(files) > 1 {
		if file := meant(files); file != "" {
			return []string{file}, err
		}
	}
	return files, err
}

// find returns the files that a written path may mean: the path itself or relative to the memory's folder when that exists, else the files
// whose path ends in it.
func (n *names) find(ctx context.Context, written, memory string) ([]string, error) {
	if n.checker.Exists(ctx, written) {
		return []string{written}, nil
	}
	if strings.HasPrefix(written, "/") || strings.HasPrefix(written, "..") && memory == "" {
		return nil, nil
	}
	if memory != "" && !path.IsAbs(memory) {
		if p := path.Join(path.Dir(memory), written); !strings.HasPrefix(p, "..") && n.checker.Exists(ctx, p) {
			return []string{p}, nil
		}
	}
	if n.byBase == nil {
		files, err := n.checker.Files(ctx)
		if err != nil {
			return nil, err
		}
		n.byBase = make(map[string][]string, len(files))
		for _, f := range files {
			n.byBase[path.Base(f)] = append(n.byBase[path.Base(f)], f)
			if _, tail, spaced := strings.Cut(path.Base(f), " "); spaced { // prose may mean the tail alone, or all of it
				n.byBase[tail] = append(n.byBase[tail], f)
			}
		}
	}
	var found []string
	for _, f := range n.byBase[path.Base(written)] {
		if f == written || strings.HasSuffix(f, "/"+written) || strings.HasSuffix(f, " "+written) {
			found = append(found, f)
		}
	}
	return found, nil
}

// now returns the time to write.
func (s *Service) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}
