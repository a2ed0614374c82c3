// Package profile stores the profile of each project. It alone writes `profiles` and `profile_dependencies`.
//
// It reads no folder; package inspect does. A Store is safe for concurrent use.
package profile

import (
	"encoding/hex"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Unknown is the value of a field that could not be determined.
const Unknown = language.Unknown

// Profile is the description of a project, or of one package of it.
type Profile struct {
	Project string `json:"project"`           // the project's id
	Name    string `json:"name"`              // the project's; a package's as its manifest says
	Package string `json:"package,omitempty"` // folder inside the project; "" for the whole
	Path    string `json:"path"`              // absolute folder

	Language     string         `json:"language"`
	Framework    string         `json:"framework"`
	Scope        string         `json:"scope"`
	Dependencies []string       `json:"dependencies"` // declared, direct, normalised, sorted
	ManifestType string         `json:"manifestType"` // the manifest of the project's language
	ClassifiedAt timestamp.Time `json:"classifiedAt"`
	AgentsmdHash string         `json:"agentsmdHash"` // SHA-256 of AGENTS.md, "" without one
	Details

	// Declared are the dependencies with their ecosystems, as stored.
	Declared []Dependency `json:"-"`
	// Keywords are further words for searches.
	Keywords []string `json:"-"`
	// InputHash changes when an input of the profile does.
	InputHash string `json:"-"`
}

// Details are the further parts of a profile; they are stored as one text.
type Details struct {
	DeclaredName string            `json:"declaredName,omitempty"` // its name in the manifest, when that is not Name
	Domain       string            `json:"domain,omitempty"`       // the known word for the kind of project, when Scope is longer
	Description  string            `json:"description,omitempty"`
	Extends      string            `json:"extends,omitempty"`   // the program that a plugin, a theme or an extension is for
	Manifests    []string          `json:"manifests"`           // all that were read
	Frameworks   []string          `json:"frameworks"`          // all that were found, the main one first
	Languages    []Part            `json:"languages,omitempty"` // of the sources, by their share
	Origins      map[string]Origin `json:"origins"`             // by field
	Packages     []Brief           `json:"packages,omitempty"`  // of a monorepo
	Problems     []string          `json:"problems,omitempty"`  // parts that could not be read
}

// Origin is the source of a field and its confidence.
type Origin struct {
	From       string `json:"from"`
	Confidence string `json:"confidence"` // high, medium or low
}

// Part is one language's share of the sources.
type Part struct {
	Language string  `json:"language"`
	Files    int     `json:"files"`
	Share    float64 `json:"share"`
}

// Brief is a package as its project's profile lists it.
type Brief struct {
	Package   string `json:"package"`
	Name      string `json:"name"`
	Language  string `json:"language"`
	Framework string `json:"framework"`
}

// Dependency is a declared dependency.
type Dependency struct {
	Ecosystem string
	Name      string
}

// SortDependencies sorts them and drops duplicates.
func SortDependencies(all []Dependency) []Dependency {
	slices.SortFunc(all, func(a, b Dependency) int {
		if a.Name != b.Name {
			return strings.Compare(a.Name, b.Name)
		}
		return strings.Compare(a.Ecosystem, b.Ecosystem)
	})
	return slices.Compact(all)
}

// Names returns only the names, without duplicates.
func Names(all []Dependency) []string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Name
	}
	return slices.Compact(names)
}

// ScopeKey returns the key by which two scopes are compared: that of the known word for the kind of project, else of the scope itself.
func (p *Profile) ScopeKey() string {
	if p.Domain != "" {
		return ScopeKey(p.Domain)
	}
	return ScopeKey(p.Scope)
}

// ScopeKey returns a scope as a set of words: lower case, without filler words, without duplicates, sorted. Two scopes are the same when
// their keys are; "" is not a scope.
func ScopeKey(scope string) string {
	words := strings.FieldsFunc(strings.ToLower(scope), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '#' })
	words = slices.DeleteFunc(words, filler)
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// filler reports whether a word does not describe a project's purpose.
func filler(word string) bool {
	switch word {
	case "a", "an", "the", "this", "that", "is", "are", "of", "for", "and", "or", "to", "in", "on", "with", "by", "from", "it", "its", "your", "our", "using",
		"project", "repo", "repository", "application", "app", "software", "codebase", Unknown, "none", "n", "tbd", "todo":
		return true
	}
	return false
}

// keyLen is the length of one dependency's key: with 48 bits, the chance that two among a million names share one is 1 in 600.
const keyLen = 12

// Keys returns the keys of dependencies, sorted, without separators.
func Keys(all []Dependency) string {
	keys := make([]string, len(all))
	for i, d := range all {
		h := fnv.New64a()
		h.Write([]byte(d.Ecosystem + "\x00" + d.Name))
		keys[i] = hex.EncodeToString(h.Sum(nil)[2:])
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), "")
}

// Shared counts the keys that two results of Keys have in common, and the keys of the longer one.
func Shared(a, b string) (shared, most int) {
	for i, j := 0, 0; i+keyLen <= len(a) && j+keyLen <= len(b); {
		switch x, y := a[i:i+keyLen], b[j:j+keyLen]; {
		case x == y:
			shared++
			i, j = i+keyLen, j+keyLen
		case x < y:
			i += keyLen
		default:
			j += keyLen
		}
	}
	return shared, max(len(a), len(b)) / keyLen
}
