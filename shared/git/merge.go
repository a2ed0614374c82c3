package git

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Merge is the result of merging two commits, without making it.
type Merge struct {
	Clean     bool
	Tree      string // the tree that a clean merge would commit
	Conflicts []MergeConflict
	Failed    string // why git could not merge; the other fields are empty then
}

// MergeConflict is one conflict that git's merge could not resolve.
type MergeConflict struct {
	Kind  string   // "contents", "modify/delete", "rename/rename", "add/add", …
	Paths []string // the files concerned, the most informative one first
	// Base, Ours and Theirs are the blobs of those files on each side.
	Base, Ours, Theirs []string
}

// MergeTreeMinor is the first minor version of git 2 that can merge without a working tree.
const MergeTreeMinor = 38

// ParseMerges reads the answers of `git merge-tree --stdin`, each
//
//	status NUL tree NUL
//	and when it conflicts: (mode SP oid SP stage TAB path NUL)* NUL
//	(count NUL path NUL … kind NUL text NUL)*
//	NUL
//
// With an error, the complete answers before it.
func ParseMerges(out []byte) ([]Merge, error) {
	p := &mergeParser{rest: out}
	var all []Merge
	for len(p.rest) > 0 {
		m, err := p.merge()
		if err != nil {
			return all, err
		}
		all = append(all, m)
	}
	return all, nil
}

type mergeParser struct{ rest []byte }

func (p *mergeParser) field() (string, error) {
	field, rest, ok := bytes.Cut(p.rest, []byte{0})
	if !ok {
		return "", fmt.Errorf("git merge-tree: the answer is cut short at %.40q", p.rest)
	}
	p.rest = rest
	return string(field), nil
}

func (p *mergeParser) merge() (Merge, error) {
	status, err := p.field()
	if err != nil {
		return Merge{}, err
	}
	if status != "0" && status != "1" {
		return Merge{}, fmt.Errorf("git merge-tree: status %.40q is not known", status)
	}
	tree, err := p.field()
	if err != nil || !IsOID(tree) {
		return Merge{}, fmt.Errorf("git merge-tree: %.80q is not a tree", tree)
	}
	stages, err := p.stages()
	if err != nil || status == "1" {
		return Merge{Clean: status == "1", Tree: tree}, err
	}
	var m Merge
	if m.Conflicts, err = p.messages(); err != nil {
		return m, err
	}
	m.Conflicts = tidyConflicts(m.Conflicts, stages)
	return m, nil
}

// mergeStages are the blobs of an unmerged path: base, ours, theirs; empty on a side without the path.
type mergeStages [3]string

// tidyConflicts refines git's kinds: content without a base is "add/add", and "contents" is dropped beside "binary".
func tidyConflicts(all []MergeConflict, unmerged map[string]mergeStages) []MergeConflict {
	binary := map[string]bool{}
	for i := range all {
		c := &all[i]
		binary[c.Paths[0]] = binary[c.Paths[0]] || c.Kind == "binary"
		if at, ok := unmerged[c.Paths[0]]; c.Kind == contents && ok && at[0] == "" {
			c.Kind = "add/add"
		}
		for _, path := range c.Paths {
			at := unmerged[path]
			c.Base, c.Ours, c.Theirs = appendBlob(c.Base, at[0]), appendBlob(c.Ours, at[1]), appendBlob(c.Theirs, at[2])
		}
	}
	return slices.DeleteFunc(all, func(c MergeConflict) bool { return c.Kind == contents && binary[c.Paths[0]] })
}

func appendBlob(all []string, oid string) []string {
	if oid == "" {
		return all
	}
	return append(all, oid)
}

// contents is git's kind for lines that both sides changed.
const contents = "contents"

// stages reads the unmerged entries up to the empty field that ends them.
func (p *mergeParser) stages() (map[string]mergeStages, error) {
	unmerged := map[string]mergeStages{}
	for {
		field, err := p.field()
		if err != nil || field == "" {
			return unmerged, err
		}
		meta, path, ok := strings.Cut(field, "\t")
		f := strings.Fields(meta) // mode, blob, stage
		if !ok || len(f) != 3 || len(f[2]) != 1 || f[2] < "1" || f[2] > "3" {
			return nil, fmt.Errorf("git merge-tree: %.80q is not an entry", field)
		}
		at := unmerged[path]
		at[f[2][0]-'1'] = f[1]
		unmerged[path] = at
	}
}

// submoduleAdvice is the beginning of a text for people that git before 2.40 prints in place of the end of the messages about a conflict in
// a submodule.
const submoduleAdvice = "Recursive merging with submodules"

// messages reads git's messages up to the empty field that ends them, and keeps the conflicts.
func (p *mergeParser) messages() (all []MergeConflict, err error) {
	for {
		count, err := p.field()
		if err != nil || count == "" || strings.HasPrefix(count, submoduleAdvice) {
			return all, err
		}
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 || n > len(p.rest) {
			return nil, fmt.Errorf("git merge-tree: %.40q is not a number of paths", count)
		}
		paths := make([]string, 0, min(n, 8))
		for range n {
			path, err := p.field()
			if err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
		kind, err := p.field()
		if err != nil {
			return nil, err
		}
		if _, err := p.field(); err != nil { // the sentence for people
			return nil, err
		}
		if n == 0 {
			continue
		}
		if name, ok := strings.CutPrefix(kind, "CONFLICT ("); ok {
			all = append(all, MergeConflict{Kind: strings.TrimSuffix(name, ")"), Paths: paths})
		} else if strings.HasPrefix(kind, "CONFLICT") || strings.HasPrefix(kind, "ERROR") {
			all = append(all, MergeConflict{Kind: strings.ToLower(kind), Paths: paths})
		}
	}
}
