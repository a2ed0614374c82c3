package instruct

import (
	"cmp"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/shared/git"
)

// The kinds of sources.
const (
	Instructions = "instructions"
	Rules        = "rules"
	Memories     = "memories"
	Documents    = "documents"
)

// Source is one text that agents read.
type Source struct {
	// Path is from the root with slashes; of a memory of a client the absolute path.
	Path string `json:"path"`
	Kind string `json:"kind"`
	// Clients read it: claude-code, codex, …
	Clients []string `json:"clients,omitempty"`
	// Aliases are links to it and files with the same text, which are checked with it.
	Aliases    []string `json:"aliases,omitempty"`
	References int      `json:"references"`
	True       int      `json:"true"`
	Stale      int      `json:"stale"`
	// Problem is why it was not read.
	Problem string `json:"problem,omitempty"`

	text    []byte
	outside bool // it lies outside the repository
	linked  bool // it is a symbolic link
}

// form is a row in the table of files that clients read.
type form struct {
	kind    string
	clients []string
	// base is the name of a file at any level; or folder and ending name files in a
	// folder, at any level where nested is set.
	base, folder, ending string
	nested               bool
}

// forms are the files that clients read, by their documentation of November 2026.
var forms = []form{
	{kind: Instructions, clients: []string{"claude-code"}, base: "CLAUDE.md"},
	{kind: Instructions, clients: []string{"claude-code"}, base: "CLAUDE.local.md"},
	{kind: Instructions, clients: []string{"codex", "cursor", "copilot", "opencode", "claude-code"}, base: "AGENTS.md"},
	{kind: Instructions, clients: []string{"codex"}, base: "AGENTS.override.md"},
	{kind: Instructions, clients: []string{"gemini"}, base: "GEMINI.md"},
	{kind: Rules, clients: []string{"claude-code"}, folder: ".claude/rules", ending: ".md"},
	{kind: Rules, clients: []string{"cursor"}, folder: ".cursor/rules", ending: ".mdc", nested: true},
	{kind: Rules, clients: []string{"cursor"}, base: ".cursorrules"},
	{kind: Instructions, clients: []string{"copilot"}, folder: ".github", ending: "copilot-instructions.md"},
	{kind: Rules, clients: []string{"copilot"}, folder: ".github/instructions", ending: ".instructions.md"},
	{kind: Rules, clients: []string{"windsurf"}, folder: ".windsurf/rules", ending: ".md"},
	{kind: Rules, clients: []string{"windsurf"}, base: ".windsurfrules"},
	{kind: Rules, clients: []string{"kiro"}, folder: ".kiro/steering", ending: ".md"},
	{kind: Rules, clients: []string{"cline"}, folder: ".clinerules", ending: ".md"},
	{kind: Rules, clients: []string{"cline"}, base: ".clinerules"},
	{kind: Memories, clients: []string{"cline"}, folder: "memory-bank", ending: ".md"},
	{kind: Memories, clients: []string{"serena"}, folder: ".serena/memories", ending: ".md"},
}

// reads reports whether the form names the file.
func (f form) reads(file string) bool {
	if f.base != "" {
		return path.Base(file) == f.base
	}
	at := strings.Index("/"+file, "/"+f.folder+"/")
	if at < 0 || at > 0 && !f.nested {
		return false
	}
	return strings.HasSuffix(file, f.ending)
}

// strange are folders whose files address agents of other repositories: fixtures, templates, vendored code.
var strange = []string{"testdata", "fixtures", "__fixtures__", "node_modules", "vendor", "third_party", "templates", "template", "snapshots", "assets"}

// Choice selects the sources.
type Choice struct {
	// Docs adds README files and docs/.
	Docs bool
	// Only are paths from the root; a folder stands for its files. Empty means all.
	Only []string
}

// sourceOf returns the source for a file, by its name.
func sourceOf(file string, c Choice) (Source, bool) {
	if slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(folder string) bool { return slices.Contains(strange, folder) }) {
		return Source{}, false
	}
	for _, f := range forms {
		if f.reads(file) {
			return Source{Path: file, Kind: f.kind, Clients: f.clients}, true
		}
	}
	if !strings.EqualFold(path.Ext(file), ".md") && !strings.EqualFold(path.Ext(file), ".mdx") {
		return Source{}, false
	}
	stem := strings.ToLower(strings.TrimSuffix(path.Base(file), path.Ext(file)))
	if c.Docs && (stem == "readme" || stem == "contributing" || strings.HasPrefix(file, "docs/") || strings.HasPrefix(file, "doc/")) {
		return Source{Path: file, Kind: Documents}, true
	}
	return Source{}, false
}

// wanted reports whether the choice names the file.
func (c Choice) wanted(file string) bool {
	return len(c.Only) == 0 || slices.ContainsFunc(c.Only, func(only string) bool {
		only = strings.TrimSuffix(filepath.ToSlash(only), "/")
		return only == "." || file == only || strings.HasPrefix(file, only+"/")
	})
}

// MemoryFolder is where Claude Code keeps its memories of the project whose main
// working tree is root, below the folder of its configuration: each character
// outside of A-Z, a-z and 0-9 of the path is a hyphen there.
func MemoryFolder(config, root string) string {
	name := strings.Map(func(r rune) rune {
		if r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			return r
		}
		return '-'
	}, root)
	return filepath.Join(config, "projects", name, "memory")
}

// maxMemories bounds the memories of a client that are read.
const maxMemories = 500

// memories lists the memories of this repository that clients keep outside of it. They are only opened for reading; links in the folder are
// not followed.
func (c *Checker) memories() (list []*Source) {
	if len(c.o.Only) > 0 {
		return nil
	}
	for _, client := range slices.Sorted(maps.Keys(c.o.MemoryFolders)) {
		folder := c.o.MemoryFolders[client]
		root, err := os.OpenRoot(folder)
		if err != nil {
			continue // it keeps none
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			list = append(list, &Source{Path: folder, Kind: Memories, Clients: []string{client}, Problem: "the folder cannot be read: " + err.Error(), outside: true})
		}
		for _, e := range entries[:min(len(entries), maxMemories)] {
			if !e.Type().IsRegular() || !strings.EqualFold(filepath.Ext(e.Name()), ".md") {
				continue
			}
			s := &Source{Path: filepath.Join(folder, e.Name()), Kind: Memories, Clients: []string{client}, outside: true}
			if s.text, err = memoryfile.Read(root, e.Name()); err != nil {
				s.Problem = unreadable(err)
			}
			list = append(list, s)
		}
		root.Close()
	}
	return list
}

// MainFolder is the folder by which clients know the repository of root. For a linked worktree it is the main worktree's, whose memories it
// shares.
func MainFolder(root string) string {
	repo, err := git.Find(root)
	if err != nil {
		return root
	}
	return cmp.Or(repo.MainFolder(), root)
}
