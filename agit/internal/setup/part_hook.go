package setup

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
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
		Inner: "hooks",
	}
}

// is recognizes the hook by what it runs, in whatever form.
func (p hookPart) is(value any) bool {
	_, found := p.mine(value)
	return found
}

func (p hookPart) look(s *Setup, f *file) (State, string) {
	j, err := edit.ParseJSON(f.text)
	if err != nil {
		return Broken, unreadable(err)
	}
	e := p.entry(s)
	if value, found := j.Find(e); found {
		return p.judge(s, f, value, e)
	}
	if s.Options.Remove {
		return p.missing(j, e)
	}
	for _, path := range p.also {
		if path != f.place && p.standsIn(path, e) {
			return Current, "runs by " + path + " already"
		}
	}
	return p.missing(j, e)
}

// judge returns the state of the existing hook of the event.
func (p hookPart) judge(s *Setup, f *file, value any, e edit.Entry) (State, string) {
	l, _ := p.mine(value)
	o := f.rec.entryOf(string(KindHook) + "/" + p.event.Name)
	switch {
	case s.Options.Remove:
		return Current, ""
	case !l.readable():
		return Stale, "a shell does not read its path " + l.program
	case !s.runs(l.program):
		return Stale, "its program " + l.program + " does not exist"
	case o != nil && o.Sum == sumOf(value) && sumOf(value) != sumOf(e.Value):
		return Stale, "was written by another version"
	}
	return Current, ""
}

// missing returns Missing when the hook can be put in, else Broken and the reason.
func (p hookPart) missing(j *edit.JSON, e edit.Entry) (State, string) {
	if value, found := j.Get(e.Path[0]); found {
		if _, ok := edit.Plain(value).(map[string]any); !ok { // nothing can be put into it
			return Broken, fmt.Sprintf("%q is not an object", e.Path[0])
		}
	}
	return Missing, ""
}

// standsIn reports whether another file that the client reads runs the hook.
func (p hookPart) standsIn(path string, e edit.Entry) bool {
	list, _ := valueIn(path, e.Path...)
	if _, single := list.(map[string]any); single && filepath.Ext(path) == ".json" { // no client runs it
		return false
	}
	return p.is(list)
}

// ours reports whether the hook's command has the arguments that setup writes. The hook's matcher and other keys belong to a person.
func (p hookPart) ours(s *Setup, f *file, id string) bool {
	j, err := edit.ParseJSON(f.text)
	if err != nil {
		return false
	}
	value, found := j.Find(p.entry(s))
	l, _ := p.mine(value)
	return found && (l.quoted() || !hasVariable(l.program)) && (p.exact(l) || f.rec.entryOf(id) != nil && f.rec.entryOf(id).Sum == sumOf(value))
}

// put adds the hook, or writes its command into the existing one and keeps that one's other keys.
func (p hookPart) put(s *Setup, f *file, id string) error {
	e := p.entry(s)
	j, err := edit.ParseJSON(f.text)
	if err != nil {
		return fault.Conflict("file", f.path, "%s", unreadable(err))
	}
	value, found := j.Find(e)
	l, _ := p.mine(value)
	if !found || !p.exact(l) { // it is missing, or of another version
		return putJSON(f, id, e, p.recipe.Hooks.Seeds)
	}
	command := s.hookCommand(p.recipe, p.event)
	if l.split {
		command = s.hookProgram(p.recipe, p.event)
	}
	e.Alone = true
	changed, _, err := j.Change(e, edit.Object{{Key: "command", Value: command}})
	if err != nil {
		return err
	}
	f.text = changed
	f.remember(id, sumOf(p.entry(s).Value), strings.Join(e.Path, "\x00"), addedOf(f, id))
	return nil
}

// take takes out every hook of ours at the event, and leaves other hooks in the same groups.
func (p hookPart) take(s *Setup, f *file, id string) (gone bool, why string, err error) {
	const most = 100 // copies of one hook that a tool wrote again and again
	for range most {
		j, err := edit.ParseJSON(f.text)
		if err != nil {
			return gone, "", err
		}
		value, found := j.Find(p.entry(s))
		if !found {
			return gone, "", nil
		}
		if !s.Options.Force && !p.ours(s, f, id) {
			return false, forceTakes, nil
		}
		known := id
		if o, ok := value.(map[string]any); gone || ok && o["hooks"] == nil && p.inGroups(j) {
			known = "" // the recorded white space belongs to the whole group
		}
		if err := takeJSON(f, p.entry(s), addedOf(f, known)); err != nil {
			return gone, "", err
		}
		gone = true
	}
	return gone, "", nil
}

