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

// declaredName returns the name that a part has in a manifest.
func declaredName(p part, file string) string {
	for _, m := range p.manifests {
		if m.Path == file {
			return m.Name
		}
	}
	return ""
}

const maxDescription = 300 // bytes

// maxScope bounds a scope, in characters: one and a half lines of a terminal.
const maxScope = 120

// setScope sets the project's scope: the explicit one, or the sentence about the project, with the known word that fits the sentence.
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
			out.Domain = agentsmd.Domain(out.Scope) // the line was derived from a description
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

// describe returns the sentence that describes a part, its file, and whether it is sure. AGENTS.md comes first, then a manifest of the
// language at the root, the README, and the other manifests there.
func describe(out *profile.Profile, said agentsmd.Facts, p part) (sentence, from string, sure bool) {
	if said.Description != "" {
		return said.Description, AgentsFile, true
	}
	family := language.Family(out.Language)
	manifests := namesakeFirst(p.manifests, p.name)
	declared := func(own bool) bool {
		for _, m := range manifests {
			if m.Description != "" && !strings.Contains(m.Path, "/") && (familyOf(m.Ecosystem) == family) == own && !agentsmd.SaysNothing(m.Description) && !ofSkeleton(m, p.name) &&
				(len(strings.Fields(m.Description)) > 1 || strings.ContainsFunc(m.Description, func(r rune) bool { return r > 0x2e80 })) {
				sentence, from, sure = clean(m.Description), m.Path, true
				return true
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
	for _, other := range []func(part) (sentence, from string){packaged, namesake, keywords} {
		if sentence, from = other(p); sentence != "" {
			return sentence, from, true
		}
	}
	return unsure, unsureFrom, false
}

// ofSkeleton reports whether a manifest still has the name of the template that the project began with; its description is then the
// template's, too.
func ofSkeleton(m *manifest.Manifest, name string) bool {
	owner, own, ok := strings.Cut(m.Name, "/")
	return ok && m.Kind == manifest.ComposerJSON && (owner == own || strings.HasSuffix(own, "skeleton")) && !agentsmd.SameName(own, name)
}

// severalAtRoot reports whether the root has manifests of two packages or more, none with the project's name: then none describes the
// project.
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

// namesakeFirst puts the manifest with the project's name before others in the same folder, since several may be at a root.
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

// onlyChart returns the description of a part's only chart; the README is about the installed program.
func onlyChart(p part) (sentence, from string) {
	for _, m := range p.manifests {
		switch {
		case m.Kind != manifest.ChartYAML && !m.Kind.Lists(), sentence != "":
			return "", "" // the part has other manifests
		case m.Kind == manifest.ChartYAML && m.Description != "":
			sentence, from = clean(m.Description), m.Path
		}
	}
	if lower := strings.ToLower(sentence); sentence != "" && !strings.Contains(lower, "chart") && !strings.Contains(lower, "helm") {
		sentence = "Helm chart: " + sentence
	}
	return sentence, from
}

// namesake returns the description of the package with the project's name, for a root that only contains packages.
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

// leastKeywords is how many keywords are needed to describe a package without a sentence.
const leastKeywords = 4

// keywords returns the keywords of a package at the root, as its description.
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
