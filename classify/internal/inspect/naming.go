package inspect

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/agentsmd"
	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/classify/internal/profile"
)

func setFramework(out *profile.Profile, said agentsmd.Facts, found []framework.Match, p part) {
	for _, m := range found {
		if sure(m.Confidence) != language.Low && !slices.Contains(out.Frameworks, m.Name) {
			out.Frameworks = append(out.Frameworks, m.Name)
		}
	}
	found = ofParts(found, p, out.Language, ofSamples(p, out.Description))
	main := mainFramework(found, out.Language)
	if domain := agentsmd.Domain(out.Description); (domain == "CLI" || domain == "TUI") && !strings.Contains(out.Description, " serve") {
		main = forCommandLine(found, main)
	}
	if main != nil && main.Few && !agentsmd.Serves(out.Description) {
		if program := forCommandLine(found, main); program != main {
			main = program
		} else if agentsmd.ForCommandLine(out.Description) {
			main = nil
		}
	}
	if main != nil && main.Router && main.Few {
		main = nil // one part of a server that otherwise routes its requests itself
	}
	if main != nil && main.Router && !agentsmd.Server(out.Description) && !servesPages(found) && slices.ContainsFunc(found, func(m framework.Match) bool { return m.Arguments && sure(m.Confidence) != language.Low }) {
		main = nil // a program of commands, one of which serves
	}
	if main == nil && (out.Domain == "CLI" || agentsmd.Domain(out.Description) == "CLI") {
		main = ofNamesake(found, p)
	}
	if main != nil && main.Arguments && out.Description != "" && !agentsmd.ForCommandLine(out.Description) && !agentsmd.Slogan(out.Description) && !p.programAlone() {
		main = nil
	}
	switch {
	case said.Framework.Explicit():
		out.Framework = said.Framework.Value
		out.Origins["framework"] = profile.Origin{From: AgentsFile, Confidence: language.High}
	case main != nil && sure(main.Confidence) != language.Low:
		out.Framework = main.Name
		out.Origins["framework"] = profile.Origin{From: strings.Join(first(main.Why, 3), ", "), Confidence: sure(main.Confidence)}
	case said.Framework.How != "" && !p.called(said.Framework.Value) && !framework.Itself(said.Framework.Value, p.manifests) && speaks(framework.EcosystemOf(said.Framework.Value), out.Language) && !unproved(found, said.Framework.Value):
		out.Framework = said.Framework.Value
		out.Origins["framework"] = profile.Origin{From: AgentsFile, Confidence: language.Medium}
	default:
		out.Origins["framework"] = profile.Origin{From: whyNone(found, out.Language), Confidence: language.Low}
	}
	if out.Framework != profile.Unknown && !slices.Contains(out.Frameworks, out.Framework) {
		out.Frameworks = slices.Insert(out.Frameworks, 0, out.Framework)
	}
}

// servesPages reports whether a program has a front end: then it is a server, whatever other commands it has.
func servesPages(found []framework.Match) bool {
	return slices.ContainsFunc(found, func(m framework.Match) bool {
		return m.Ecosystem == manifest.NPM && m.Kind <= framework.UI && sure(m.Confidence) != language.Low
	})
}

// programAlone reports whether a Rust crate is a program without a library: then its only framework is the one that parses its arguments.
func (p part) programAlone() bool {
	return p.tree.tree.Has(p.tree.prefix+"src/main.rs") && !p.tree.tree.Has(p.tree.prefix+"src/lib.rs")
}

// called reports whether a part has that name, by its folder or by a manifest at its root: a framework is not its own base.
func (p part) called(name string) bool {
	return agentsmd.SameName(name, p.name) || slices.ContainsFunc(p.manifests, func(m *manifest.Manifest) bool {
		return !strings.Contains(m.Path, "/") && agentsmd.SameName(name, m.Name)
	})
}

// whyNone returns the reason why a project has no main framework: none was found, or none of those found is its base.
func whyNone(found []framework.Match, lang string) string {
	for _, m := range found {
		if (speaks(m.Ecosystem, lang) || !hasEcosystem(lang)) && len(m.Why) > 0 {
			why := m.Name + " by " + m.Why[0]
			if last := m.Why[len(m.Why)-1]; sure(m.Confidence) == language.Low && !strings.Contains(last, ":") && !strings.HasPrefix(last, "file ") {
				return why + ", but " + last
			}
			return why + ", but not what the project is built on"
		}
	}
	return "nothing declared or found"
}

// forCommandLine prefers, for a command-line program, the framework that parses its arguments to the server that one of its commands
// starts.
func forCommandLine(found []framework.Match, main *framework.Match) *framework.Match {
	return cmp.Or(find(found, func(m *framework.Match) bool {
		return main != nil && m.Main && m.Arguments && m.Ecosystem == main.Ecosystem && sure(m.Confidence) != language.Low
	}), main)
}

// find returns the first framework that is as asked, nil when none is.
func find(found []framework.Match, is func(m *framework.Match) bool) *framework.Match {
	for i := range found {
		if is(&found[i]) {
			return &found[i]
		}
	}
	return nil
}

// ofNamesake returns the framework that parses the arguments of the package with the project's name: the program among its own libraries.
func ofNamesake(found []framework.Match, p part) *framework.Match {
	return find(found, func(m *framework.Match) bool {
		return m.Arguments && sure(m.Confidence) != language.Low && m.DeclaredIn(func(dir string) bool { return p.called(path.Base(dir)) })
	})
}

// unproved reports whether a framework was searched for in vain.
func unproved(found []framework.Match, name string) bool {
	return slices.ContainsFunc(found, func(m framework.Match) bool { return m.Name == name && sure(m.Confidence) == language.Low })
}

// mainFramework returns the first framework written in the project's language: a web front end inside a Go service is not the main one. For
// a language without an ecosystem of its own any counts.
func mainFramework(found []framework.Match, lang string) *framework.Match {
	return find(found, func(m *framework.Match) bool {
		if (lang == "markdown" || lang == "yaml") && (!m.AtRoot() || m.Kind >= framework.UI) {
			return lang == "markdown" && m.AtRoot() && m.Book // others are samples among texts, or the styling of their page
		}
		return m.Main && (speaks(m.Ecosystem, lang) || !hasEcosystem(lang))
	})
}
