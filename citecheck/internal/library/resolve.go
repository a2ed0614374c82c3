package library

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/text"
)

// Names finds memories by the names that links use.
type Names struct {
	entries []Entry
	byID    map[string]int
	byFold  map[string][]int // ids in lower case
	byBase  map[string][]int // file names in lower case

	once  sync.Once
	grams map[string][]int // three letters in a row, for Nearest
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

// Resolve returns the memories that a name in the memory with the id from may mean: an id, a file's name, a path relative to that memory,
// or one from the project's root. Several results mean that the name is ambiguous, none that the link is broken.
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

// Nearest is Names.Nearest for one name.
func Nearest(entries []Entry, name string) string { return NewNames(entries).Nearest(name) }

// compared bounds the ids that an unknown name is compared with letter by letter, those with the most shared trigrams. Comparing with a
// thousand ids costs 5 ms.
const compared = 20

// Nearest returns the id that was probably meant by a name which no memory has, or "".
func (n *Names) Nearest(name string) string {
	if id, ok := memoryID(name); ok {
		name = id
	}
	n.once.Do(n.index)
	shared := map[int]int{}
	for _, g := range trigrams(path.Base(name)) {
		for _, i := range n.grams[g] {
			shared[i]++
		}
	}
	best := make([]int, 0, len(shared))
	for i := range shared {
		best = append(best, i)
	}
	slices.SortFunc(best, func(a, b int) int { return cmp.Or(shared[b]-shared[a], a-b) })
	best = best[:min(len(best), compared)]
	ids, bases := make([]string, len(best)), make([]string, len(best))
	for k, i := range best {
		ids[k], bases[k] = n.entries[i].ID, path.Base(n.entries[i].ID)
	}
	if near := text.Nearest(name, ids); near != "" {
		return near
	}
	if k := slices.Index(bases, text.Nearest(path.Base(name), bases)); k >= 0 {
		return ids[k]
	}
	return ""
}

// index notes the names that contain each sequence of three letters.
func (n *Names) index() {
	n.grams = map[string][]int{}
	for i, e := range n.entries {
		for _, g := range trigrams(path.Base(e.ID)) {
			n.grams[g] = append(n.grams[g], i)
		}
	}
}

// trigrams returns the distinct three-byte parts of a name in lower case, with its ends marked.
func trigrams(name string) []string {
	name = "^" + strings.ToLower(name) + "$"
	out := make([]string, 0, len(name))
	for i := 0; i+3 <= len(name); i++ {
		out = append(out, name[i:i+3])
	}
	slices.Sort(out)
	return slices.Compact(out)
}
