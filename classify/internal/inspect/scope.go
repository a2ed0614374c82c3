package inspect

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agit-suite/agit/classify/internal/agentsmd"
	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/text"
)

// declaredName is what a manifest of a part calls it.
func declaredName(p part, file string) string {
	for _, m := range p.manifests {
		if m.Path == file {
			return m.Name
		}
	}
	return ""
}

const maxDescription = 300 // bytes

// maxScope is the length of a scope, in characters: one line of a terminal and a half.
const maxScope = 120

// setScope takes what the project is for: said outright, or the sentence about it,
// with the known word that the sentence goes with.
func setScope(out *profile.Profile, said agentsmd.Facts, p part) {
	description, from, sure := describe(out, said, p)
	origin := profile.Origin{From: from, Confidence: language.Medium}
	if sure {
		out.Description = text.Cut(description, maxDescription)
	}
	switch {
	case said.Scope.Explicit():
		out.Scope, origin = said.Scope.Value, profile.Origin{From: AgentsFile, Confidence: language.High}
		if said.Scope.How == agentsmd.Block {
			out.Domain = agentsmd.Domain(out.Scope) // the line was written from a description
		}
	case description == "":
		origin = profile.Origin{From: "no file says", Confidence: language.Low}
	case !sure:
		origin = profile.Origin{From: from + " says nothing of it for sure", Confidence: language.Low}
	default:
		out.Scope, out.Domain = oneLine(agentsmd.WithoutSubject(description)), agentsmd.Domain(description)
		if profile.ScopeKey(description) == profile.ScopeKey(out.Domain) && out.Domain != "" {
			out.Scope = out.Domain // "an API"
		}
	}
	if out.Domain == out.Scope {
		out.Domain = ""
	}
	out.Origins["scope"] = origin
}

// describe returns the sentence that says what a part is, where it stands, and
// whether that is sure. AGENTS.md says it first, then a manifest of the
// language at the root, the README, and the other manifests there.
func describe(out *profile.Profile, said agentsmd.Facts, p part) (sentence, from string, sure bool) {
	if said.Description != "" {
		return said.Description, AgentsFile, true
	}
	family := language.Family(out.Language)
	manifests := namesakeFirst(p.manifests, p.name)
	declared := func(own bool) bool {
		for _, m := range manifests {
			if m.Description != "" && (!strings.Contains(m.Path, "/")) && (familyOf(m.Ecosystem) == family) == own && !agentsmd.SaysNothing(m.Description) && !ofSkeleton(m, p.name) {
				if len(strings.Fields(m.Description)) > 1 || strings.IndexFunc(m.Description, func(r rune) bool { return r > 0x2e80 }) >= 0 {
					sentence, from, sure = clean(m.Description), m.Path, true
					return true
				}
			}
		}
		return false
	}
	if chart, by := onlyChart(p); chart != "" {
		return chart, by, true
	}
	if severalAtRoot(p, family) {
		if told, by, ok := readme(p); ok {
			return told, by, true
		}
	}
	if declared(true) {
		if agentsmd.Slogan(sentence) || len(strings.Fields(sentence)) == 2 {
			if told, by, ok := readme(p); ok && (agentsmd.Outright(told, p.name) || agentsmd.Outright(told, declaredName(p, from))) {
				return told, by, true
			}
		}
		return sentence, from, sure
	}
	if sentence, from, sure = readme(p); sure {
		return sentence, from, sure
	}
	unsure, unsureFrom := sentence, from
	if declared(false) {
		return sentence, from, sure
	}
	if sentence, from = packaged(p); sentence != "" {
		return sentence, from, true
	}
	if sentence, from = namesake(p); sentence != "" {
		return sentence, from, true
	}
	if sentence, from = keywords(p); sentence != "" {
		return sentence, from, true
	}
	return unsure, unsureFrom, false
}

// ofSkeleton tells a manifest that still has the name of what the project was begun from, so that its description is that one's too.
func ofSkeleton(m *manifest.Manifest, name string) bool {
	owner, own, ok := strings.Cut(m.Name, "/")
	return ok && m.Kind == manifest.ComposerJSON && (owner == own || strings.HasSuffix(own, "skeleton")) && !agentsmd.SameName(own, name)
}

// severalAtRoot tells a root with manifests of two packages or more, none of which is called as the project: neither speaks for it.
func severalAtRoot(p part, family string) bool {
	names := map[string]bool{}
	for _, m := range p.manifests {
		if strings.Contains(m.Path, "/") || familyOf(m.Ecosystem) != family || m.Name == "" {
			continue
		}
		if agentsmd.SameName(m.Name, p.name) {
			return false
		}
		names[m.Name] = true
	}
	return len(names) > 1
}

// namesakeFirst puts the manifest that is called as the project before the others: several may stand at a root.
func namesakeFirst(manifests []*manifest.Manifest, name string) []*manifest.Manifest {
	other := func(m *manifest.Manifest) int {
		if agentsmd.SameName(m.Name, name) {
			return 0
		}
		return 1
	}
	sorted := slices.Clone(manifests)
	slices.SortStableFunc(sorted, func(a, b *manifest.Manifest) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), other(a)-other(b))
	})
	return sorted
}

// onlyChart returns what the one chart of a part installs; its README tells of that program.
func onlyChart(p part) (sentence, from string) {
	for _, m := range p.manifests {
		switch {
		case m.Kind != manifest.ChartYAML && !m.Kind.Lists(), sentence != "":
			return "", "" // something else stands beside it
		case m.Kind == manifest.ChartYAML && m.Description != "":
			sentence, from = clean(m.Description), m.Path
		}
	}
	if lower := strings.ToLower(sentence); sentence != "" && !strings.Contains(lower, "chart") && !strings.Contains(lower, "helm") {
		sentence = "Helm chart: " + sentence
	}
	return sentence, from
}

// namesake returns what the package that is called as the project says of itself: where the root is only the place of several, the
// first of them says what they are about.
func namesake(p part) (sentence, from string) {
	for _, m := range p.manifests {
		if m.Description == "" || !strings.Contains(m.Path, "/") || framework.Beside(path.Dir(m.Path)) || agentsmd.SaysNothing(m.Description) || len(strings.Fields(m.Description)) < 2 {
			continue
		}
		if agentsmd.SameName(path.Base(path.Dir(m.Path)), p.name) || agentsmd.SameName(m.Name, p.name) {
			return clean(m.Description), m.Path
		}
	}
	return "", ""
}

// leastKeywords is how many words tell what a package is when no sentence does.
const leastKeywords = 4

// keywords are the words under which a package at the root is to be found.
func keywords(p part) (words, from string) {
	for _, m := range p.manifests {
		if all := strings.Split(m.Properties["keywords"], ", "); !strings.Contains(m.Path, "/") && len(all) >= leastKeywords {
			return "Keywords: " + strings.Join(all[:min(len(all), 8)], ", "), m.Path
		}
	}
	return "", ""
}

// oneLine shortens a sentence to a scope's length, at the end of a word.
func oneLine(s string) string {
	if utf8.RuneCountInString(s) <= maxScope {
		return s
	}
	s = string([]rune(s)[:maxScope-1])
	if end := strings.LastIndexByte(s, ' '); end > maxScope/2 {
		s = s[:end]
	}
	return strings.TrimRight(s, " ,;:–-(") + "…"
}
