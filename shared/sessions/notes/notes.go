// Package notes reads the memories of other programs in place: files of Claude Code, Codex, Serena, memory-bank and
// basic-memory, and the databases of engram and claude-mem.
//
// Files are only read, never made. Texts are redacted. Blocks that programs generate are left out, as are notes that
// consist of them. Functions are safe for concurrent use.
package notes

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Note is one memory of another program.
type Note struct {
	Source string         `json:"source"` // the program's name here
	ID     string         `json:"id"`     // the same at each reading
	Title  string         `json:"title,omitempty"`
	Text   string         `json:"text"`
	Type   string         `json:"type,omitempty"` // in the program's own words
	At     timestamp.Time `json:"at"`             // when it was changed
	File   string         `json:"file"`           // where it stands
}

// Limits of a reading.
const (
	MostBytes = 64 << 10 // of one note; longer ones are cut
	MostNotes = 2000     // of one source, the newest
)

// Off is the name by which sources.off turns the memories of all programs off.
const Off = "memories"

// Place is the user and project whose memories are read.
type Place struct {
	Home   sessions.Home
	Folder string // the main folder of the project's repository
}

// source is one program.
type source struct {
	name   string
	client string // whose memories they are, by which they are turned off too; "" of none
	read   func(ctx context.Context, p Place) ([]Note, error)
}

var sources = []source{
	{"claude-memory", "claude-code", claude}, {"codex-memory", "codex", codex}, {"serena", "", serena}, {"memory-bank", "", memoryBank},
	{"basic-memory", "", basicMemory}, {"engram", "", engram}, {"claude-mem", "", claudeMem},
}

// Names are the names of all sources.
func Names() (all []string) {
	for _, s := range sources {
		all = append(all, s.name)
	}
	return all
}

// Found holds the notes of a source for a place.
type Found struct {
	Source  string
	Notes   []Note // the newest first
	Problem error  // why it could not be read, wholly or in part
}

// Read reads the sources that are not turned off and have notes for a place; only, when not "", names the one to read.
func Read(ctx context.Context, p Place, off []string, only string) (all []Found) {
	for _, s := range sources {
		if only != "" && s.name != only || slices.Contains(off, s.name) || slices.Contains(off, Off) || s.client != "" && slices.Contains(off, s.client) {
			continue
		}
		f := Found{Source: s.name}
		if f.Notes, f.Problem = s.read(ctx, p); errors.Is(f.Problem, fs.ErrNotExist) {
			f.Problem = nil
		}
		for i := range f.Notes {
			n := &f.Notes[i]
			n.Source, n.Text = s.name, redact.Clean(strings.ToValidUTF8(n.Text, "?"))
			n.Title, n.At = redact.Clean(strings.ToValidUTF8(n.Title, "?")), timestamp.Of(n.At.UTC())
		}
		slices.SortStableFunc(f.Notes, func(a, b Note) int { return b.At.Compare(a.At.Time) })
		f.Notes = f.Notes[:min(len(f.Notes), MostNotes)]
		if len(f.Notes) > 0 || f.Problem != nil {
			all = append(all, f)
		}
	}
	return all
}

// files reads the Markdown files of a folder and below as notes, whose ids are their paths in it. A missing folder has no notes.
func files(root string, wanted func(rel string) bool) (all []Note, err error) {
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && path == root:
			return err
		case err != nil:
			return nil // the rest can be read
		case e.IsDir() && path != root && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".md") || len(all) >= MostNotes:
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if rel = filepath.ToSlash(rel); err != nil || !wanted(rel) {
			return nil
		}
		n, err := file(path)
		if n.ID = strings.TrimSuffix(rel, ".md"); err == nil && n.Text != "" {
			n.Title = cmp.Or(n.Title, n.ID)
			all = append(all, n)
		}
		return nil
	})
	return all, err
}

// file reads one Markdown file.
func file(path string) (n Note, err error) {
	in, err := os.Open(path)
	if err != nil {
		return n, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return n, err
	}
	data, err := io.ReadAll(io.LimitReader(in, MostBytes))
	if err != nil {
		return n, err
	}
	n = parse(string(data))
	n.File = path
	if n.At.IsZero() {
		n.At = timestamp.Of(info.ModTime())
	}
	return n, nil
}
