package library

import (
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// Names finds memories by what links call them.
type Names struct {
	entries []Entry
	byID    map[string]int
	byFold  map[string][]int // ids without case
	byBase  map[string][]int // file names without case
}

// NewNames indexes the entries.
func NewNames(entries []Entry) *Names {
	n := &Names{entries: entries, byID: make(map[string]int, len(entries)), byFold: make(map[string][]int, len(entries)), byBase: make(map[string][]int, len(entries))}
	for i, e := range entries {
		n.byID[e.ID] = i
		fold := strings.ToLower(e.ID)
		n.byFold[fold] = append(n.byFold[fold], i)
		base := path.Base(fold)
		n.byBase[base] = append(n.byBase[base], i)
	}
	return n
}

// Resolve gives the memories that a name written in the memory with the id from
// may mean: an id, a file's name, a path relative to that memory, or one from
// the project's root. One is the answer, several are ambiguous, none is broken.
func (n *Names) Resolve(from, name string) []int {
	name = strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(name, `\`, "/")), "/")
	if id, ok := memoryID(name); ok {
		name = id
	}
	if i := strings.LastIndex(name, Usual+"/"); i >= 0 {
		name = name[i+len(Usual)+1:]
	}
	folder := path.Dir(from)
	if from == "" {
		folder = "."
	}
	for _, id := range []string{path.Join(folder, name), path.Clean(strings.TrimPrefix(name, "/"))} {
		if i, ok := n.byID[id]; ok {
			return []int{i}
		}
	}
	for _, id := range []string{path.Join(folder, name), path.Clean(name)} {
		if found := n.byFold[strings.ToLower(id)]; len(found) > 0 {
			return found
		}
	}
	if strings.HasPrefix(name, "../") || strings.HasPrefix(name, "./") {
		return nil // a path that leads nowhere
	}
	found := n.byBase[strings.ToLower(path.Base(name))]
	if strings.Contains(name, "/") {
		suffix := "/" + strings.ToLower(name)
		found = slices.DeleteFunc(slices.Clone(found), func(i int) bool { return !strings.HasSuffix(strings.ToLower(n.entries[i].ID), suffix) })
	}
	return found
}

// Resolve is Names.Resolve for one name.
func Resolve(entries []Entry, from, name string) []int { return NewNames(entries).Resolve(from, name) }

// Nearest is the id that a name which means none was probably to be, or "".
func Nearest(entries []Entry, name string) string {
	if id, ok := memoryID(name); ok {
		name = id
	}
	ids := make([]string, 0, len(entries))
	bases := map[string]string{}
	for _, e := range entries {
		ids = append(ids, e.ID)
		bases[path.Base(e.ID)] = e.ID
	}
	if near := text.Nearest(name, ids); near != "" {
		return near
	}
	names := make([]string, 0, len(bases))
	for base := range bases {
		names = append(names, base)
	}
	slices.Sort(names)
	return bases[text.Nearest(path.Base(name), names)]
}
