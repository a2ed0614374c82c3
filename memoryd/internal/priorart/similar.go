package priorart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/timestamp"
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

// The bounds for reading a project's history.
const (
	mostCommits = 2000
	logTime     = 5 * time.Second
	// logsAtOnce bounds the processes: each is mostly git's own work.
	logsAtOnce = 4
)

// gitLogs adds matches from the git logs of similar projects, all read concurrently; one that cannot be read is skipped and named.
func (s *Store) gitLogs(ctx context.Context, k keywordSet, q Query, r *Result) {
	matches, skipped := make([][]Match, len(r.SimilarProjects)), make([]string, len(r.SimilarProjects))
	slots := make(chan struct{}, logsAtOnce)
	var running sync.WaitGroup
	for i, p := range r.SimilarProjects {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			commits, err := log(ctx, p)
			if err != nil {
				skipped[i] = err.Error()
				return
			}
			for _, c := range commits {
				if m, ok := c.match(k, p); ok {
					matches[i] = append(matches[i], m)
				}
			}
		})
	}
	running.Wait()
	var all []Match
	for i, p := range r.SimilarProjects {
		if skipped[i] != "" {
			r.Skipped = append(r.Skipped, Skipped{Project: p.Name, Path: p.Path, Why: skipped[i]})
		}
		all = append(all, matches[i]...)
	}
	known := map[string]bool{}
	for _, list := range [][]Match{r.Positive, r.CrossScope, r.Related, r.Mistakes, r.SimilarPatterns} {
		for _, m := range list {
			known[m.ID] = m.ID != ""
		}
	}
	slices.SortStableFunc(all, byRank)
	for _, m := range all {
		if len(r.SimilarPatterns) == q.MaxResults {
			break
		}
		if !known[m.ID] {
			known[m.ID] = true
			r.SimilarPatterns = append(r.SimilarPatterns, m)
		}
	}
}

// logged is a commit from git log.
type logged struct {
	oid, subject, body string
	at                 time.Time
}

func (c logged) match(k keywordSet, p Similar) (Match, bool) {
	m := Match{Source: "git", Task: cut(redact.Clean(c.subject), mostTask), Notes: cut(redact.Clean(c.body), mostNotes), ID: c.oid, Project: p.Name, ProjectID: p.Project,
		Path: p.Path, Timestamp: timestamp.Of(c.at), Similarity: p.Score, key: "git" + c.oid}
	m.Relevance = k.relevance(c.subject, c.body)
	if m.Relevance < floorForeign { // no grade vouches for it
		return m, false
	}
	m.place(time.Now().UTC(), false)
	return m, true
}

// log reads the newest commits of the repository in a project's folder; for a part of a project, those that touch it.
func log(ctx context.Context, p Similar) ([]logged, error) {
	ctx, cancel := context.WithTimeout(ctx, logTime)
	defer cancel()
	real, err := filepath.EvalSymlinks(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("its folder is gone")
	}
	if err != nil {
		return nil, fmt.Errorf("its folder cannot be read: %w", err)
	}
	repo, err := git.Find(real)
	if fault.Is(err, fault.KindNotFound) || err == nil && filepath.Join(repo.Dir(), filepath.FromSlash(p.Package)) != real {
		return nil, errors.New("its folder is not a git repository") // the surrounding repository is another project's
	}
	if err != nil {
		return nil, err
	}
	var part []string
	if p.Package != "" {
		part = []string{"--", "."}
	}
	out, err := repo.Output(ctx, git.Options{Dir: real}, append([]string{"log", "-z", "-n", strconv.Itoa(mostCommits), "--no-show-signature", "--no-color",
		"--no-notes", "--encoding=UTF-8", "--format=%H%x00%ct%x00%s%x00%b"}, part...)...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("git log took longer than %s", logTime)
		}
		return nil, err
	}
	return parseLog(out)
}

// parseLog reads four fields for each commit, each ended by a NUL, which no message can contain.
func parseLog(out []byte) ([]logged, error) {
	s := strings.ToValidUTF8(string(out), "?")
	if s == "" {
		return nil, nil
	}
	fields := strings.Split(strings.TrimSuffix(s, "\x00"), "\x00")
	if len(fields)%4 != 0 {
		return nil, fmt.Errorf("git log printed an unexpected line")
	}
	commits := make([]logged, 0, len(fields)/4)
	for four := range slices.Chunk(fields, 4) {
		seconds, err := strconv.ParseInt(strings.TrimSpace(four[1]), 10, 64)
		if err != nil || !git.IsOID(strings.TrimSpace(four[0])) {
			return nil, fmt.Errorf("git log printed an unexpected line")
		}
		commits = append(commits, logged{oid: strings.TrimSpace(four[0]), subject: four[2], body: strings.TrimSpace(four[3]), at: time.Unix(seconds, 0).UTC()})
	}
	return commits, nil
}
