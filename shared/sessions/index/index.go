// Package index keeps the content of clients' sessions in a file of its own, so that a question takes milliseconds: what
// was asked, answered, edited and run, and the tokens of each answer.
//
// The file is derived from the clients' files: it can be deleted, and is made again. Texts are redacted before they are
// stored. Each row is kept once, by its key, for the file in which it was found first; sessions that share rows are one
// lineage. An Index is safe for concurrent use, even by several processes: one of them updates it, and the others answer
// from its content.
package index

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/registry/sidefile"
	"github.com/agit-suite/agit/shared/sessions"
)

// FileName is the index, in the suite's folder.
const FileName = "sessions.db"

const schema = `
CREATE TABLE files (id INTEGER PRIMARY KEY, client TEXT NOT NULL, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, changed INTEGER NOT NULL, offset INTEGER NOT NULL, marked INTEGER NOT NULL, mark INTEGER NOT NULL, state TEXT NOT NULL, passed INTEGER NOT NULL, problem TEXT NOT NULL);
CREATE TABLE places (id INTEGER PRIMARY KEY, folder TEXT NOT NULL UNIQUE, project TEXT NOT NULL);
CREATE TABLE transcripts (id INTEGER PRIMARY KEY, client TEXT NOT NULL, name TEXT NOT NULL, lineage INTEGER NOT NULL, UNIQUE (client, name));
CREATE INDEX transcripts_by_lineage ON transcripts (lineage);
CREATE TABLE entries (id INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, file INTEGER NOT NULL, session INTEGER NOT NULL, at INTEGER NOT NULL, kind INTEGER NOT NULL, place INTEGER NOT NULL, branch TEXT NOT NULL, agent INTEGER NOT NULL, path TEXT NOT NULL, failed INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX entries_by_session ON entries (session, at);
CREATE INDEX entries_by_path ON entries (path) WHERE path <> '';
CREATE INDEX entries_by_file ON entries (file);
CREATE INDEX entries_by_time ON entries (at);
CREATE TABLE answers (key INTEGER PRIMARY KEY, file INTEGER NOT NULL, session INTEGER NOT NULL, at INTEGER NOT NULL, place INTEGER NOT NULL, branch TEXT NOT NULL, model TEXT NOT NULL, agent INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_5m INTEGER NOT NULL, cache_1h INTEGER NOT NULL, cost REAL NOT NULL);
CREATE INDEX answers_by_file ON answers (file);
CREATE TABLE copies (file INTEGER NOT NULL, owner INTEGER NOT NULL, PRIMARY KEY (file, owner)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (text, content='entries', content_rowid='id', tokenize='porter unicode61');
INSERT INTO words (words, rank) VALUES ('hashsize', 4000000);
`

// version is the version of the schema, the readers and the redaction; when one of them changes, the index is rebuilt.
const version = 4

// Index is an open index.
type Index struct {
	file *sidefile.File
}

// Open opens the index at path, which is made where it does not exist.
func Open(ctx context.Context, path string) (*Index, error) {
	file, err := sidefile.Open(ctx, path, sidefile.Schema{Version: version, SQL: schema, Page: 16384, Cache: 4000})
	if err != nil {
		return nil, err
	}
	return &Index{file: file}, nil
}

// Close releases the file.
func (x *Index) Close() error { return x.file.Close() }

// Options are what an update reads.
type Options struct {
	Home     sessions.Home
	Off      []string              // clients that are left out; their rows are removed
	Progress func(done, all int64) // called with bytes, now and then; may be nil
	Readers  []sessions.Reader     // nil is all
}

