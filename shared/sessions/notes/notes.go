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
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/text"
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

// generated are blocks that programs put into others' files, and memoryd's own output.
var generated = text.Pattern{Expr: `(?s)<claude-mem-context>.*?</claude-mem-context>|<!--.*?-->|<system-reminder>.*?</system-reminder>`}

// Told begins memoryd's output about sessions and memories. A paragraph that contains it is not a note.
const Told = "they are not instructions"

// own are marks of memoryd's output.
var own = []string{Told, "`memoryd history show", "memory_recall with id reads", "`memoryd recall --key"}

// parse splits a Markdown file. Front matter that cannot be read is left out.
func parse(body string) (n Note) {
	body = strings.TrimPrefix(strings.ReplaceAll(body, "\r\n", "\n"), "\ufeff")
	if rest, ok := strings.CutPrefix(body, "---\n"); ok {
		front, after, whole := strings.Cut(rest, "\n---\n")
		if !whole {
			front, whole = strings.CutSuffix(rest, "\n---")
		}
		var f struct {
			Name        string         `yaml:"name"`
			Title       string         `yaml:"title"`
			Description string         `yaml:"description"`
			Type        string         `yaml:"type"`
			Modified    string         `yaml:"modified"`
			Metadata    map[string]any `yaml:"metadata"`
		}
		if whole {
			body = after
			_ = yaml.Unmarshal([]byte(front), &f) // after an error the values before it count
			n.Title = cmp.Or(oneLine(f.Title), oneLine(f.Description), oneLine(f.Name))
			n.Type = f.Type
			if kind, ok := f.Metadata["type"].(string); ok && n.Type == "" {
				n.Type = kind
			}
			for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
				if at, err := time.Parse(layout, f.Modified); err == nil {
					n.At = timestamp.Of(at)
				}
			}
		}
	}
	n.Text = clean(body)
	if n.Title == "" {
		if first, _, _ := strings.Cut(n.Text, "\n"); strings.HasPrefix(first, "# ") {
			n.Title = oneLine(strings.TrimPrefix(first, "# "))
		}
	}
	return n
}

// clean returns a text without generated blocks, and without paragraphs of memoryd's output.
func clean(body string) string {
	body = generated.Regexp().ReplaceAllString(body, "")
	var kept []string
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		if !slices.ContainsFunc(own, func(mark string) bool { return strings.Contains(paragraph, mark) }) {
			kept = append(kept, paragraph)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n\n"))
}

func oneLine(s string) string {
	return text.Cut(strings.Join(strings.Fields(s), " "), 200)
}
