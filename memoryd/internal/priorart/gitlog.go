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
	"github.com/agit-suite/agit/shared/timestamp"
)

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
