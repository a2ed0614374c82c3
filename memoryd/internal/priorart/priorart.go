// Package priorart finds existing knowledge about a piece of work before it begins: successes in the same scope, successes elsewhere,
// mistakes, and the experience of similar projects.
//
// It reads retrospectives, activities, commits, bugs and memories. When the registry has too few, it also reads the git logs of similar
// projects, which classify names. It writes nothing. Its functions are safe for concurrent use.
package priorart

import (
	"cmp"
	"context"
	"slices"

	"github.com/agit-suite/agit/memoryd/internal/history"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Limits of a query.
const (
	DefaultResults = 5  // of each kind
	MaxResults     = 50 // likewise
	DefaultBudget  = 6 << 10
	MinBudget      = 1 << 10
	MaxBudget      = 256 << 10
)

// Query is the work about to begin.
type Query struct {
	Task       string
	Scope      string // "" is the type of Agent, else of Caller
	Agent      string // name or id of a known agent; may be empty
	Caller     string // the same of an agent that may be unknown
	MaxResults int    // of each kind; DefaultResults when 0
	Budget     int    // bytes that the answer's JSON may take; DefaultBudget when 0
	// Place is the project the work is in; the zero value for none.
	Place project.Place
	// Similar also searches projects like Place.
	Similar bool
}

// Match is one relevant record.
type Match struct {
	Source    string         `json:"source"` // retrospective, activity, commit, memory, bug, halt, git
	Task      string         `json:"task"`
	Notes     string         `json:"notes,omitempty"`
	Grade     int            `json:"grade,omitempty"` // the user's, else the agent's
	Agent     string         `json:"agent,omitempty"`
	Scope     string         `json:"scope,omitempty"`
	Project   string         `json:"project,omitempty"` // its name
	ProjectID string         `json:"project_id,omitempty"`
	Path      string         `json:"path,omitempty"` // of a similar project
	ID        string         `json:"id,omitempty"`   // a commit's hash, a memory's id
	Timestamp timestamp.Time `json:"timestamp"`
	Age       string         `json:"age"`
	// Relevance is the share of the task's keywords in it, 0 to 1.
	Relevance float64 `json:"relevance_score"`
	// Similarity is how similar its project is to the one asked for, when similar projects were searched.
	Similarity float64 `json:"similarity,omitempty"`

	rank      float64
	projectID int64
	key       string // equal for two matches of the same thing
	good, bad bool
}

// Skipped is a project that could not be searched.
type Skipped struct {
	Project string `json:"project"`
	Path    string `json:"path,omitempty"`
	Why     string `json:"why"`
}

// Result is the prior art found, the most relevant first.
type Result struct {
	Keywords []string `json:"-"`
	// Positive are matches that the user graded good or excellent, in the scope asked for.
	Positive []Match `json:"positive_patterns"`
	// CrossScope are such matches in other scopes; filled only when Positive is too short.
	CrossScope []Match `json:"cross_scope_patterns"`
	// Related are matches without a good or bad grade, in the scope asked for or elsewhere.
	Related []Match `json:"related,omitempty"`
	// Mistakes are matches graded bad, bugs and warnings, from all scopes and projects.
	Mistakes []Match `json:"mistakes"`
	// SimilarPatterns are matches from projects like the one asked for.
	SimilarPatterns []Match   `json:"similar_patterns,omitempty"`
	SimilarProjects []Similar `json:"similar_projects,omitempty"`
	Skipped         []Skipped `json:"skipped,omitempty"`
	// Sessions are sessions of agents' clients that bear on the task: quotations, ranked separately.
	Sessions []history.Seen `json:"client_sessions,omitempty" wire:"-"`
	Notes    []string       `json:"notes,omitempty"`
	Scope    string         `json:"-"`
	// Cut counts matches left out for the budget.
	Cut int `json:"cut,omitempty"`
}

// Empty reports whether nothing was found.
func (r Result) Empty() bool {
	return len(r.Positive)+len(r.CrossScope)+len(r.Related)+len(r.Mistakes)+len(r.SimilarPatterns) == 0
}

// CheckResults refuses a number of results outside the limits.
func CheckResults(n int) error {
	if n < 1 || n > MaxResults {
		return fault.Validation("max_results", "%d is not a number of results", n).WithHint("give 1 to %d", MaxResults)
	}
	return nil
}

// Store finds prior art in one registry.
type Store struct {
	DB *registry.DB
	// Run runs a sibling program, for classify; nil skips it.
	Run func(context.Context, sibling.Call, any) error
	// Seen finds sessions of agents' clients in a project, or everywhere; nil finds none.
	Seen func(ctx context.Context, place *project.Place, task string) ([]history.Seen, error)
	// Flags are the global flags for that program.
	Flags []string
}

func (q *Query) check() (err error) {
	if q.Task, err = text.Body("task_description", q.Task); err != nil {
		return err
	}
	if q.Task == "" {
		return fault.Validation("task_description", "no task is described").WithHint("say in a sentence what is to be done")
	}
	if q.Scope != "" {
		if q.Scope, err = text.Name("scope", q.Scope); err != nil {
			return err
		}
	}
	q.MaxResults = cmp.Or(q.MaxResults, DefaultResults)
	if err := CheckResults(q.MaxResults); err != nil {
		return err
	}
	q.Budget = cmp.Or(q.Budget, max(DefaultBudget, q.MaxResults*1000))
	if q.Budget < MinBudget || q.Budget > MaxBudget {
		return fault.Validation("budget", "a budget of %d bytes is outside %d to %d", q.Budget, MinBudget, MaxBudget).WithHint("leave it out for what fits the number of results")
	}
	return nil
}

// settle finds the scope to search first.
func (q *Query) settle(tx *registry.Tx) error {
	for _, who := range []string{q.Agent, q.Caller} {
		if who == "" {
			continue
		}
		a, err := agent.Get(tx, who)
		switch {
		case err == nil:
			q.Scope = cmp.Or(q.Scope, a.Type)
		case who == q.Agent || !fault.Is(err, fault.KindNotFound):
			return err
		}
	}
	return nil
}

// Search finds prior art for a task.
func (s *Store) Search(ctx context.Context, q Query) (r Result, err error) {
	if err := q.check(); err != nil {
		return r, err
	}
	k := keywords(q.Task)
	r = Result{Keywords: k.words(), Positive: []Match{}, CrossScope: []Match{}, Mistakes: []Match{}}
	if len(k) == 0 {
		r.Notes = append(r.Notes, "the task has no word that could be searched for")
		return r, nil
	}
	if q.Similar {
		s.similar(ctx, q, &r)
	}
	var c corpus
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		if err := q.settle(tx); err != nil {
			return err
		}
		c = corpus{tx: tx, keywords: k, query: q}
		c.know(r.SimilarProjects)
		return c.read()
	})
	if err != nil {
		return r, err
	}
	r.Scope = q.Scope
	r.choose(c.found, q)
	if q.Similar && len(r.Positive)+len(r.CrossScope)+len(r.Related)+len(r.SimilarPatterns) < q.MaxResults {
		s.gitLogs(ctx, k, q, &r)
	}
	s.sessions(ctx, q, &r)
	r.fit(q.Budget)
	return r, nil
}

