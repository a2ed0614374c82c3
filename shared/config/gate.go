package config

import (
	"fmt"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// gate decides, setting by setting, what one file may say, and sums up what it
// kept out.
type gate struct {
	l       *loader
	f       *file
	trusted *bool    // asked for when the first setting needs it
	refused []string // keys a project may never set
	waiting []string // keys that wait for trust
	exposed []string // secrets in a file others can read
}

func newGate(l *loader, f *file) *gate { return &gate{l: l, f: f} }

// admits reports whether the file may set the key.
func (g *gate) admits(k key, name string, raw, v any) (bool, error) {
	if !g.f.kind.fromProject() {
		if k.rule == userSecret && v != Secret("") && !isReference(raw) && g.f.exposed() {
			g.exposed = append(g.exposed, name)
			return false, nil
		}
		return true, nil
	}
	switch k.rule {
	case userOnly, userSecret:
		g.refused = append(g.refused, name)
		return false, nil
	case afterTrust:
		if g.trusted == nil {
			ok, err := g.l.trusts(g.f)
			if err != nil {
				return false, err
			}
			g.trusted = &ok
		}
		if !*g.trusted {
			g.waiting = append(g.waiting, name)
		}
		return *g.trusted, nil
	}
	if k.name == "worktree.dir" && !insideProject(v.(string)) {
		return false, fault.Validation(name, "%s: %s is %q, and a project may only name a folder inside itself", g.f.at(name), name, v).
			WithHint("set it in your own configuration file instead")
	}
	return true, nil
}

// close turns what was kept out into warnings.
func (g *gate) close() error {
	if len(g.refused) > 0 {
		g.l.warnings = append(g.l.warnings, fmt.Sprintf("%s may not set %s, which is ignored: a project's file comes with the clone; set it in %s",
			g.f.shown, strings.Join(g.refused, ", "), shorten(g.l.userFile, g.l.options.UserHome)))
	}
	if len(g.exposed) > 0 {
		g.l.warnings = append(g.l.warnings, fmt.Sprintf("%s is ignored in %s because other users can read the file; run `chmod 600 %s`",
			strings.Join(g.exposed, ", "), g.f.shown, g.f.shown))
	}
	for _, name := range g.waiting {
		g.l.untrusted = append(g.l.untrusted, name+" in "+g.f.shown)
	}
	return nil
}
