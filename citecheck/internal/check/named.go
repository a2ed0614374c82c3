package check

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
)

// withProse adds to memories of the registry the places that their texts name and that were not stored as citations, because the file did
// not exist then or memoryd did not yet take such places.
func (s *Service) withProse(ctx context.Context, docs []Document) error {
	only := ""
	if len(docs) == 1 {
		only = docs[0].Key.Doc
	}
	texts, err := s.History.Texts(ctx, only)
	if err != nil {
		return err
	}
	for i := range docs {
		if says := texts[docs[i].Key.Doc]; says != "" {
			docs[i].Cited = append(slices.Clip(docs[i].Cited), named(says, docs[i].Cited)...)
		}
	}
	return nil
}

// named returns the places that a text names, without those already cited.
func named(says string, given []Cited) (more []Cited) {
	m := memoryfile.Parse([]byte(says), memoryfile.Citations|memoryfile.References)
	for _, c := range slices.Concat(m.Citations, m.References) {
		if !c.InCode && !slices.ContainsFunc(given, func(g Cited) bool { return means(c, g) }) {
			more = append(more, Cited{Citation: c, meant: func(files []string) string { return m.Meant(c, files) }})
		}
	}
	return more
}

// means reports whether a place in a text is the cited one; the text may leave out folders of the path.
func means(c memoryfile.Citation, g Cited) bool {
	written := path.Clean(c.Path)
	return c.Line == g.Line && (g.Path == written || strings.HasSuffix(g.Path, "/"+written))
}

// Says is the text of a memory as it is kept.
func (s *Service) Says(ctx context.Context, d Document) (string, error) {
	if d.Memory != nil {
		return string(d.Memory.Source()), nil
	}
	if s.History == nil || d.Key.Source != history.Registry {
		return "", nil
	}
	texts, err := s.History.Texts(ctx, d.Key.Doc)
	return texts[d.Key.Doc], err
}