// inGroups reports whether the event's list holds groups of hooks.
func (p hookPart) inGroups(j *edit.JSON) bool {
	list, _ := j.Get("hooks", p.event.Event)
	all, _ := list.([]any)
	return slices.ContainsFunc(all, func(e any) bool {
		o, _ := e.(map[string]any)
		return o["hooks"] != nil
	})
}

// hookCommand returns the command for the shell. Codex trusts a hook by its text, so the text must not change with a version.
func (s *Setup) hookCommand(r *recipe, e event) string {
	program := s.hookProgram(r, e)
	if runtime.GOOS == "windows" {
		if strings.ContainsAny(program, " \t&()^") {
			program = `"` + program + `"`
		}
		return program + " " + e.Args
	}
	return text.ShellWord(program) + " " + e.Args
}

func (s *Setup) hookProgram(r *recipe, e event) string {
	if r.Name == "codex" {
		return e.Program
	}
	return s.program(r, e.Program)
}

// A hookLine is the command of one hook.
type hookLine struct {
	part    string // the program as it is written in the command
	program string // part without the shell's quotes
	rest    string // the arguments
	split   bool   // the arguments are in a separate list: no shell reads the command
}

// line splits a hook's command into its parts; it returns false when the command is not this event's.
func (p hookPart) line(hook map[string]any) (l hookLine, ok bool) {
	what := strings.Fields(p.event.Args)
	command, _ := hook["command"].(string)
	if args := words(hook["args"]); len(args) >= 2 {
		l = hookLine{part: command, program: command, rest: strings.Join(args, " "), split: true}
		return l, args[0] == what[0] && args[1] == what[1] && isProgram(command, p.event.Program)
	}
	at := regexp.MustCompile(`\s+` + regexp.QuoteMeta(what[0]) + `\s+` + regexp.QuoteMeta(what[1]) + `(?:\s|$)`).FindStringIndex(command)
	if at == nil {
		return l, false
	}
	l.part = strings.TrimSpace(command[:at[0]])
	l.rest = strings.Join(strings.Fields(command[at[0]:]), " ")
	if l.program, ok = oneWord(l.part); !ok {
		return l, false
	}
	return l, isProgram(l.program, p.event.Program)
}

// exact reports whether a line has the arguments that setup writes, with any program.
func (p hookPart) exact(l hookLine) bool { return l.rest == p.event.Args }

// readable reports whether every shell reads the program of a line correctly.
func (l hookLine) readable() bool {
	return l.split || l.part == text.ShellWord(l.program) || l.part == `"`+l.program+`"` && !strings.ContainsAny(l.program, "$`\"\\!")
}

// quoted reports whether the program is in quotes within which a shell expands nothing.
func (l hookLine) quoted() bool { return !l.split && strings.HasPrefix(l.part, "'") }

// oneWord returns a word of a shell without its quotes; false for several words. A path without the quotes that it needs counts as one
// word, too.
func oneWord(part string) (string, bool) {
	if !strings.ContainsAny(part, " \t'\"\\") {
		return part, part != ""
	}
	if all, err := shellwords.Parse(part); err == nil && len(all) == 1 {
		return all[0], true
	}
	if inner, ok := strings.CutPrefix(part, `"`); ok { // a path that contains a quote, within other quotes
		inner, closed := strings.CutSuffix(inner, `"`)
		return inner, closed && inner != ""
	}
	return part, !strings.ContainsAny(part, " \t")
}

// hooksIn returns the hooks in an element of an event's list.
func hooksIn(value any) (all []map[string]any) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			all = append(all, hooksIn(e)...)
		}
	case map[string]any:
		if _, ok := v["command"].(string); ok {
			all = append(all, v)
		}
		all = append(all, hooksIn(v["hooks"])...)
	}
	return all
}

// mine returns the line of this event's hook in an element.
func (p hookPart) mine(value any) (l hookLine, found bool) {
	for _, hook := range hooksIn(value) {
		if l, ok := p.line(hook); ok {
			return l, true
		}
	}
	return l, false
}
