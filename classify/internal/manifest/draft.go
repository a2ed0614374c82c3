package manifest

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A draft is a manifest while it is read.
type draft struct {
	*Manifest
	fsys fs.FS
	seen map[Dependency]bool
	// inherited are the dependencies that another manifest defines: Cargo's {workspace = true}, Gradle's libs.a.b, and coordinates with
	// variables from another file.
	inherited []inherited
	variables map[string]string // of Gradle scripts and POMs
	table     map[string]string // the names that a Cargo workspace or a version catalogue defines
	shared    table             // the fields that a Cargo workspace's packages may share
	// fromWorkspace are the fields that a Cargo package takes from its workspace.
	fromWorkspace []string
	parent        string // path of the Maven parent, when it could be in the project
	foreign       bool   // it has only the name of a manifest
}

// inherited is a use of a name, mostly of one that another manifest defines.
type inherited struct {
	name  string
	group Group
}

// maxDependencies bounds the dependencies kept from a hostile manifest.
const maxDependencies = 10_000

// add keeps a dependency unless it exists already; the name must be normalised.
func (d *draft) add(dep Dependency) {
	dep.Ecosystem = cmp.Or(dep.Ecosystem, d.Ecosystem)
	if dep.Alias == dep.Name {
		dep.Alias = ""
	}
	key := Dependency{Ecosystem: dep.Ecosystem, Name: dep.Name, Group: dep.Group}
	if dep.Name == "" || d.seen[key] {
		return
	}
	if len(d.Dependencies) == maxDependencies {
		d.problem(0, "declares more than %d dependencies; the rest is left out", maxDependencies)
	}
	if len(d.Dependencies) >= maxDependencies {
		return
	}
	if len(dep.Name) > 300 {
		d.problem(0, "names a dependency of %d characters; it is left out", len(dep.Name))
		return
	}
	d.seen[key] = true
	d.Dependencies = append(d.Dependencies, dep)
}

// named adds a dependency by name and group.
func (d *draft) named(group Group, name string) { d.add(Dependency{Name: name, Group: group}) }

// workspace adds the folders of a workspace.
func (d *draft) workspace(folders ...string) {
	d.Workspace, d.Members = true, append(d.Members, folders...)
}

// problem keeps an error, up to a maximum number.
func (d *draft) problem(line int, format string, args ...any) {
	if len(d.Problems) < 20 {
		d.Problems = append(d.Problems, Problem{Path: d.Path, Line: line, Message: fmt.Sprintf(format, args...)})
	}
}

// speaks notes a language, once.
func (d *draft) speaks(language, why string) {
	if !slices.ContainsFunc(d.Languages, func(h Hint) bool { return h.Language == language }) {
		d.Languages = append(d.Languages, Hint{Language: language, Why: why})
	}
}

// property keeps a fact for rules.
func (d *draft) property(key, value string) {
	if value == "" {
		return
	}
	if d.Properties == nil {
		d.Properties = map[string]string{}
	}
	d.Properties[key] = value
}

// finish puts everything in its stated order.
func (d *draft) finish() *Manifest {
	slices.SortStableFunc(d.Dependencies, func(a, b Dependency) int {
		return cmp.Or(cmp.Compare(slices.Index(groups, a.Group), slices.Index(groups, b.Group)), strings.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(d.Problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return d.Manifest
}

// groups are the groups in the order in which their dependencies are listed.
var groups = []Group{Runtime, Peer, Optional, Dev, Build, Plugin, Managed}

// clean returns a description on one line, cut to a readable length.
func clean(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 500 {
		s = strings.ToValidUTF8(s[:500], "") + "…"
	}
	return s
}
