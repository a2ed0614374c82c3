package manifest

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
)

// ReadAll reads the manifests among the files (slash-separated, relative to the root of fsys), and completes them with what they inherit
// from each other: Cargo's workspace dependencies, Gradle's version catalogues and convention plugins, Maven's parents. The result is
// sorted by depth, then path. It never fails: a file that cannot be read is a Manifest with a Problem.
func ReadAll(fsys fs.FS, files []string) []*Manifest {
	var drafts []*draft
	for _, file := range files {
		if kind, ok := KindOf(file); ok {
			if d := read(fsys, file, kind); !d.foreign {
				drafts = append(drafts, d)
			}
		}
	}
	slices.SortFunc(drafts, func(a, b *draft) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), strings.Compare(a.Path, b.Path))
	})
	drafts = ofNx(drafts)
	inherit(drafts)
	manifests := make([]*Manifest, len(drafts))
	for i, d := range drafts {
		manifests[i] = d.finish()
	}
	return manifests
}

func read(fsys fs.FS, file string, kind Kind) *draft {
	d := &draft{Manifest: &Manifest{Path: file, Kind: kind, Ecosystem: kind.Ecosystem()}, fsys: fsys, seen: map[Dependency]bool{}}
	text, wrong := load(fsys, file)
	if wrong != "" {
		d.problem(0, "%s", wrong)
	}
	if strings.TrimSpace(text) == "" {
		return d
	}
	kind.format().parse(d, text)
	return d
}