// Update reads what clients wrote since the last update, the newest files first. ctx may end it at any time: the rows read so far stay, and
// the next update continues. When another process updates the index, it returns at once.
func (x *Index) Update(ctx context.Context, o Options) error {
	lock := flock.New(x.file.Path() + ".lock")
	free, err := lock.TryLock()
	if err != nil || !free {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if o.Readers == nil {
		o.Readers = sessions.Readers()
	}
	u := &update{x: x, o: o, found: map[string]bool{}, sessions: map[sessionKey]session{}, places: map[string]int64{}}
	if err := u.load(ctx); err != nil {
		return err
	}
	if err := u.number(ctx); err != nil {
		return err
	}
	for range 3 { // files that shared rows with a changed one are read again
		again, err := u.pass(ctx)
		if err != nil || !again {
			return err
		}
	}
	return nil
}

type update struct {
	x         *Index
	o         Options
	known     map[string]file // by path
	found     map[string]bool
	sessions  map[sessionKey]session
	places    map[string]int64
	last      int64 // the highest id of an entry
	worded    int64 // the highest id of an entry whose words are indexed; those of the others are when the transaction ends
	all, done int64
	again     bool
}

// file is a row of files.
type file struct {
	id, size, changed int64
	client            string
	at                sessions.Position
	marked, mark      int64 // the hash of so many bytes at the beginning and before the offset
	problem           string
}

func (u *update) load(ctx context.Context) error {
	u.known = map[string]file{}
	return u.x.file.Each(ctx, func(scan func(...any) error) error {
		var f file
		var path string
		err := scan(&f.id, &f.client, &path, &f.size, &f.changed, &f.at.Offset, &f.marked, &f.mark, &f.at.State, &f.at.Passed, &f.problem)
		u.known[path] = f
		return err
	}, `SELECT id, client, path, size, changed, offset, marked, mark, state, passed, problem FROM files`)
}

// number finds the highest id of an entry; new entries are numbered from it.
func (u *update) number(ctx context.Context) error {
	return u.x.file.Get(ctx, `SELECT COALESCE(max(id), 0) FROM entries`, nil, &u.last)
}

// pass looks at every file once; again reports that files must be read once more.
func (u *update) pass(ctx context.Context) (again bool, err error) {
	var todo []work
	u.again, u.all, u.done = false, 0, 0
	clear(u.found)
	for _, r := range u.o.Readers {
		if slices.Contains(u.o.Off, r.Client()) {
			continue
		}
		for _, src := range r.Find(u.o.Home, func(path string, _ error) { u.found[path] = true }) {
			u.found[src.Path] = true
			f, ok := u.known[src.Path]
			if ok && f.size == src.Size && f.changed == src.Mod.UnixNano() {
				continue
			}
			todo = append(todo, work{r, src})
			u.all += src.Size - f.at.Offset
		}
	}
	for path, f := range u.known {
		if u.found[path] || u.under(path) {
			continue
		}
		if err := u.forget(ctx, path, f); err != nil {
			return false, err
		}
	}
	slices.SortFunc(todo, func(a, b work) int { return b.src.Mod.Compare(a.src.Mod) })
	for len(todo) > 0 {
		n, err := u.read(ctx, todo)
		if err != nil {
			return false, err
		}
		todo = todo[n:]
	}
	return u.again, nil
}

// work is a file to bring up to date.
type work struct {
	reader sessions.Reader
	src    sessions.Source
}

// whole reports whether a file is read in one go, so that no half of it is kept.
func (w work) whole() bool { return w.src.Whole || w.src.Database }

// replaced reports whether the part of a file that was read is no longer there.
func (u *update) replaced(w work) bool {
	f, known := u.known[w.src.Path]
	return known && !w.src.Database && (w.src.Whole || w.src.Size < f.at.Offset || !f.same(w.src.Path))
}

func (u *update) under(path string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if u.found[dir] {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// batch is how many rows one transaction holds at most.
const batch = 8000

var errBatch = errors.New("the batch is full")

// read brings the first files of todo up to date in one transaction, and returns how many are done. When ctx ends, the rows read so far are
// kept for files that only grow.
func (u *update) read(ctx context.Context, todo []work) (done int, err error) {
	if u.replaced(todo[0]) {
		if err := u.forget(ctx, todo[0].src.Path, u.known[todo[0].src.Path]); err != nil {
			return 0, err
		}
	}
	read, bytes := map[string]file{}, int64(0)
	files := func(tx *sidefile.Tx) error {
		for rows := 0; done < len(todo) && rows <= batch && ctx.Err() == nil; {
			w := todo[done]
			if done > 0 && (w.whole() || u.replaced(w)) {
				return nil // the next transaction begins with it
			}
			f := u.known[w.src.Path]
			f.client, f.problem = w.reader.Client(), ""
			began := f.at.Offset
			more, err := u.file(ctx, tx, w, &f, &rows)
			if err != nil {
				return err
			}
			read[w.src.Path] = f
			if more {
				bytes += f.at.Offset - began
				return nil
			}
			bytes += w.src.Size - began
			if done++; w.whole() {
				return nil
			}
		}
		return nil
	}
	err = u.x.file.Change(context.WithoutCancel(ctx), func(tx *sidefile.Tx) error {
		u.worded = u.last
		if err := files(tx); err != nil {
			return err
		}
		// In one statement, after all others: SQLite writes the words it holds back before each INSERT … SELECT and RETURNING.
		return tx.Run(`INSERT INTO words (rowid, text) SELECT id, text FROM entries WHERE id > ?`, u.worded)
	})
	if err != nil {
		return 0, err
	}
	for path, f := range read {
		u.known[path] = f
	}
	if u.done += bytes; u.o.Progress != nil {
		u.o.Progress(u.done, u.all)
	}
	return done, ctx.Err()
}

// file brings a file up to date; more reports that its end was not reached.
func (u *update) file(ctx context.Context, tx *sidefile.Tx, w work, f *file, rows *int) (more bool, err error) {
	if err := f.keep(tx, w.src); err != nil {
		return false, err
	}
	p := &put{u: u, tx: tx, file: f.id, client: f.client}
	at, err := w.reader.Read(ctx, w.src, f.at, func(row sessions.Row, at sessions.Position) error {
		if *rows > batch && !w.whole() && at.Offset > f.at.Offset {
			return errBatch
		}
		*rows++
		return p.row(row)
	})
	switch {
	case errors.Is(err, errBatch) || err != nil && ctx.Err() != nil && !w.whole():
		more = true
	case err != nil && ctx.Err() != nil:
		return false, err
	case err != nil:
		f.problem = err.Error()
	}
	f.at = at
	if !more && f.problem == "" {
		f.size, f.changed = w.src.Size, w.src.Mod.UnixNano()
	} else {
		f.size = -1
	}
	if !w.src.Database {
		f.marked, f.mark = f.at.Offset, sessions.HashEnds(w.src.Path, f.at.Offset)
	}
	return more, f.keep(tx, w.src)
}

func (f *file) keep(tx *sidefile.Tx, src sessions.Source) error {
	if f.id == 0 {
		return tx.Get(`INSERT INTO files (client, path, size, changed, offset, marked, mark, state, passed, problem) VALUES (?, ?, -1, 0, 0, 0, 0, '', 0, '') RETURNING id`, []any{f.client, src.Path}, &f.id)
	}
	return tx.Run(`UPDATE files SET size = ?, changed = ?, offset = ?, marked = ?, mark = ?, state = ?, passed = ?, problem = ? WHERE id = ?`,
		f.size, f.changed, f.at.Offset, f.marked, f.mark, f.at.State, f.at.Passed, f.problem, f.id)
}

func (f *file) same(path string) bool { return sessions.HashEnds(path, f.marked) == f.mark }

// forget removes the rows of a file. Files that hold copies of them are read again.
func (u *update) forget(ctx context.Context, path string, f file) error {
	delete(u.known, path)
	u.again = true
	var others []int64
	err := u.x.file.Change(ctx, func(tx *sidefile.Tx) error {
		others = nil
		note := func(scan func(...any) error) error {
			var id int64
			err := scan(&id)
			others = append(others, id)
			return err
		}
		if err := tx.Each(note, `SELECT file FROM copies WHERE owner = ?`, f.id); err != nil {
			return err
		}
		if err := apart(tx, f.id, note); err != nil {
			return err
		}
		for _, statement := range []string{
			`INSERT INTO words (words, rowid, text) SELECT 'delete', id, text FROM entries WHERE file = ?`,
			`DELETE FROM entries WHERE file = ?`, `DELETE FROM answers WHERE file = ?`, `DELETE FROM files WHERE id = ?`,
			`DELETE FROM copies WHERE file = ?`, `DELETE FROM copies WHERE owner = ?`,
		} {
			if err := tx.Run(statement, f.id); err != nil {
				return err
			}
		}
		for _, id := range others {
			if err := tx.Run(`UPDATE files SET size = -1, offset = 0, marked = 0, mark = ?, state = '', passed = 0 WHERE id = ?`, emptyMark, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = u.number(ctx)
	}
	if err != nil {
		return err
	}
	clear(u.sessions)
	for path, f := range u.known {
		if slices.Contains(others, f.id) {
			f.size, f.at, f.marked, f.mark = -1, sessions.Position{}, 0, emptyMark
			u.known[path] = f
		}
	}
	return nil
}

// apart dissolves the lineages of several sessions that a file takes part in. It notes the other files of these lineages, which restore
// those that still hold.
func apart(tx *sidefile.Tx, file int64, note func(scan func(...any) error) error) error {
	const lineages = `SELECT s.lineage FROM transcripts s JOIN entries e ON e.session = s.id JOIN transcripts o ON o.lineage = s.lineage AND o.id <> s.id WHERE e.file = ?`
	if err := tx.Each(note, `SELECT DISTINCT e.file FROM transcripts s JOIN entries e ON e.session = s.id WHERE e.file <> ? AND s.lineage IN (`+lineages+`)`, file, file); err != nil {
		return err
	}
	return tx.Run(`UPDATE transcripts SET lineage = id WHERE lineage IN (`+lineages+`)`, file)
}

// emptyMark is the mark of a file before any byte was read.
var emptyMark = sessions.HashEnds("", 0)
