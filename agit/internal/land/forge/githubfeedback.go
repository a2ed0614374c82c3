package forge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/timestamp"
)

func (p github) checks(ctx context.Context, number int64) (results, error) {
	var said githubAnswer
	err := p.read(ctx, &said, "pr", "view", strconv.FormatInt(number, 10), "--repo", p.remote.Into, "--json", "statusCheckRollup")
	return githubResults(said.StatusCheckRollup), err
}

func githubResults(checks []githubCheck) (found results) {
	for _, c := range checks {
		switch c.state() {
		case ChecksRunning:
			found.running = true
		case ChecksFailed:
			one := failedCheck{name: c.Name + c.Context, job: githubJob(c.DetailsURL)}
			if c.Workflow != "" {
				one.name = c.Workflow + " / " + one.name
			}
			found.failed = append(found.failed, one)
		}
	}
	return found
}

// githubJob returns the id of a GitHub Actions job from the address of a check's details, as
// https://github.com/acme/app/actions/runs/12/job/34; "" for a check of another service.
func githubJob(address string) string {
	_, after, found := strings.Cut(address, "/actions/runs/")
	if !found {
		return ""
	}
	_, job, _ := strings.Cut(after, "/job/")
	job, _, _ = strings.Cut(job, "?")
	if _, err := strconv.ParseUint(job, 10, 64); err != nil {
		return ""
	}
	return job
}

// log gets the lines of the steps that failed from gh.
func (p github) log(ctx context.Context, job string) ([]byte, error) {
	out, err := p.run(ctx, "", "run", "view", "--repo", p.remote.Into, "--job", job, "--log-failed")
	if err != nil {
		return nil, err
	}
	return githubLines(out), nil
}

// githubLines returns the end of a log of gh without the columns before each line: the job, the step and the time.
func githubLines(out []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(out[max(0, len(out)-logRead):]) {
		columns := bytes.SplitN(line, []byte{'\t'}, 3)
		last := columns[len(columns)-1]
		if stamp, rest, found := bytes.Cut(last, []byte{' '}); found && len(columns) == 3 {
			if _, err := time.Parse(time.RFC3339Nano, strings.TrimPrefix(string(stamp), "\ufeff")); err == nil {
				last = rest
			}
		}
		b.Write(last)
	}
	return b.Bytes()
}

// githubWords is a comment, a review, or a comment in one, as the REST API has it.
type githubWords struct {
	ID   int64 `json:"id"`
	User *struct {
		Login string `json:"login"`
	} `json:"user"`
	Body        string         `json:"body"`
	Association string         `json:"author_association"`
	State       string         `json:"state"` // of a review
	Path        string         `json:"path"`
	Line        int64          `json:"line"`
	Was         int64          `json:"original_line"`
	Created     timestamp.Time `json:"created_at"`
	Submitted   timestamp.Time `json:"submitted_at"`
}

// githubWriters are the associations of people who may write to a repository. GitHub's pages: "CommentAuthorAssociation".
var githubWriters = []string{"OWNER", "MEMBER", "COLLABORATOR"}

func (p github) comments(ctx context.Context, number int64) (all []Comment, err error) {
	_, path, _ := strings.Cut(p.remote.Into, "/")
	id := strconv.FormatInt(number, 10)
	type dated struct {
		Comment
		at time.Time
	}
	var found []dated
	for _, list := range []struct{ kind, of string }{{"comment", "issues/" + id + "/comments"}, {"review", "pulls/" + id + "/reviews"}, {"line", "pulls/" + id + "/comments"}} {
		// gh writes the pages one after another, as separate arrays or as one.
		out, err := p.run(ctx, "", "api", "--hostname", p.remote.Host, "--paginate", "repos/"+path+"/"+list.of+"?per_page=100")
		if err != nil {
			return nil, err
		}
		words, err := githubPages(out)
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			// A pending review is a draft of the logged-in person, an approval needs no answer, and a dismissed review no longer counts.
			if list.kind == "review" && (w.State == "PENDING" || w.State == "APPROVED" || w.State == "DISMISSED") {
				continue
			}
			c := Comment{ID: list.kind + "-" + strconv.FormatInt(w.ID, 10), Author: "ghost", As: strings.ToLower(w.Association), Path: w.Path,
				Line: cmp.Or(w.Line, w.Was), Writer: slices.Contains(githubWriters, w.Association), Text: w.Body}
			if w.User != nil {
				c.Author = w.User.Login
			}
			at := w.Created.Time
			if list.kind == "review" {
				at = w.Submitted.Time
			}
			found = append(found, dated{c, at})
		}
	}
	slices.SortStableFunc(found, func(a, b dated) int { return a.at.Compare(b.at) })
	for _, f := range found {
		all = append(all, f.Comment)
	}
	return all, nil
}

// githubPages reads pages of gh.
func githubPages(out []byte) (all []githubWords, err error) {
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var page []githubWords
		switch err := d.Decode(&page); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, unexpected(err, "gh")
		}
		all = append(all, page...)
	}
}

// merges turns on auto-merge, or the merge queue where the branch has one. It makes a merge commit if the repository allows that, else it
// squashes, else it rebases.
func (p github) merges(ctx context.Context, number int64, head string) error {
	_, path, _ := strings.Cut(p.remote.Into, "/")
	var may struct {
		Merge  *bool `json:"allow_merge_commit"`
		Squash *bool `json:"allow_squash_merge"`
		Rebase *bool `json:"allow_rebase_merge"`
	}
	if err := p.read(ctx, &may, "api", "--hostname", p.remote.Host, "repos/"+path); err != nil {
		return err
	}
	how := "--merge"
	switch {
	case may.Merge == nil || *may.Merge:
	case may.Squash != nil && *may.Squash:
		how = "--squash"
	case may.Rebase != nil && *may.Rebase:
		how = "--rebase"
	}
	_, err := p.run(ctx, "", "pr", "merge", strconv.FormatInt(number, 10), "--repo", p.remote.Into, "--auto", how, "--match-head-commit", head)
	return err
}
