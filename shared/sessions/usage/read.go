package usage

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/registry/sidefile"
	"github.com/agit-suite/agit/shared/sessions"
)

const schema = `
CREATE TABLE files (path TEXT PRIMARY KEY, client TEXT NOT NULL, size INTEGER NOT NULL, changed INTEGER NOT NULL, offset INTEGER NOT NULL, mark INTEGER NOT NULL, state TEXT NOT NULL, rows BLOB NOT NULL) WITHOUT ROWID;
`

// version is the version of the schema, the rows and the counts of readers; when it changes, the file is rebuilt.
const version = 3

// row holds the tokens of an answer, as one file holds it.
type row struct {
	key             uint64
	answer          uint64 // of the service's id of the answer; 0 where there is none
	session, parent string
	agent           bool
	at              int64 // milliseconds
	folder, branch  string
	model           string
	tokens          sessions.Tokens
}

// file is a client's file with its rows.
type file struct {
	path, client  string
	size, changed int64
	at            sessions.Position
	mark          int64 // the hash of the ends of what was read
	rows          []row
	blob          []byte // of rows, where they are not read yet
}

// files returns the clients' files that changed since a time, with their rows.
func (k Kept) files(ctx context.Context, since time.Time) ([]*file, error) {
	var kept *sidefile.File
	known := map[string]*file{}
	if k.Path != "" {
		var err error
		if kept, err = sidefile.Open(ctx, k.Path, sidefile.Schema{Version: version, SQL: schema}); err == nil {
			defer kept.Close()
			err = load(ctx, kept, since, known)
		}
		if err != nil { // everything is read anew, and the caller gets the same answer
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			k.problem(k.Path, err)
			kept = nil
			clear(known)
		}
	}
	u := &update{k: k, known: known, found: map[string]bool{}}
	u.find(ctx, kept, since)
	u.readAll(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if kept != nil {
		if err := u.store(ctx, kept); err != nil {
			k.problem(k.Path, err)
		}
	}
	return u.files, ctx.Err()
}

func (k Kept) problem(path string, err error) {
	if k.Problem != nil {
		k.Problem(path, err)
	}
}

// load reads the known facts of files, and the rows of those that changed since a time.
func load(ctx context.Context, kept *sidefile.File, since time.Time, known map[string]*file) error {
	var from int64
	if !since.IsZero() {
		from = since.UnixNano()
	}
	return kept.Each(ctx, func(scan func(...any) error) error {
		f := &file{}
		if err := scan(&f.path, &f.client, &f.size, &f.changed, &f.at.Offset, &f.mark, &f.at.State, &f.blob); err != nil {
			return err
		}
		known[f.path] = f
		return nil
	}, `SELECT path, client, size, changed, offset, mark, state, CASE WHEN changed >= ? THEN rows ELSE x'' END FROM files`, from)
}

// update brings files up to date.
type update struct {
	k     Kept
	known map[string]*file
	found map[string]bool
	files []*file
	todo  []task
	blind []string // clients with unreadable folders: their files do not count as gone

	mu      sync.Mutex
	changed []*file
}

type task struct {
	reader sessions.Reader
	src    sessions.Source
	was    *file // nil for a new one
}

// find lists the clients' files that changed since a time; files whose present state was read already need nothing more.
func (u *update) find(ctx context.Context, kept *sidefile.File, since time.Time) {
	readers := u.k.Readers
	if readers == nil {
		readers = sessions.Readers()
	}
	for _, r := range readers {
		if slices.Contains(u.k.Off, r.Client()) {
			continue
		}
		problem := func(path string, err error) {
			u.blind = append(u.blind, r.Client())
			u.k.problem(path, err)
		}
		for _, src := range r.Find(u.k.Home, problem) {
			u.found[src.Path] = true
			if src.Mod.Before(since) {
				continue
			}
			src.UsageOnly = true
			f := u.known[src.Path]
			if f != nil && len(f.blob) == 0 && kept.Get(ctx, `SELECT rows FROM files WHERE path = ?`, []any{src.Path}, &f.blob) != nil {
				f = nil
			}
			if f != nil && f.size == src.Size && f.changed == src.Mod.UnixNano() && f.decode() {
				u.files = append(u.files, f)
				continue
			}
			u.todo = append(u.todo, task{r, src, f})
		}
	}
}

// readAll reads what changed, some files at once.
func (u *update) readAll(ctx context.Context) {
	slices.SortFunc(u.todo, func(a, b task) int { return cmp.Compare(b.src.Size, a.src.Size) }) // the largest first
	next := make(chan task)
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(u.todo), mostReaders) {
		readers.Go(func() {
			for t := range next {
				f, err := t.read(ctx)
				if err != nil && ctx.Err() == nil {
					u.k.problem(t.src.Path, err)
				}
				u.mu.Lock()
				u.files = append(u.files, f)
				u.changed = append(u.changed, f)
				u.mu.Unlock()
			}
		})
	}
	for _, t := range u.todo {
		if ctx.Err() != nil {
			break
		}
		next <- t
	}
	close(next)
	readers.Wait()
}

