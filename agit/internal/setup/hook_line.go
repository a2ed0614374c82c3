package setup

import (
	"regexp"
	"strings"

	"github.com/mattn/go-shellwords"

	"github.com/agit-suite/agit/shared/text"
)

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
