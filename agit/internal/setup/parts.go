package setup

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
	"github.com/agit-suite/agit/shared/fault"
)

// part is how one item stands in its file. Its methods change the file's text in
// memory and note what they did in its record.
type part interface {
	// look says how the item is, and why if that is not plain.
	look(s *Setup, f *file) (State, string)
	// ours reports whether what is there is as it was written, so that it may
	// be replaced.
	ours(s *Setup, f *file, id string) bool
	// put makes the item current.
	put(s *Setup, f *file, id string) error
	// take takes the item out; when it may not, it says why.
	take(s *Setup, f *file, id string) (gone bool, why string, err error)
}

const forceTakes = "was edited by hand; --force takes it out too"

// wholeFile is a file of ours alone: a skill, an agent definition, a plugin.
type wholeFile struct {
	text string
	also func() string // where the same thing stands already; "" when nowhere
}

func (p wholeFile) look(_ *Setup, f *file) (State, string) {
	switch {
	case !f.exists && p.also != nil && p.also() != "":
		return Current, "is in " + p.also() + " already"
	case !f.exists:
		return Missing, ""
	case sameLines(f.before, p.text):
		return Current, ""
	case f.rec != nil && len(f.rec.Entries) == 1 && f.rec.Entries[0].Sum == sumOf(f.before):
		return Stale, "was written by another version"
	}
	return Current, "exists and is kept"
}

func (p wholeFile) ours(_ *Setup, f *file, id string) bool {
	e := f.entryOf(id)
	return sameLines(f.before, p.text) || e != nil && e.Sum == sumOf(f.before)
}

func (p wholeFile) put(_ *Setup, f *file, id string) error {
	f.text = p.text
	f.remember(id, sumOf(p.text), "", edit.Added{})
	return nil
}

func (p wholeFile) take(s *Setup, f *file, id string) (bool, string, error) {
	if !f.exists {
		return false, "", nil
	}
	if !s.Options.Force && !p.ours(s, f, id) {
		return false, "is not what setup wrote; remove it yourself if you do not need it", nil
	}
	if f.rec == nil {
		f.rec = &record{}
	}
	f.gone = true
	return true, "", nil
}

func sameLines(a, b string) bool {
	return strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}

// block is the part of a Markdown file between marks.
type block struct {
	inner string
	// line tells that a person made the file say the same: it imports AGENTS.md.
	line *regexp.Regexp
	also func() string
}

func (p block) look(s *Setup, f *file) (State, string) {
	b, err := edit.FindBlock(f.text)
	switch {
	case err != nil:
		return Broken, err.Error()
	case b == nil && p.line != nil && p.line.MatchString(f.text):
		return Current, "imports it already"
	case b == nil && p.also != nil && p.also() != "" && !s.Options.Remove:
		return Current, p.also()
	case b == nil:
		return Missing, ""
	case b.Inner == p.inner:
		return Current, ""
	case b.Edited:
		return Stale, "was edited between its marks; --force replaces it"
	}
	return Stale, "was written by another version"
}

func (p block) ours(_ *Setup, f *file, _ string) bool {
	b, err := edit.FindBlock(f.text)
	return err == nil && b != nil && (!b.Edited || b.Inner == p.inner)
}

func (p block) put(_ *Setup, f *file, id string) error {
	text, added, err := edit.PutBlock(f.text, p.inner)
	if err != nil {
		return err
	}
	if e := f.entryOf(id); e != nil && added.Before == "" {
		added = e.Added
	}
	f.text = text
	f.remember(id, sumOf(p.inner), "", added)
	return nil
}

func (p block) take(s *Setup, f *file, id string) (bool, string, error) {
	if b, err := edit.FindBlock(f.text); err != nil || b == nil {
		return false, "", err
	}
	if !s.Options.Force && !p.ours(s, f, id) {
		return false, forceTakes, nil
	}
	var added edit.Added
	if e := f.entryOf(id); e != nil {
		added = e.Added
	}
	text, err := edit.TakeBlock(f.text, added)
	if err != nil {
		return false, "", err
	}
	f.cut(text)
	return true, "", nil
}

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

// program is how a client starts a program of the suite: by its name where its
// PATH is the shell's, else by its path.
func (s *Setup) program(r *recipe, name string) string {
	path := s.programs[name]
	switch {
	case path == "" || s.Options.Portable:
		return name
	case s.onPath[name] && !r.Desktop:
		return name
	case s.onPath[name]:
		return lookPath(name, s.Getenv("PATH")) // it outlives an upgrade, which the real path may not
	}
	return path
}

// putJSON puts an entry into a file, in the place of one that is there.
func putJSON(f *file, id string, e edit.Entry, seeds edit.Object) error {
	text := f.text
	var kept edit.Added
	if o := f.entryOf(id); o != nil {
		kept = o.Added
	}
	j, err := edit.ParseJSON(text)
	if err != nil {
		return fault.Conflict("file", f.path, "%s", unreadable(err))
	}
	if _, found := j.Find(e); found {
		if text, err = j.Take(e, kept); err != nil {
			return err
		}
		f.forget(id)
	}
	if strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == "" {
		for _, seed := range seeds {
			if j, err = edit.ParseJSON(text); err != nil {
				return err
			}
			if text, _, err = j.Put(edit.Entry{Key: seed.Key, Value: seed.Value}); err != nil {
				return err
			}
		}
	}
	if j, err = edit.ParseJSON(text); err != nil {
		return err
	}
	text, added, err := j.Put(e)
	if err != nil {
		return err
	}
	f.text = text
	f.remember(id, sumOf(e.Value), strings.Join(e.Path, "\x00"), added)
	return nil
}

func takeJSON(f *file, id string, e edit.Entry) error {
	j, err := edit.ParseJSON(f.text)
	if err != nil {
		return err
	}
	var added edit.Added
	if o := f.entryOf(id); o != nil {
		added = o.Added
	}
	text, err := j.Take(e, added)
	if err != nil {
		return err
	}
	f.cut(text)
	return nil
}

func unreadable(err error) string {
	return "it cannot be read and is left alone: " + err.Error()
}
