package priorart

import (
	"context"
	"fmt"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// The bounds of a request to classify: few projects, soon.
const (
	mostSimilar  = 8
	classifyTime = 5 * time.Second
)

// Similar is a project like the one asked for.
type Similar struct {
	Project   string  `json:"project_id"`
	Name      string  `json:"name"`
	Package   string  `json:"package,omitempty"` // its folder inside the project, when it is a part of one
	Path      string  `json:"path"`
	Language  string  `json:"language,omitempty"`
	Framework string  `json:"framework,omitempty"`
	Scope     string  `json:"scope,omitempty"`
	Score     float64 `json:"score"`
}

// similar asks classify for the projects that are like the one asked for. Without classify, or when it fails, the result comes from the
// registry alone, with a note.
func (s *Store) similar(ctx context.Context, q Query, r *Result) {
	subject := q.Place.Named
	if q.Place.At != nil {
		subject = q.Place.At.Folder
	}
	if s.Run == nil || subject == "" {
		return
	}
	var answer struct {
		Projects []struct {
			Similar
			Project string `json:"project"`
		} `json:"projects"`
	}
	args := append(append([]string{}, s.Flags...), "similar", fmt.Sprintf("--limit=%d", mostSimilar), "--", subject)
	err := s.Run(ctx, sibling.Call{Program: "classify", Args: args, Timeout: classifyTime}, &answer)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return
	case fault.Is(err, fault.KindNotFound) && fault.From(err).EntityType == "program":
		r.Notes = append(r.Notes, "classify is not installed, so no similar projects were looked for")
		return
	default:
		r.Notes = append(r.Notes, fmt.Sprintf("similar projects could not be found: %v", err))
		return
	}
	for _, p := range answer.Projects {
		p.Similar.Project = p.Project
		r.SimilarProjects = append(r.SimilarProjects, p.Similar)
	}
	if len(r.SimilarProjects) == 0 {
		r.Notes = append(r.Notes, "no known project is like this one; `classify init DIR` makes one known")
	}
}
