package index

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry/sidefile"
	"github.com/agit-suite/agit/shared/sessions"
)

type sessionKey struct{ client, name string }

type session struct{ id, lineage int64 }

// put stores the rows of one file in one transaction.
type put struct {
	u      *update
	tx     *sidefile.Tx
	file   int64
	client string
}

// errorKind is the kind of the output of a failed call; readers emit it as a Result.
const errorKind = 100

// longest are the bytes that are kept of a text, by its kind; of all others it is shortText.
var longest = map[int]int{int(sessions.Prompt): 8000, int(sessions.Summary): 8000, int(sessions.Answer): 4000}

const shortText = 1500

func hash(client, key string) int64 {
	sum := sha256.Sum256([]byte(client + "\x00" + key))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

func (p *put) row(r sessions.Row) error {
	s, err := p.session(r.Session)
	if err != nil {
		return err
	}
	if r.Parent != "" && r.Parent != r.Session {
		if s, err = p.join(r.Parent, r.Session); err != nil {
			return err
		}
	}
	place, err := p.place(r.Folder)
	if err != nil {
		return err
	}
	switch r.Kind {
	case sessions.Usage:
		return p.usage(r, s, place)
	case sessions.Result:
		if !r.Failed {
			return nil
		}
		if err := p.tx.Run(`UPDATE entries SET failed = 1 WHERE key = ?`, hash(p.client, r.Key)); err != nil {
			return err
		}
		r.Key = "error " + r.Key
		return p.entry(r, errorKind, s, place)
	}
	return p.entry(r, int(r.Kind), s, place)
}

func (p *put) entry(r sessions.Row, kind int, s session, place int64) error {
	text, path := clean(r.Text, cmp.Or(longest[kind], shortText)), r.Path
	if path != "" {
		if !filepath.IsAbs(path) && r.Folder != "" {
			path = filepath.Join(r.Folder, path)
		}
		path = clean(path, 2000)
		text = path
	}
	if text == "" || kind == int(sessions.Command) && asks(text) {
		return nil
	}
	key := hash(p.client, r.Key)
	n, err := p.tx.Changed(`INSERT INTO entries (id, key, file, session, at, kind, place, branch, agent, path, failed, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
		p.u.last+1, key, p.file, s.id, r.At.UnixMilli(), kind, place, clean(r.Branch, 200), r.Agent, path, r.Failed, text)
	if err != nil {
		return err
	}
	if n == 0 && r.Grows {
		return p.grow(key, text)
	}
	if n == 0 {
		return p.copied(`SELECT e.file, s.id, s.name FROM entries e JOIN transcripts s ON s.id = e.session WHERE e.key = ?`, key, r.Session)
	}
	p.u.last++
	return nil
}

// grow replaces the text of an entry when the new one is longer.
func (p *put) grow(key int64, text string) error {
	var id int64
	var old string
	if err := p.tx.Get(`SELECT id, text FROM entries WHERE key = ?`, []any{key}, &id, &old); err != nil || len(text) <= len(old) {
		return err
	}
	if err := p.tx.Run(`UPDATE entries SET text = ? WHERE id = ?`, text, id); err != nil || id > p.u.worded {
		return err
	}
	if err := p.tx.Run(`INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)`, id, old); err != nil {
		return err
	}
	return p.tx.Run(`INSERT INTO words (rowid, text) VALUES (?, ?)`, id, text)
}

// asks reports whether a command is a question to the suite itself, which would be the best answer to itself.
func asks(command string) bool {
	return slices.ContainsFunc([]string{"recall", "history", "prior-art"}, func(verb string) bool { return strings.Contains(command, "memoryd "+verb) })
}

// copied notes that another file already holds a row: the two are read together, and their sessions are one lineage.
func (p *put) copied(query string, key int64, name string) error {
	var file, id int64
	var owner string
	if err := p.tx.Get(query, []any{key}, &file, &id, &owner); err != nil {
		return err
	}
	if file != p.file {
		if err := p.tx.Run(`INSERT INTO copies (file, owner) VALUES (?, ?) ON CONFLICT DO NOTHING`, p.file, file); err != nil {
			return err
		}
	}
	if owner == name {
		return nil
	}
	_, err := p.join(owner, name)
	return err
}

// usage stores the tokens of an answer. If an answer is found twice, the conversation's own count wins, then the larger: a client writes an
// answer's rows as it grows.
func (p *put) usage(r sessions.Row, s session, place int64) error {
	key, t := hash(p.client, r.Key), r.Tokens
	all := []any{p.file, s.id, r.At.UnixMilli(), place, clean(r.Branch, 200), clean(r.Model, 200), r.Agent, t.Input, t.Output, t.CacheRead, t.Cache5m, t.Cache1h, t.Cost, key}
	n, err := p.tx.Changed(`INSERT INTO answers (file, session, at, place, branch, model, agent, input, output, cache_read, cache_5m, cache_1h, cost, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`, all...)
	if err != nil || n > 0 {
		return err
	}
	if err := p.copied(`SELECT a.file, s.id, s.name FROM answers a JOIN transcripts s ON s.id = a.session WHERE a.key = ?`, key, r.Session); err != nil {
		return err
	}
	var owner, total int64
	var agent bool
	if err := p.tx.Get(`SELECT file, agent, input + output + cache_read + cache_5m + cache_1h FROM answers WHERE key = ?`, []any{key}, &owner, &agent, &total); err != nil {
		return err
	}
	if r.Agent && !agent || r.Agent == agent && t.Total() <= total {
		return nil
	}
	if owner != p.file {
		if err := p.tx.Run(`INSERT INTO copies (file, owner) VALUES (?, ?) ON CONFLICT DO NOTHING`, owner, p.file); err != nil {
			return err
		}
	}
	return p.tx.Run(`UPDATE answers SET file = ?, session = ?, at = ?, place = ?, branch = ?, model = ?, agent = ?, input = ?, output = ?, cache_read = ?, cache_5m = ?, cache_1h = ?, cost = ? WHERE key = ?`, all...)
}

// session returns the row of a client's session, and makes it when it is new.
func (p *put) session(name string) (session, error) {
	key := sessionKey{p.client, name}
	if s, ok := p.u.sessions[key]; ok {
		return s, nil
	}
	var s session
	err := p.tx.Get(`SELECT id, lineage FROM transcripts WHERE client = ? AND name = ?`, []any{p.client, name}, &s.id, &s.lineage)
	if errors.Is(err, sidefile.ErrNone) {
		if err = p.tx.Get(`INSERT INTO transcripts (client, name, lineage) VALUES (?, ?, 0) RETURNING id`, []any{p.client, name}, &s.id); err == nil {
			s.lineage = s.id
			err = p.tx.Run(`UPDATE transcripts SET lineage = id WHERE id = ?`, s.id)
		}
	}
	if err == nil {
		p.u.sessions[key] = s
	}
	return s, err
}

// join makes two sessions one lineage, and returns the second.
func (p *put) join(parent, child string) (session, error) {
	a, err := p.session(parent)
	if err != nil {
		return a, err
	}
	b, err := p.session(child)
	if err != nil || a.lineage == b.lineage {
		return b, err
	}
	to, from := min(a.lineage, b.lineage), max(a.lineage, b.lineage)
	if err := p.tx.Run(`UPDATE transcripts SET lineage = ? WHERE lineage = ?`, to, from); err != nil {
		return b, err
	}
	for key, s := range p.u.sessions {
		if s.lineage == from {
			p.u.sessions[key] = session{s.id, to}
		}
	}
	b.lineage = to
	return b, nil
}

// place returns the row of a folder, with its project.
func (p *put) place(folder string) (int64, error) {
	if id, ok := p.u.places[folder]; ok {
		return id, nil
	}
	var id int64
	err := p.tx.Get(`INSERT INTO places (folder, project) VALUES (?, ?) ON CONFLICT (folder) DO UPDATE SET project = excluded.project RETURNING id`, []any{clean(folder, 2000), ProjectOf(folder)}, &id)
	if err == nil {
		p.u.places[folder] = id
	}
	return id, err
}

// ProjectOf returns the main folder of the repository of a folder, by git's common directory: worktrees and subfolders belong to one
// project. For a folder that is gone it looks above; a folder outside of repositories is its own project.
func ProjectOf(folder string) string {
	if folder == "" || !filepath.IsAbs(folder) {
		return ""
	}
	home, _ := os.UserHomeDir()
	for dir := filepath.Clean(folder); dir != filepath.Dir(dir) && dir != home; dir = filepath.Dir(dir) {
		repo, err := git.Find(dir)
		if err == nil {
			if main := repo.MainFolder(); main != home || dir == folder {
				return main
			}
			break
		}
		if _, err := os.Stat(dir); err == nil {
			break // it exists, and is in no repository
		}
	}
	return filepath.Clean(folder)
}

// clean returns at most so many bytes of a text, without secrets.
func clean(text string, most int) string {
	if text == "" {
		return ""
	}
	const margin = 1024 // so that a secret at the cut is seen whole
	text = strings.ReplaceAll(strings.ToValidUTF8(cut(text, most+margin), "?"), "\x00", "")
	return cut(redact.Clean(text), most)
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
