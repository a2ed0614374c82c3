package notes

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/index"
)

// serena reads .serena/memories of the project.
func serena(_ context.Context, p Place) ([]Note, error) {
	return files(filepath.Join(p.Folder, ".serena", "memories"), func(string) bool { return true })
}

// memoryBank reads memory-bank of the project, as Cline and others keep it.
func memoryBank(_ context.Context, p Place) ([]Note, error) {
	return files(filepath.Join(p.Folder, "memory-bank"), func(string) bool { return true })
}

// codex reads the notes that Codex made from its sessions: its handbook and summaries, of all projects.
func codex(_ context.Context, p Place) ([]Note, error) {
	root := p.Home.Env("CODEX_HOME", filepath.Join(p.Home.Dir, ".codex"))
	return files(filepath.Join(root, "memories"), func(rel string) bool { return rel != "raw_memories.md" }) // from which the others are made
}

// basicMemory reads the projects of basic-memory; each is a folder of Markdown.
func basicMemory(_ context.Context, p Place) (all []Note, err error) {
	data, err := os.ReadFile(filepath.Join(p.Home.Env("BASIC_MEMORY_CONFIG_DIR", filepath.Join(p.Home.Dir, ".basic-memory")), "config.json"))
	if err != nil {
		return nil, err
	}
	var config struct {
		Projects map[string]json.RawMessage `json:"projects"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, err
	}
	for name, raw := range config.Projects {
		var folder string
		var of struct {
			Path string `json:"path"`
		}
		if json.Unmarshal(raw, &folder) != nil && json.Unmarshal(raw, &of) == nil {
			folder = of.Path
		}
		if !filepath.IsAbs(folder) {
			continue
		}
		some, fault := files(folder, func(string) bool { return true })
		if fault != nil && !errors.Is(fault, fs.ErrNotExist) {
			err = fault
		}
		for i := range some {
			some[i].ID = name + "/" + some[i].ID
		}
		all = append(all, some...)
	}
	return all, err
}

// claude reads Claude Code's memory of the project: a file for each fact. Worktrees share the memory of the main folder. MEMORY.md is an
// index of the files, and in older releases the memory itself.
func claude(_ context.Context, p Place) ([]Note, error) {
	root := p.Home.Env("CLAUDE_CONFIG_DIR", filepath.Join(p.Home.Dir, ".claude"))
	dir := filepath.Join(root, "projects", sessions.Hyphenated(p.Folder))
	memories := filepath.Join(dir, "memory")
	var settings struct {
		Folder string `json:"autoMemoryDirectory"`
	}
	if data, err := os.ReadFile(filepath.Join(root, "settings.json")); err == nil && json.Unmarshal(data, &settings) == nil && settings.Folder != "" {
		memories = settings.Folder
		if below, ok := strings.CutPrefix(memories, "~/"); ok {
			memories = filepath.Join(p.Home.Dir, below)
		}
	} else if !ofProject(dir, p.Folder) {
		return nil, nil
	}
	all, err := files(memories, func(string) bool { return true })
	kept := all[:0]
	for _, n := range all {
		if n.ID == "MEMORY" {
			if n.Text = withoutLinks(n.Text); n.Text == "" {
				continue
			}
		}
		kept = append(kept, n)
	}
	return kept, err
}

// ofProject reports whether a folder of Claude Code belongs to a project. Its sessions name the project; without sessions, the name is
// enough if the project's path is all ASCII.
func ofProject(dir, folder string) bool {
	list, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	other := false
	for _, path := range list[:min(len(list), 50)] {
		switch cwd := firstFolder(path); {
		case cwd == "":
		case index.ProjectOf(cwd) == folder || cwd == folder:
			return true
		default:
			other = true
		}
	}
	return !other && !strings.ContainsFunc(folder, func(r rune) bool { return r > unicode.MaxASCII })
}

// firstFolder returns the first folder that a transcript names, "" when its beginning names none.
func firstFolder(path string) string {
	in, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 0; n < 20 && lines.Scan(); n++ {
		var row struct {
			Folder string `json:"cwd"`
		}
		if json.Unmarshal(lines.Bytes(), &row) == nil && row.Folder != "" {
			return row.Folder
		}
	}
	return ""
}

// withoutLinks returns an index's text without the lines that link to other files, and without the headings that have only such lines below
// them.
func withoutLinks(body string) string {
	var kept []string
	said := false
	for line := range strings.Lines(body) {
		plain := strings.TrimSpace(line)
		if strings.Contains(plain, "](") && strings.Contains(plain, ".md)") {
			continue
		}
		said = said || plain != "" && !strings.HasPrefix(plain, "#")
		kept = append(kept, strings.TrimRight(line, "\n"))
	}
	if !said {
		return ""
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}
