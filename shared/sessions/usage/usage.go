// Package usage counts the tokens of answers in the sessions of agents' clients, each answer once, whoever started the
// session. It needs no index of texts: readers skip everything that does not count. The rows that were read are kept in a
// file of their own, so that only appended ones are read again.
//
// The file is derived from the clients' files: it can be deleted, and is made again. It holds no texts. A Kept is safe for
// concurrent use, even by several processes.
//
// usage.go decides what counts once, read.go brings files up to date, blob.go keeps their rows.
package usage

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/sessions"
)

// FileName is the file of kept rows, in the suite's folder.
const FileName = "usage.db"

// Answer is one answer of a model with its tokens.
type Answer struct {
	Client  string
	Session string // the client's id of the session; forks and subagents have that of the first
	Agent   bool   // of a subagent, or aside from the conversation
	At      time.Time
	Folder  string // the folder that the agent worked in
	Branch  string
	Model   string
	Tokens  sessions.Tokens
	// Own are the client's ids of all sessions of the lineage.
	Own []string
}

// Kept holds where rows are kept, and what is read.
type Kept struct {
	Path    string // of the file; "" keeps nothing
	Home    sessions.Home
	Off     []string          // clients that are left out
	Readers []sessions.Reader // nil is all
	// Problem receives the files and folders that cannot be read; it may be nil.
	Problem func(path string, err error)
}

// For counts sessions of the user whose folder is userHome, and keeps rows in the suite's folder
// agitHome. off are the names of clients and kinds that the configuration turns off (sources.off).
func For(agitHome, userHome string, getenv func(string) string, off []string) Kept {
	k := Kept{Path: filepath.Join(agitHome, FileName), Home: sessions.Home{Dir: userHome, Getenv: getenv}, Off: off}
	if slices.Contains(off, sessions.AllClients) {
		k.Readers = []sessions.Reader{}
	}
	return k
}

// Read returns the answers since a time, the oldest first; the zero time means all. Unreadable files are passed to Problem and left out;
// the error is that of ctx.
func (k Kept) Read(ctx context.Context, since time.Time) ([]Answer, error) {
	files, err := k.files(ctx, since)
	if err != nil {
		return nil, err
	}
	all := once(files)
	if !since.IsZero() {
		all = slices.DeleteFunc(all, func(a Answer) bool { return a.At.Before(since) })
	}
	slices.SortStableFunc(all, func(a, b Answer) int { return a.At.Compare(b.At) })
	return all, nil
}

// once counts each answer once. Among copies, that of the conversation wins over that of a side chain, then the larger: a client writes an
// answer's rows as it grows. A side chain repeats answers of the conversation, also under keys of its own. Sessions that share an answer
// are one lineage, as are a session and the parent that it names.
func once(files []*file) (all []Answer) {
	slices.SortFunc(files, func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	type place struct{ file, row int }
	first, at := map[key]int{}, []place{}
	lineage := lineages{}
	for i, f := range files {
		for j, r := range f.rows {
			session := name{f.client, r.session}
			if r.parent != "" {
				lineage.join(name{f.client, r.parent}, session)
			}
			id := key{f.client, r.key}
			n, found := first[id]
			if !found {
				first[id] = len(at)
				at = append(at, place{i, j})
				continue
			}
			was := files[at[n].file].rows[at[n].row]
			lineage.join(name{f.client, was.session}, session)
			if better(r, was) {
				at[n] = place{i, j}
			}
		}
	}
	talked := map[key]bool{} // answers of conversations
	for _, p := range at {
		if r := files[p.file].rows[p.row]; !r.agent && r.answer != 0 {
			talked[key{files[p.file].client, r.answer}] = true
		}
	}
	all = make([]Answer, 0, len(at))
	for _, p := range at {
		f := files[p.file]
		r := f.rows[p.row]
		if r.agent && talked[key{f.client, r.answer}] {
			continue
		}
		all = append(all, Answer{Client: f.client, Session: r.session, Agent: r.agent, At: time.UnixMilli(r.at), Folder: r.folder, Branch: r.branch, Model: r.model, Tokens: r.tokens})
	}
	lineage.name(all)
	return all
}

type key struct {
	client string
	hash   uint64
}

type name struct{ client, session string }

func better(r, was row) bool {
	if r.agent != was.agent {
		return was.agent
	}
	return r.tokens.Total() > was.tokens.Total()
}

// lineages are sets of sessions that belong together.
type lineages map[name]name

func (l lineages) root(n name) name {
	for {
		up, ok := l[n]
		if !ok || up == n {
			return n
		}
		n = up
	}
}

func (l lineages) join(a, b name) {
	if a == b {
		return
	}
	if a, b = l.root(a), l.root(b); a != b {
		l[b] = a
	}
}

// name gives the answers of a lineage the session of its oldest answer.
func (l lineages) name(all []Answer) {
	if len(l) == 0 {
		return
	}
	oldest, own := map[name]*Answer{}, map[name][]string{}
	for i := range all {
		a := &all[i]
		root := l.root(name{a.Client, a.Session})
		if o := oldest[root]; o == nil || a.At.Before(o.At) || a.At.Equal(o.At) && a.Session < o.Session {
			oldest[root] = a
		}
		if !slices.Contains(own[root], a.Session) {
			own[root] = append(own[root], a.Session)
		}
	}
	forked := slices.SortedFunc(maps.Keys(l), func(a, b name) int { return cmp.Or(cmp.Compare(a.client, b.client), cmp.Compare(a.session, b.session)) })
	for _, n := range forked { // also sessions whose answers all count as those of another
		root := l.root(n)
		for _, session := range []string{n.session, root.session} {
			if !slices.Contains(own[root], session) {
				own[root] = append(own[root], session)
			}
		}
	}
	called := make(map[name]string, len(oldest))
	for root, a := range oldest {
		called[root] = a.Session
	}
	for i := range all {
		root := l.root(name{all[i].Client, all[i].Session})
		all[i].Session, all[i].Own = called[root], own[root]
	}
}
