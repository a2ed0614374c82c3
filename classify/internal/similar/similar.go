// Package similar scores how much two projects have in common, and finds the projects most similar to one.
//
// The score is a sum: 0.4 for the same language, 0.3 for the same framework, 0.2 for the same scope, and 0.1 times the number of shared
// dependencies divided by that of the project with more dependencies. An unknown or empty value never matches. Safe for concurrent use.
package similar

import (
	"math"
	"slices"

	"github.com/agit-suite/agit/classify/internal/profile"
)

// The values of the parts of a score.
const (
	Language     = 0.4
	Framework    = 0.3
	Scope        = 0.2
	Dependencies = 0.1
)

// Threshold is the score from which two projects are similar: the same framework is enough, and so is the same language.
const Threshold = 0.3

// Breakdown is the terms of a score.
type Breakdown struct {
	Language     float64 `json:"language"`
	Framework    float64 `json:"framework"`
	Scope        float64 `json:"scope"`
	Dependencies float64 `json:"dependencies"`
}

// Score returns the sum.
func (b Breakdown) Score() float64 {
	return round(b.Language + b.Framework + b.Scope + b.Dependencies)
}

// round removes the rounding errors of the sum.
func round(score float64) float64 { return math.Round(score*10000) / 10000 }

// Compare scores two profiles.
func Compare(a, b *profile.Profile) Breakdown {
	return Breakdown{
		Language:     same(a.Language, b.Language, Language),
		Framework:    same(a.Framework, b.Framework, Framework),
		Scope:        same(a.ScopeKey(), b.ScopeKey(), Scope),
		Dependencies: overlap(profile.Keys(a.Declared), profile.Keys(b.Declared)),
	}
}

func same(a, b string, worth float64) float64 {
	if a != b || a == "" || a == profile.Unknown {
		return 0
	}
	return worth
}

func overlap(a, b string) float64 {
	shared, most := profile.Shared(a, b)
	if most == 0 {
		return 0
	}
	return round(Dependencies * float64(shared) / float64(most))
}

// SharedNames returns the dependencies that both declare.
func SharedNames(a, b *profile.Profile) []string {
	names := []string{}
	for _, d := range a.Declared {
		if slices.Contains(b.Declared, d) {
			names = append(names, d.Name)
		}
	}
	return names
}
