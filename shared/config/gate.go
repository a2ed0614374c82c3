package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// gate decides, setting by setting, what one file may set, and sums up what it refused.
type gate struct {
	l       *loader
	f       *file
	trusted *bool    // computed when the first setting needs it
	refused []string // keys and why
	waiting []string // keys that wait for trust
	exposed []string // secrets in a file others can read
	persons []string // keys of persons in a file that an agent named
}

// admits reports whether the file may set the key. shown is the key's name for people; at is its name in the file.
func (g *gate) admits(k key, at, shown string, raw, v any) (bool, error) {
	if !g.f.kind.fromProject() {
		if g.f.holds == agentsKeys && IsPersons(shown) {
			g.persons = append(g.persons, shown)
			return false, nil
		}
		if k.has(ruleSecret) && v != Secret("") && !isReference(raw) && g.f.exposed() {
			g.exposed = append(g.exposed, shown)
			return false, nil
		}
		return true, nil
	}
	if why := k.refuses(v, g.l.before(k, shown)); why != "" {
		g.refused = append(g.refused, shown)
		g.ignore(k, at, shown, v, why)
		return false, nil
	}
	if !k.has(ruleTrust) {
		return true, nil
	}
	if g.trusted == nil {
		ok, err := g.l.trusts(g.f)
		if err != nil {
			return false, err
		}
		g.trusted = &ok
	}
	if !*g.trusted {
		g.waiting = append(g.waiting, shown)
		g.ignore(k, at, shown, v, "it waits for `agit config trust`")
	}
	return *g.trusted, nil
}

// before returns the value of a key without any file of the project.
func (l *loader) before(k key, shown string) any {
	if v, set := l.own[shown]; set {
		return v
	}
	if _, general := schema()[shown]; general {
		return reflect.ValueOf(Default()).Elem().FieldByIndex(k.index).Interface()
	}
	return reflect.Zero(k.kind).Interface()
}

// ignore records an ignored setting of the file for `config show`.
func (g *gate) ignore(k key, at, shown string, v any, why string) {
	i := Ignored{Origin: g.f.at(at), Why: why}
	if !k.has(ruleSecret) {
		i.Value = display(reflect.ValueOf(v).Convert(k.kind))
	}
	g.l.ignored[shown] = append(g.l.ignored[shown], i)
}

// close turns the refused settings into warnings.
func (g *gate) close() {
	if len(g.refused) > 0 {
		g.l.warnings = append(g.l.warnings, fmt.Sprintf("%s may not set %s as it does, which is ignored: a project's file comes with the clone; `agit config show` explains why, %s may set it",
			g.f.shown, strings.Join(g.refused, ", "), Shorten(g.l.userFile, g.l.options.UserHome)))
	}
	if len(g.exposed) > 0 {
		g.l.warnings = append(g.l.warnings, fmt.Sprintf("%s is ignored in %s because other users can read the file; run `chmod 600 %s`",
			strings.Join(g.exposed, ", "), g.f.shown, text.ShellWord(g.f.path)))
	}
	if len(g.persons) > 0 {
		g.l.warnings = append(g.l.warnings, fmt.Sprintf("%s in %s is left out: it is a person's to set, and %s may not",
			strings.Join(g.persons, ", "), g.f.shown, AgentOf(g.l.suite)))
	}
	for _, name := range g.waiting {
		g.l.untrusted = append(g.l.untrusted, name+" in "+g.f.shown)
		if g.l.source.waiting == nil {
			g.l.source.waiting = map[string]bool{}
		}
		g.l.source.waiting[name] = true
	}
}
