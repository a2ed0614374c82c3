package scan

import (
	"bytes"
	"crypto/sha256"
	"hash"

	"github.com/agit-suite/agit/shared/git/gitindex"
)

// A sweep looks at every tracked file, and at every folder above one, by stat alone. Its digest changes when any of them does: an edit in
// place changes the file's times, and making or removing a file changes its folder's.
type sweep struct {
	sum      hash.Hash
	pending  []byte
	youngest int64        // latest time of anything seen
	suspects []int        // entries the index does not prove unchanged
	stats    map[int]Stat // of the suspects
	stack    []level
	dir      []byte                   // path of the current innermost folder; the paths of the stack are prefixes of it
	head     func(path []byte) string // commit that a submodule is at, "" when it is not checked out
}

// level is an open folder on the way to the current entry.
type level struct {
	folder
	prefix int // length of the folder's path with its slash
	ok     bool
}

// digest identifies a state of the file system.
type digest [sha256.Size]byte

// over visits the entries of ix below root, in order. The entries of a folder and its sub-folders are adjacent, so the folders on the way
// form a stack.
func (s *sweep) over(root folder, ix *gitindex.Index, indexMtime int64) {
	s.stack = append(s.stack[:0], level{folder: root, ok: true})
	s.note(root.self())
	var last []byte
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.Stage != 0 && bytes.Equal(e.Name, last) {
			continue // the same file at another stage
		}
		last = e.Name
		s.entry(i, e, indexMtime)
	}
	for len(s.stack) > 1 {
		s.pop()
	}
}

func (s *sweep) entry(i int, e *gitindex.Entry, indexMtime int64) {
	in := s.enter(e.Name)
	if e.AssumeUnchanged && e.Stage == 0 {
		return // the user told git not to look
	}
	var st Stat
	if in.ok {
		st = in.statEntry(e.Name[in.prefix:])
	}
	if e.Mode == gitindex.ModeGitlink {
		s.note(Stat{Mode: st.Mode, Ino: st.Ino}) // changes inside a submodule change no time that matters
		s.gitlink(i, e, st)
		return
	}
	s.note(st)
	switch {
	case e.SkipWorktree && e.Stage == 0 && !st.exists(): // sparse: meant to be absent
	case e.Stage != 0 || e.IntentToAdd || !st.unchanged(e, indexMtime):
		s.suspects = append(s.suspects, i)
		s.stats[i] = st
	}
}

func (s *sweep) gitlink(i int, e *gitindex.Entry, st Stat) {
	commit := ""
	if st.Mode == modeFolder {
		commit = s.head(e.Name)
		s.flush()
		s.sum.Write([]byte(commit))
	}
	if e.SkipWorktree && !st.exists() {
		return
	}
	if commit != "" || st.Mode != modeFolder {
		s.suspects = append(s.suspects, i)
		s.stats[i] = st
	}
}

// enter makes the folder of name the top of the stack.
func (s *sweep) enter(name []byte) *level {
	for {
		top := &s.stack[len(s.stack)-1]
		if bytes.HasPrefix(name, s.dir[:top.prefix]) {
			break
		}
		s.pop()
	}
	for {
		top := &s.stack[len(s.stack)-1]
		n := bytes.IndexByte(name[top.prefix:], '/')
		if n < 0 {
			return top
		}
		s.push(top, name[:top.prefix+n+1])
	}
}

func (s *sweep) push(top *level, path []byte) {
	next := level{prefix: len(path)}
	if top.ok {
		next.folder, next.ok = top.sub(path[top.prefix:len(path)-1], false)
	}
	if next.ok {
		s.note(next.self())
	} else {
		s.note(Stat{})
	}
	s.dir = append(s.dir[:0], path...)
	s.stack = append(s.stack, next)
}

func (s *sweep) pop() {
	top := s.stack[len(s.stack)-1]
	if top.ok {
		top.close()
	}
	s.stack = s.stack[:len(s.stack)-1]
}

func (s *sweep) note(st Stat) {
	s.youngest = max(s.youngest, st.latest())
	if len(s.pending)+statBytes > cap(s.pending) {
		s.flush()
	}
	s.pending = st.appendTo(s.pending)
}

func (s *sweep) flush() {
	s.sum.Write(s.pending)
	s.pending = s.pending[:0]
}
