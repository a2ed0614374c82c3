package profile

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Filter selects profiles; an empty field selects any.
type Filter struct {
	Query      string // words, all of which must be found
	Language   string
	Framework  string
	Dependency string
	Packages   bool // including packages that were not requested by themselves
	Limit      int  // maximum number; all when 0
}

// Entry is a profile in a list.
type Entry struct {
	Project      string         `json:"project"`
	Name         string         `json:"name"`
	Package      string         `json:"package,omitempty"`
	Path         string         `json:"path"`
	Language     string         `json:"language"`
	Framework    string         `json:"framework"`
	Scope        string         `json:"scope"`
	ClassifiedAt timestamp.Time `json:"classifiedAt"`
	// Matched are the places where the words of a search were found.
	Matched []string `json:"matched,omitempty"`

	id    int64
	words string
	rank  int
	// mentioned is how many of the words only its README has, own how many its own fields and description have.
	mentioned, own int
	// missing means that a short word occurs only at the end or in the middle of others.
	missing bool
}

// maxWords bounds a query, since every word is a condition.
const maxWords = 12

// List returns the profiles that a filter selects: by name, or with a query the best matches first.
func (s *Store) List(ctx context.Context, f Filter) (all []Entry, err error) {
	words := strings.Fields(text.Key(f.Query))
	words = words[:min(len(words), maxWords)]
	where, args := f.where(words)
	order := ` ORDER BY p.name, j.uid, p.package`
	if f.Limit > 0 && len(words) == 0 {
		order += ` LIMIT ?`
		args = append(args, f.Limit)
	}
	all, err = registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]Entry, error) {
		return registry.Collect(tx, func(s registry.Scanner) (e Entry, err error) {
			err = s.Scan(&e.id, &e.Project, &e.Name, &e.Package, &e.Path, &e.Language, &e.Framework, &e.Scope, &e.ClassifiedAt, &e.words)
			return e, err
		}, `SELECT p.id, j.uid, p.name, p.package, p.path, p.language, p.framework, p.scope, p.classified_at, p.words`+from+where+order, args...)
	})
	if len(words) > 0 {
		for i := range all {
			all[i].judge(words)
		}
		slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(b.rank, a.rank) })
		all = withoutMentions(slices.DeleteFunc(all, func(e Entry) bool { return e.missing }), len(words))
	}
	if f.Limit > 0 && len(all) > f.Limit {
		all = all[:f.Limit]
	}
	return all, err
}

// withoutMentions drops the projects that have one of the words only in their README, or all of several only in their dependencies, when
// another project has all words in its own fields and description.
func withoutMentions(all []Entry, words int) []Entry {
	if !slices.ContainsFunc(all, func(e Entry) bool { return e.own == words }) {
		return all
	}
	return slices.DeleteFunc(all, func(e Entry) bool { return e.mentioned > 0 || e.own == 0 && words > 1 })
}

func (f Filter) where(words []string) (string, []any) {
	conditions := []string{"1 = 1"}
	var args []any
	add := func(condition string, values ...any) {
		conditions = append(conditions, condition)
		args = append(args, values...)
	}
	if !f.Packages {
		add(`p.asked = 1`)
	}
	for _, c := range [][2]string{
		{`p.language = ?`, text.Key(f.Language)},
		{`p.framework = ?`, text.Key(f.Framework)},
		{`EXISTS (SELECT 1 FROM profile_dependencies d WHERE d.profile_id = p.id AND d.name = ?)`, f.Dependency},
	} {
		if c[1] != "" {
			add(c[0], c[1])
		}
	}
	for _, word := range words {
		add(`p.words LIKE ? ESCAPE '!'`, "%"+likeEscaped(stem(word))+"%")
	}
	return `WHERE ` + strings.Join(conditions, ` AND `), args
}

// stem removes the endings in which forms of a word differ: "completion" finds "autocomplete", "testing" finds "tests".
func stem(word string) string {
	for _, ending := range [...]string{"ations", "ation", "ions", "ion", "ings", "ing", "ers", "er", "es", "ed", "e", "s"} {
		if short, ok := strings.CutSuffix(word, ending); ok && len(short) >= 4 {
			return short
		}
	}
	return word
}

func likeEscaped(word string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(word)
}

// shortWord is the length below which a word is only found at the beginning of a word: "vpn" is not in "okvpn".
const shortWord = 4

// begins reports whether a word of the text begins with start; a start that is not a letter may be anywhere.
func begins(words, start string) bool {
	if first, _ := utf8.DecodeRuneInString(start); !unicode.IsLetter(first) {
		return strings.Contains(words, start)
	}
	for rest := words; ; {
		i := strings.Index(rest, start)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:i])
		if i == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return true
		}
		rest = rest[i+len(start):]
	}
}

// found reports whether a text has a form of the word.
func found(text, word string) bool {
	if len(word) < shortWord {
		return begins(text, word)
	}
	return strings.Contains(text, stem(word))
}

// judge ranks a hit: a word that equals a field counts more than one inside a text, and that more than one in a dependency.
func (e *Entry) judge(words []string) {
	note := func(where string, points int) {
		e.rank += points
		if points > 1 {
			e.own++
		}
		if !slices.Contains(e.Matched, where) {
			e.Matched = append(e.Matched, where)
		}
	}
	said, rest, _ := strings.Cut(e.words, "\n")
	dependencies, readme, _ := strings.Cut(rest, "\n")
	for _, word := range words {
		if len(word) < shortWord && !begins(e.words, word) {
			e.missing = true
		}
		switch name := text.Key(e.Name); {
		case name == word:
			note("name", 10)
		case e.Language == word:
			note("language", 8)
		case e.Framework == word:
			note("framework", 8)
		case slices.Contains(strings.Fields(ScopeKey(e.Scope)), word):
			note("scope", 6)
		case strings.Contains(name, word):
			note("name", 5)
		case strings.Contains(e.Framework, word):
			note("framework", 4)
		case found(said, word):
			note("description", 2)
		case begins(dependencies, stem(word)): // "time" is not in kotlinx-datetime
			note("dependencies", 1)
		case !found(readme, word):
			e.missing = true
		default:
			e.mentioned++
			note("readme", 0)
		}
	}
}
