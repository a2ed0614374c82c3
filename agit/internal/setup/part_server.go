package setup

import (
	"errors"
	"maps"
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

// wanted returns the arguments with which the server is started.
func (p serverPart) wanted(s *Setup) []string {
	if s.Options.Tools == "all" {
		return []string{"serve"}
	}
	return []string{"serve", "--tools", "core"}
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

// all returns the servers that a text registers.
func (p serverPart) all(text string) (map[string]any, error) {
	value, found, err := get(text, p.recipe.Servers.TOML, p.recipe.Servers.Key)
	if err != nil || !found {
		return nil, err
	}
	servers, ok := edit.Plain(value).(map[string]any)
	if !ok {
		return nil, fault.Validation("", "%q is not an object", p.recipe.Servers.Key)
	}
	return servers, nil
}

func (p serverPart) look(s *Setup, f *file) (State, string) {
	servers, err := p.all(f.text)
	if err != nil {
		return Broken, unreadable(err)
	}
	if value, found := servers[p.name]; found && isServer(value) {
		return p.judge(s, value)
	}
	if s.Options.Remove {
		return Missing, ""
	}
	if where := p.elsewhere(s, f, servers); where != "" {
		return Current, where
	}
	if p.recipe.Servers.TOML { // some forms of a table cannot be added to
		trial := *f
		trial.rec = f.rec.clone()
		if err := p.put(s, &trial, ""); err != nil {
			return Broken, plain(err)
		}
	}
	return Missing, ""
}

// judge returns the state of the entry with the server's name.
func (p serverPart) judge(s *Setup, value any) (State, string) {
	if !startsDirectly(value, p.name) {
		switch {
		case s.Options.Remove:
			return Missing, ""
		case serves(value, p.name):
			return Current, "is configured in another form already"
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

// elsewhere returns under which other name, or in which other file of the client, the server is registered.
func (p serverPart) elsewhere(s *Setup, f *file, servers map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if serves(servers[name], p.name) {
			return "is configured as " + name + " already"
		}
	}
	others := slices.Clone(p.recipe.Servers.of(s.Options.Scope))
	if s.Options.Scope == Project {
		others = append(others, p.recipe.Servers.User...)
	}
	for _, template := range others {
		path := s.path(template)
		if path == f.path {
			continue
		}
		paths := [][]string{{p.recipe.Servers.Key}}
		if p.recipe.Name == "claude-code" {
			paths = append(paths, []string{"projects", s.Dir, p.recipe.Servers.Key})
		}
		for _, at := range paths {
			value, _ := valueIn(path, at...)
			found, _ := value.(map[string]any)
			for _, server := range found {
				if serves(server, p.name) {
					return "is configured in " + path + " already"
				}
			}
		}
	}
	return ""
}

// ours reports whether the entry's own keys are as setup writes them: its program by name or full path, and its arguments. Its other keys
// belong to the client or a person, and stay with it.
func (p serverPart) ours(_ *Setup, f *file, id string) bool {
	servers, err := p.all(f.text)
	if err != nil {
		return false
	}
	value := servers[p.name]
	program, args := commandOf(value)
	if hasVariable(program) || program != filepath.Base(program) && !filepath.IsAbs(program) || !startsDirectly(value, p.name) {
		return false
	}
	if e := f.rec.entryOf(id); e != nil && e.Sum == sumOf(value) {
		return true
	}
	return slices.Equal(args, []string{"serve"}) || slices.Equal(args, []string{"serve", "--tools", "core"})
}

// put adds the entry, or writes its program and arguments into the existing one and keeps that one's other keys.
func (p serverPart) put(s *Setup, f *file, id string) error {
	servers, err := p.all(f.text)
	if err != nil {
		return fault.Conflict("file", f.path, "%s", unreadable(err))
	}
	value, found := servers[p.name]
	if o, ok := value.(map[string]any); found && ok && (!isServer(value) || startsDirectly(value, p.name)) {
		return p.change(s, f, id, o)
	}
	if !p.recipe.Servers.TOML {
		return putJSON(f, id, p.entry(s), p.recipe.Servers.Seeds)
	}
	text, err := edit.TakeTOML(f.text, p.table(s), addedOf(f, id))
	if err != nil {
		return byHand(p.recipe, err)
	}
	text, added, err := edit.PutTOML(text, p.table(s))
	if err != nil {
		return byHand(p.recipe, err)
	}
	f.text = text
	f.remember(id, sumOf(p.value(s)), "", added)
	return nil
}

// change writes the keys that start the server into an existing entry.
func (p serverPart) change(s *Setup, f *file, id string, value map[string]any) error {
	if _, args := commandOf(value); s.Options.Tools == "" && slices.Equal(args, []string{"serve"}) { // all tools were someone's choice, which stays
		chosen := *s
		chosen.Options.Tools = "all"
		s = &chosen
	}
	added := addedOf(f, id)
	own := p.value(s)
	if isServer(value) {
		own = slices.DeleteFunc(own, func(m edit.Member) bool { return m.Key != "command" && m.Key != "args" })
	}
	e := p.entry(s)
	if _, older := value["command"].(map[string]any); older { // Zed's older shape
		e.Path, e.Key = append(slices.Clone(e.Path), e.Key), "command"
		own = edit.Object{{Key: "path", Value: s.program(p.recipe, p.name)}, {Key: "args", Value: p.wanted(s)}}
	}
	if p.recipe.Servers.TOML {
		text, more, err := edit.ChangeTOML(f.text, edit.Table{Path: p.table(s).Path, Value: own})
		if err != nil {
			return byHand(p.recipe, err)
		}
		f.text = text
		if more.Text != "" {
			added = more
		}
	} else {
		j, err := edit.ParseJSON(f.text)
		if err != nil {
			return fault.Conflict("file", f.path, "%s", unreadable(err))
		}
		text, made, err := j.Change(e, own)
		if err != nil {
			return err
		}
		f.text = text
		if !isServer(value) {
			added = made
		}
	}
	servers, err := p.all(f.text)
	if err != nil {
		return err
	}
	f.remember(id, sumOf(servers[p.name]), "", added)
	return nil
}

// byHand adds instructions to the error of an edit that would change more than its own entry.
func byHand(r *recipe, err error) error {
	if errors.Is(err, edit.ErrChanged) {
		return fault.Conflict("", "", "%v; put it in or take it out by hand: `agit setup %s --print` shows it", err, r.Name)
	}
	return err
}

func addedOf(f *file, id string) edit.Added {
	if e := f.rec.entryOf(id); e != nil {
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
	added := addedOf(f, id)
	if !p.recipe.Servers.TOML {
		if len(added.Keys) == 0 {
			return true, "", takeJSON(f, p.entry(s), added)
		}
		for _, key := range added.Keys { // the rest of the entry existed before
			e := p.entry(s)
			if err := takeJSON(f, edit.Entry{Path: append(slices.Clone(e.Path), e.Key), Key: key}, edit.Added{After: added.After}); err != nil {
				return false, "", err
			}
		}
		return true, "", nil
	}
	text, err := edit.TakeTOML(f.text, p.table(s), added)
	if err != nil {
		return false, "", byHand(p.recipe, err)
	}
	f.cut(text)
	return true, "", nil
}
