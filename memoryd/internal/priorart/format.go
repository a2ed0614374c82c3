package priorart

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/memoryd/internal/history"
)

// Markdown formats a result for people and for plans.
func (r Result) Markdown() string {
	var b strings.Builder
	for _, section := range []struct {
		title   string
		matches []Match
		always  bool
	}{
		{"Prior Art: Positive Patterns", r.Positive, true},
		{"Prior Art: Cross-Scope Patterns", r.CrossScope, false},
		{"Prior Art: Related Work", r.Related, false},
		{"Prior Art: Similar Projects", r.SimilarPatterns, false},
		{"Prior Art: Mistakes to Avoid", r.Mistakes, true},
	} {
		if len(section.matches) == 0 && !section.always {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("### " + section.title + "\n\n")
		if len(section.matches) == 0 {
			b.WriteString("Nothing is known.\n")
		}
		for _, m := range section.matches {
			m.markdown(&b)
		}
	}
	if len(r.Sessions) > 0 {
		b.WriteString("\n### Prior Art: Sessions of Clients\n\n" + history.Marked + "\n\n")
		for _, s := range r.Sessions {
			b.WriteString("- " + plain(s.Line()) + "\n")
		}
	}
	var asides []string
	for _, s := range r.Skipped {
		asides = append(asides, fmt.Sprintf("%s was skipped: %s.", plain(s.Project), plain(s.Why)))
	}
	for _, n := range r.Notes {
		asides = append(asides, strings.ToUpper(n[:1])+plain(n[1:])+".")
	}
	if r.Cut > 0 {
		asides = append(asides, fmt.Sprintf("%d more did not fit the budget.", r.Cut))
	}
	if len(asides) > 0 {
		b.WriteString("\n" + strings.Join(asides, "\n") + "\n")
	}
	return b.String()
}

func (m Match) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "- **%s**", plain(m.Task))
	var from []string
	if m.Grade != 0 {
		from = append(from, fmt.Sprintf("grade %+d", m.Grade))
	}
	source := m.Source
	if m.Agent != "" {
		source += " by " + m.Agent
		if m.Scope != "" {
			source += "/" + m.Scope
		}
	}
	from = append(from, source)
	if m.Project != "" {
		from = append(from, "in "+m.Project)
	}
	if m.Age == "just now" {
		from = append(from, m.Age)
	} else {
		from = append(from, m.Age+" ago")
	}
	from = append(from, fmt.Sprintf("%.0f %% of the keywords", m.Relevance*100))
	if m.Similarity > 0 {
		from = append(from, fmt.Sprintf("project %.0f %% alike", m.Similarity*100))
	}
	fmt.Fprintf(b, " (%s)\n", plain(strings.Join(from, ", ")))
	if m.Notes != "" && m.Notes != m.Task {
		fmt.Fprintf(b, "  %s\n", plain(m.Notes))
	}
}

// plain keeps a user's text from being read as headings or emphasis.
func plain(s string) string {
	return strings.NewReplacer("*", `\*`, "\n", " ", "\r", " ", "<", "&lt;").Replace(s)
}

// fit shortens notes and then drops the last matches until the JSON fits the budget. Dropped matches are counted.
func (r *Result) fit(budget int) {
	if r.size() <= budget {
		return
	}
	lists := []*[]Match{&r.SimilarPatterns, &r.Related, &r.CrossScope, &r.Mistakes, &r.Positive}
	for _, most := range []int{200, 80} {
		for _, list := range lists {
			for i := range *list {
				(*list)[i].Notes = cut((*list)[i].Notes, most)
			}
		}
		if r.size() <= budget {
			return
		}
	}
	for r.size() > budget {
		if n := len(r.Sessions); n > 0 {
			r.Sessions, r.Cut = r.Sessions[:n-1], r.Cut+1
			continue
		}
		longest := lists[0]
		for _, list := range lists {
			if len(*list) > len(*longest) {
				longest = list
			}
		}
		if len(*longest) == 0 {
			r.SimilarProjects = nil // the matches name their projects
			return
		}
		*longest = (*longest)[:len(*longest)-1]
		r.Cut++
	}
}

func (r *Result) size() int {
	document, err := json.Marshal(r)
	if err != nil {
		return 0
	}
	return len(document)
}
