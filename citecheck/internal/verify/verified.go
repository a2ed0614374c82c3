package verify

import (
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

// maxDay bounds the commits of one day that are looked at.
const maxDay = 40

// byVerified sets the commit of jobs that have no other one to a commit of the day on which they were found right: the newest with the text
// at the line. When different lines were there on that day, it sets none.
func (c *Checker) byVerified(ctx context.Context, jobs []*job) error {
	dated := those(jobs, func(j *job) bool {
		return j.commit == "" && j.c.Verified != "" && j.c.Line > 0 && len(j.snippet.lines) > 0 && c.repo != nil && c.Commit() != ""
	})
	var known []*job
	for day, group := range grouped(dated, func(j *job) string { return j.c.Verified }) {
		commits, err := c.ofDay(ctx, day)
		if err != nil {
			return err
		}
		for _, j := range group {
			if j.commit, err = c.rightOn(ctx, j, commits); err != nil {
				return err
			}
			if j.commit != "" {
				known = append(known, j)
			}
		}
	}
	return c.inPlace(ctx, known)
}

// ofDay returns the commits, newest first, that were the newest at some time of a day in UTC, along first parents; none when the text is
// not a day.
func (c *Checker) ofDay(ctx context.Context, day string) ([]string, error) {
	from, err := time.Parse(time.DateOnly, day[:min(len(day), len(time.DateOnly))])
	if err != nil {
		return nil, nil
	}
	at := func(t time.Time) string { return t.Format(time.RFC3339) }
	var all []string
	for _, args := range [][]string{
		{"--max-count=40", "--since=" + at(from), "--until=" + at(from.AddDate(0, 0, 1))},
		{"--max-count=1", "--until=" + at(from)},
	} {
		out, err := c.repo.Output(ctx, git.Options{}, append(append([]string{"rev-list", "--first-parent"}, args...), c.Commit(), "--")...)
		if err != nil {
			return nil, err
		}
		all = append(all, strings.Fields(string(out))...)
	}
	return all[:min(len(all), maxDay+1)], nil
}

// rightOn returns the newest commit with the job's text at its line, "" when there is none, or when an older one had another line with the
// text there.
func (c *Checker) rightOn(ctx context.Context, j *job, commits []string) (string, error) {
	commit := ""
	var newest *textfile.File
	for _, oid := range commits {
		f, err := c.oldFile(ctx, oid, j.path)
		if err != nil {
			return "", err
		}
		switch {
		case f == nil || !j.snippet.stands(f, j.line()):
		case commit == "":
			commit, newest = oid, f
		case newFilePair(f, newest).m.From[j.line()] != j.line():
			return "", nil
		}
	}
	return commit, nil
}