const mostReaders = 8

// read returns a file with all of its rows. After an error it returns the readable ones, and the file is read again the next time.
func (t task) read(ctx context.Context) (*file, error) {
	f := &file{path: t.src.Path, client: t.reader.Client(), size: -1}
	if w := t.was; w != nil && !t.src.Whole && (t.src.Database || t.src.Size >= w.at.Offset && sessions.HashEnds(t.src.Path, w.at.Offset) == w.mark) && w.decode() {
		f.at, f.rows = w.at, slices.Clone(w.rows)
	}
	mine := make(map[uint64]int, len(f.rows)) // a file repeats an answer as it grows
	for i, r := range f.rows {
		mine[r.key] = i
	}
	at, err := t.reader.Read(ctx, t.src, f.at, func(r sessions.Row, _ sessions.Position) error {
		if r.Kind != sessions.Usage {
			return nil
		}
		one := row{key: hash(r.Key), session: r.Session, agent: r.Agent, at: r.At.UnixMilli(), folder: r.Folder, branch: r.Branch, model: r.Model, tokens: r.Tokens}
		if r.Answer != "" {
			one.answer = hash(r.Answer)
		}
		if r.Parent != r.Session {
			one.parent = r.Parent
		}
		if i, found := mine[one.key]; !found {
			mine[one.key] = len(f.rows)
			f.rows = append(f.rows, one)
		} else if better(one, f.rows[i]) {
			f.rows[i] = one
		}
		return nil
	})
	f.at = at
	if !t.src.Database {
		f.mark = sessions.HashEnds(t.src.Path, at.Offset)
	}
	if err == nil {
		f.size, f.changed = t.src.Size, t.src.Mod.UnixNano()
	}
	return f, err
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64()
}

// store keeps the rows that were read, and removes files that are gone.
func (u *update) store(ctx context.Context, kept *sidefile.File) error {
	var gone []string
	for path, f := range u.known {
		if !u.found[path] && !slices.Contains(u.blind, f.client) {
			gone = append(gone, path)
		}
	}
	if len(u.changed) == 0 && len(gone) == 0 {
		return nil
	}
	err := kept.Change(ctx, func(tx *sidefile.Tx) error {
		for _, f := range u.changed {
			if err := tx.Run(`INSERT INTO files (path, client, size, changed, offset, mark, state, rows) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET client = excluded.client, size = excluded.size, changed = excluded.changed, offset = excluded.offset, mark = excluded.mark, state = excluded.state, rows = excluded.rows`,
				f.path, f.client, f.size, f.changed, f.at.Offset, f.mark, f.at.State, encode(f.rows)); err != nil {
				return err
			}
		}
		for _, path := range gone {
			if err := tx.Run(`DELETE FROM files WHERE path = ?`, path); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