// sessions adds clients' sessions, only those of the project if it has any.
func (s *Store) sessions(ctx context.Context, q Query, r *Result) {
	if s.Seen == nil {
		return
	}
	var place *project.Place
	if q.Place != (project.Place{}) {
		place = &q.Place
	}
	var err error
	if r.Sessions, err = s.Seen(ctx, place, q.Task); err == nil && len(r.Sessions) == 0 && place != nil {
		r.Sessions, err = s.Seen(ctx, nil, q.Task)
	}
	if err != nil {
		r.Notes = append(r.Notes, "sessions of agents' clients are left out: "+err.Error())
	}
}

// choose puts matches under their headings: those in the scope first, others where these are too few, mistakes from everywhere, and those
// of similar projects.
func (r *Result) choose(found []Match, q Query) {
	slices.SortStableFunc(found, byRank)
	taken := map[string]bool{}
	take := func(into *[]Match, fits func(Match) bool) {
		for _, m := range found {
			if len(*into) == q.MaxResults {
				return
			}
			if !taken[m.key] && fits(m) {
				taken[m.key] = true
				*into = append(*into, m)
			}
		}
	}
	inScope := func(m Match) bool { return q.Scope == "" || text.Key(m.Scope) == text.Key(q.Scope) }
	take(&r.Mistakes, func(m Match) bool { return m.bad })
	take(&r.Positive, func(m Match) bool { return m.good && inScope(m) })
	if len(r.Positive) < q.MaxResults {
		take(&r.CrossScope, func(m Match) bool { return m.good && !inScope(m) })
	}
	take(&r.Related, func(m Match) bool { return !m.bad && !m.good && inScope(m) })
	take(&r.SimilarPatterns, func(m Match) bool { return !m.bad && m.Similarity > 0 })
	take(&r.Related, func(m Match) bool { return !m.bad && !m.good }) // from elsewhere, when these were too few
}
