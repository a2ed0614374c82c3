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
		m := p.merge()
		if p.err != nil {
			return all, p.err
		}
		all = append(all, m)
	}
	return all, nil
}

// mergeParser reads fields until the first error, and empty ones after it.
type mergeParser struct {
	rest []byte
	err  error
}

func (p *mergeParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("git merge-tree: "+format, args...)
	}
}

func (p *mergeParser) field() string {
	field, rest, ok := bytes.Cut(p.rest, []byte{0})
	if !ok {
		p.fail("the answer is cut short at %.40q", p.rest)
	}
	if p.err != nil {
		return ""
	}
	p.rest = rest
	return string(field)
}

func (p *mergeParser) merge() Merge {
	status := p.field()
	if status != "0" && status != "1" {
		p.fail("status %.40q is not known", status)
	}
	tree := p.field()
	if !IsOID(tree) {
		p.fail("%.80q is not a tree", tree)
	}
	stages := p.stages()
	if status == "1" {
		return Merge{Clean: true, Tree: tree}
	}
	return Merge{Conflicts: tidyConflicts(p.messages(), stages)}
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
func (p *mergeParser) stages() map[string]mergeStages {
	unmerged := map[string]mergeStages{}
	for field := p.field(); field != ""; field = p.field() {
		meta, path, ok := strings.Cut(field, "\t")
		f := strings.Fields(meta) // mode, blob, stage
		if !ok || len(f) != 3 || len(f[2]) != 1 || f[2] < "1" || f[2] > "3" {
			p.fail("%.80q is not an entry", field)
			return nil
		}
		at := unmerged[path]
		at[f[2][0]-'1'] = f[1]
		unmerged[path] = at
	}
	return unmerged
}

// submoduleAdvice is the beginning of a text for people that git before 2.40 prints in place of the end of the messages about a conflict in
// a submodule.
const submoduleAdvice = "Recursive merging with submodules"

// messages reads git's messages up to the empty field that ends them, and keeps the conflicts.
func (p *mergeParser) messages() (all []MergeConflict) {
	for count := p.field(); count != "" && !strings.HasPrefix(count, submoduleAdvice); count = p.field() {
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 || n > len(p.rest) {
			p.fail("%.40q is not a number of paths", count)
			return nil
		}
		paths := make([]string, 0, min(n, 8))
		for range n {
			paths = append(paths, p.field())
		}
		kind := p.field()
		p.field() // the sentence for people
		if n == 0 {
			continue
		}
		if name, ok := strings.CutPrefix(kind, "CONFLICT ("); ok {
			all = append(all, MergeConflict{Kind: strings.TrimSuffix(name, ")"), Paths: paths})
		} else if strings.HasPrefix(kind, "CONFLICT") || strings.HasPrefix(kind, "ERROR") {
			all = append(all, MergeConflict{Kind: strings.ToLower(kind), Paths: paths})
		}
	}
	return all
}
