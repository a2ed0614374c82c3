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

// codex reads what Codex made of its sessions: its handbook and summaries, of all projects.
func codex(_ context.Context, p Place) ([]Note, error) {
	root := env(p, "CODEX_HOME", filepath.Join(p.Home.Dir, ".codex"))
	return files(filepath.Join(root, "memories"), func(rel string) bool { return rel != "raw_memories.md" }) // which the others are made of
}

func env(p Place, name, otherwise string) string {
	if p.Home.Getenv != nil {
		if value := p.Home.Getenv(name); value != "" {
			return value
		}
	}
	return otherwise
}

// basicMemory reads the projects of basic-memory, of which each is a folder of Markdown.
func basicMemory(_ context.Context, p Place) (all []Note, err error) {
	data, err := os.ReadFile(filepath.Join(env(p, "BASIC_MEMORY_CONFIG_DIR", filepath.Join(p.Home.Dir, ".basic-memory")), "config.json"))
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

// claude reads Claude Code's memory of the project: a file for each fact. Worktrees share that of
// the main folder. MEMORY.md is an index of them, and in older releases the memory itself.
func claude(_ context.Context, p Place) ([]Note, error) {
	root := env(p, "CLAUDE_CONFIG_DIR", filepath.Join(p.Home.Dir, ".claude"))
	dir := filepath.Join(root, "projects", claudeName(p.Folder))
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

// claudeName is the name of the folder that Claude Code has for another: letters and digits stay,
// everything else is a hyphen, so that several folders have one name.
func claudeName(folder string) string {
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, folder)
	return name
}

// ofProject reports whether a folder of Claude Code is a project's. Its sessions name theirs;
// without one of them, a name that nothing but plain letters made is taken.
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
	if other {
		return false
	}
	for _, r := range folder {
		if r > 127 {
			return false
		}
	}
	return true
}

// firstFolder is the first folder that a transcript names, "" when its beginning has none.
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

// withoutLinks is an index's text without the lines that lead to other files, and without the
// headings that stand over nothing else.
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
