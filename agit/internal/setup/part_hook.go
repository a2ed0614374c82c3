package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
)

// hookPart is one hook in the list of an event.
type hookPart struct {
	recipe *recipe
	event  event
	also   []string // files where it may stand as well
}

func (p hookPart) entry(s *Setup) edit.Entry {
	return edit.Entry{
		Path:  []string{"hooks", p.event.Event},
		Value: p.recipe.Hooks.Entry(p.event, s.hookCommand(p.recipe, p.event)),
		Is:    p.is,
	}
}

// is tells the hook by what it runs, in whatever form.
func (p hookPart) is(value any) bool {
	what := strings.Fields(p.event.Args)
	for _, line := range commandLines(value) {
		fields := strings.Fields(line)
		if len(fields) < 3 || !slices.Equal(fields[1:3], what[:2]) {
			continue
		}
		program := strings.Trim(fields[0], `"'`)
		if strings.TrimSuffix(filepath.Base(filepath.ToSlash(program)), ".exe") == p.event.Program {
			return true
		}
	}
	return false
}

// commandLines are the commands in an element of a hook list, with their
// arguments behind them. A path in quotes is one word.
func commandLines(value any) (lines []string) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			lines = append(lines, commandLines(e)...)
		}
	case map[string]any:
		if command, ok := v["command"].(string); ok {
			if quoted, rest, found := strings.Cut(strings.TrimPrefix(command, `"`), `"`); found && command[0] == '"' {
				command = filepath.Base(filepath.ToSlash(quoted)) + rest
			}
			lines = append(lines, command+" "+strings.Join(words(v["args"]), " "))
		}
		lines = append(lines, commandLines(v["hooks"])...)
	}
	return lines
}

func (p hookPart) look(s *Setup, f *file) (State, string) {
	j, err := edit.ParseJSON(f.text)
	if err != nil {
		return Broken, unreadable(err)
	}
	e := p.entry(s)
	if value, found := j.Find(e); found {
		id := string(KindHook) + "/" + p.event.Name
		if o := f.entryOf(id); o != nil && o.Sum == sumOf(value) && sumOf(value) != sumOf(e.Value) && !s.Options.Remove {
			return Stale, "was written by another version"
		}
		return Current, ""
	}
	if !s.Options.Remove {
		for _, path := range p.also {
			if text, err := os.ReadFile(path); err == nil && len(text) <= edit.MaxBytes && path != f.place {
				if other, err := edit.ParseJSON(string(text)); err == nil {
					if _, found := other.Find(e); found {
						return Current, "runs by " + path + " already"
					}
				}
			}
		}
	}
	if value, found := j.Get(e.Path[0]); found {
		if _, ok := edit.Plain(value).(map[string]any); !ok { // nothing can be put into it
			return Broken, fmt.Sprintf("%q is not an object", e.Path[0])
		}
	}
	return Missing, ""
}

func (p hookPart) ours(s *Setup, f *file, id string) bool {
	j, err := edit.ParseJSON(f.text)
	if err != nil {
		return false
	}
	value, found := j.Find(p.entry(s))
	return found && (sumOf(value) == sumOf(p.entry(s).Value) || f.entryOf(id) != nil && f.entryOf(id).Sum == sumOf(value))
}

func (p hookPart) put(s *Setup, f *file, id string) error {
	return putJSON(f, id, p.entry(s), p.recipe.Hooks.Seeds)
}

func (p hookPart) take(s *Setup, f *file, id string) (bool, string, error) {
	if state, _ := p.look(s, f); state != Current {
		return false, "", nil
	}
	if !s.Options.Force && !p.ours(s, f, id) {
		return false, forceTakes, nil
	}
	return true, "", takeJSON(f, id, p.entry(s))
}

// hookCommand is what a shell runs. Codex trusts a hook by its text, so that
// this must not change with a version.
func (s *Setup) hookCommand(r *recipe, e event) string {
	program := e.Program
	if r.Name != "codex" {
		program = s.program(r, e.Program)
	}
	if strings.ContainsAny(program, " \t") {
		program = `"` + program + `"`
	}
	return program + " " + e.Args
}
