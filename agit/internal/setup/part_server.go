package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
	"github.com/agit-suite/agit/shared/fault"
)

// serverPart is one MCP server in a client's configuration.
type serverPart struct {
	recipe *recipe
	name   string
}

// wanted are the arguments that the server is started with.
func (p serverPart) wanted(s *Setup) []string {
	tools := s.Options.Tools
	if tools == "" && p.recipe.Core {
		tools = "core"
	}
	if tools == "core" {
		return []string{"serve", "--tools", "core"}
	}
	return []string{"serve"}
}

func (p serverPart) value(s *Setup) edit.Object {
	return p.recipe.Servers.Entry(s.program(p.recipe, p.name), p.wanted(s))
}

func (p serverPart) entry(s *Setup) edit.Entry {
	return edit.Entry{Path: []string{p.recipe.Servers.Key}, Key: p.name, Value: p.value(s)}
}

func (p serverPart) table(s *Setup) edit.Table {
	return edit.Table{Path: []string{p.recipe.Servers.Key, p.name}, Value: p.value(s)}
}

// all are the servers that a text registers.
func (p serverPart) all(text string) (map[string]any, error) {
	value, found, err := p.get(text, p.recipe.Servers.Key)
	if err != nil || !found {
		return nil, err
	}
	servers, ok := edit.Plain(value).(map[string]any)
	if !ok {
		return nil, fault.Validation("", "%q is not an object", p.recipe.Servers.Key)
	}
	return servers, nil
}

func (p serverPart) get(text string, path ...string) (any, bool, error) {
	if p.recipe.Servers.TOML {
		doc, err := edit.ParseTOML(text)
		if err != nil {
			return nil, false, err
		}
		value, found := edit.GetTOML(doc, path...)
		return edit.Plain(value), found, nil
	}
	j, err := edit.ParseJSON(text)
	if err != nil {
		return nil, false, err
	}
	value, found := j.Get(path...)
	return value, found, nil
}

// starts reports whether a value starts this server.
func (p serverPart) starts(value any) bool {
	program, args := commandOf(value)
	base := strings.TrimSuffix(filepath.Base(filepath.ToSlash(program)), ".exe")
	return base == p.name && len(args) > 0 && args[0] == "serve" || base == p.name+"-mcp"
}

func (p serverPart) look(s *Setup, f *file) (State, string) {
	servers, err := p.all(f.text)
	if err != nil {
		return Broken, unreadable(err)
	}
	if value, found := servers[p.name]; found {
		return p.judge(s, f, value)
	}
	if s.Options.Remove {
		return Missing, ""
	}
	if where := p.elsewhere(s, f, servers); where != "" {
		return Current, where
	}
	return Missing, ""
}

// judge says how the entry is that has the server's name.
func (p serverPart) judge(s *Setup, f *file, value any) (State, string) {
	if !p.starts(value) {
		if s.Options.Remove {
			return Missing, ""
		}
		return Stale, "another server is called " + p.name + "; --force replaces it"
	}
	program, args := commandOf(value)
	switch {
	case s.Options.Remove:
		return Current, ""
	case !s.runs(program):
		return Stale, "its program " + program + " does not exist"
	case s.Options.Tools != "" && !slices.Equal(args, p.wanted(s)):
		return Stale, "it is started as `" + strings.Join(append([]string{p.name}, args...), " ") + "`"
	}
	return Current, ""
}

// runs reports whether a client could start a program.
func (s *Setup) runs(program string) bool {
	if program == filepath.Base(program) {
		return lookPath(strings.TrimSuffix(program, ".exe"), s.Getenv("PATH")) != ""
	}
	info, err := os.Stat(program)
	return err == nil && runnable(info)
}

// elsewhere says under which other name, or in which other file that the client
// reads as well, the server is registered.
func (p serverPart) elsewhere(s *Setup, f *file, servers map[string]any) string {
	for _, name := range sortedKeys(servers) {
		if p.starts(servers[name]) {
			return "is configured as " + name + " already"
		}
	}
	others := slices.Clone(p.recipe.Servers.of(s.Options.Scope))
	if s.Options.Scope == Project {
		others = append(others, p.recipe.Servers.User...)
	}
	for _, template := range others {
		path := s.path(template)
		text, err := os.ReadFile(path)
		if err != nil || len(text) > edit.MaxBytes || path == f.path {
			continue
		}
		paths := [][]string{{p.recipe.Servers.Key}}
		if p.recipe.Name == "claude-code" {
			paths = append(paths, []string{"projects", s.Dir, p.recipe.Servers.Key})
		}
		for _, at := range paths {
			value, _, err := p.get(string(text), at...)
			found, _ := value.(map[string]any)
			if err != nil {
				continue
			}
			for _, name := range sortedKeys(found) {
				if p.starts(found[name]) {
					return "is configured in " + path + " already"
				}
			}
		}
	}
	return ""
}

func sortedKeys(m map[string]any) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// ours reports whether the entry is as it was written, arguments included.
func (p serverPart) ours(s *Setup, f *file, id string) bool {
	servers, err := p.all(f.text)
	if err != nil {
		return false
	}
	value := servers[p.name]
	if e := f.entryOf(id); e != nil && e.Sum == sumOf(value) {
		return true
	}
	program, args := commandOf(value)
	known := slices.Equal(args, []string{"serve"}) || slices.Equal(args, []string{"serve", "--tools", "core"})
	return known && p.starts(value) && sumOf(value) == sumOf(p.recipe.Servers.Entry(program, args))
}

func (p serverPart) put(s *Setup, f *file, id string) error {
	if !p.recipe.Servers.TOML {
		return putJSON(f, id, p.entry(s), p.recipe.Servers.Seeds)
	}
	text, err := edit.TakeTOML(f.text, p.table(s), addedOf(f, id))
	if err != nil {
		return err
	}
	text, added, err := edit.PutTOML(text, p.table(s))
	if err != nil {
		return err
	}
	f.text = text
	f.remember(id, sumOf(p.value(s)), "", added)
	return nil
}

func addedOf(f *file, id string) edit.Added {
	if e := f.entryOf(id); e != nil {
		return e.Added
	}
	return edit.Added{}
}

func (p serverPart) take(s *Setup, f *file, id string) (bool, string, error) {
	if state, _ := p.look(s, f); state != Current {
		return false, "", nil
	}
	if !s.Options.Force && !p.ours(s, f, id) {
		return false, forceTakes, nil
	}
	if !p.recipe.Servers.TOML {
		return true, "", takeJSON(f, id, p.entry(s))
	}
	text, err := edit.TakeTOML(f.text, p.table(s), addedOf(f, id))
	if err != nil {
		return false, "", err
	}
	f.cut(text)
	return true, "", nil
}
