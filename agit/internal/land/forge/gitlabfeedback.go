package forge

import (
	"context"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// gitlabProject is a placeholder that glab fills in with the project of the folder that it runs in.
const gitlabProject = "projects/:fullpath/"

func (p gitlab) checks(ctx context.Context, number int64) (found results, err error) {
	var said gitlabAnswer
	if err := p.read(ctx, &said, "mr", "view", strconv.FormatInt(number, 10), "-F", "json"); err != nil || said.HeadPipeline == nil {
		return found, err
	}
	if word := gitlabPipeline(said.HeadPipeline.Status); word != ChecksFailed {
		found.running = word == ChecksRunning
		return found, nil
	}
	var jobs []gitlabJob
	if err := p.read(ctx, &jobs, "api", gitlabProject+"pipelines/"+strconv.FormatInt(said.HeadPipeline.ID, 10)+"/jobs?per_page=100"); err != nil {
		return found, err
	}
	found.failed = gitlabFailed(jobs, said.HeadPipeline.Status)
	return found, nil
}

// gitlabJob is a job of a pipeline.
type gitlabJob struct {
	ID           int64  `json:"id"`
	Name         string `json:"name"`
	Stage        string `json:"stage"`
	Status       string `json:"status"`
	AllowFailure bool   `json:"allow_failure"`
}

// gitlabFailed returns the failed jobs of a pipeline that failed.
func gitlabFailed(jobs []gitlabJob, status string) (failed []failedCheck) {
	for _, j := range jobs {
		if j.Status == "failed" && !j.AllowFailure {
			failed = append(failed, failedCheck{name: j.Stage + " / " + j.Name, job: strconv.FormatInt(j.ID, 10)})
		}
	}
	if len(failed) == 0 { // it was cancelled, or could not be made
		failed = append(failed, failedCheck{name: "pipeline, which is " + status})
	}
	return failed
}

func (p gitlab) log(ctx context.Context, job string) ([]byte, error) {
	return p.run(ctx, "", "api", gitlabProject+"jobs/"+job+"/trace")
}

// gitlabDeveloper is the least access level that may push. GitLab's pages: "Access level in members".
const gitlabDeveloper = 30

func (p gitlab) comments(ctx context.Context, number int64) (all []Comment, err error) {
	var notes []struct {
		ID     int64  `json:"id"`
		Body   string `json:"body"`
		System bool   `json:"system"`
		Author struct {
			ID       int64  `json:"id"`
			Username string `json:"username"`
		} `json:"author"`
		Resolved bool `json:"resolved"`
		Position *struct {
			Path string `json:"new_path"`
			Line int64  `json:"new_line"`
		} `json:"position"`
	}
	if err := p.read(ctx, &notes, "api", gitlabProject+"merge_requests/"+strconv.FormatInt(number, 10)+"/notes?sort=asc&order_by=created_at&per_page=100"); err != nil {
		return nil, err
	}
	levels := map[int64]int64{}
	for _, n := range notes {
		if n.System || n.Resolved {
			continue
		}
		level, known := levels[n.Author.ID]
		if !known {
			if level, err = p.level(ctx, n.Author.ID); err != nil {
				return nil, err
			}
			levels[n.Author.ID] = level
		}
		c := Comment{ID: "note-" + strconv.FormatInt(n.ID, 10), Author: n.Author.Username, As: "not a member", Writer: level >= gitlabDeveloper, Text: n.Body}
		if level > 0 {
			c.As = "access level " + strconv.FormatInt(level, 10)
		}
		if n.Position != nil {
			c.Path, c.Line = n.Position.Path, n.Position.Line
		}
		all = append(all, c)
	}
	return all, nil
}

// level returns the access level of a person in the project, also through a group; 0 for a person who is not a member.
func (p gitlab) level(ctx context.Context, user int64) (int64, error) {
	var said struct {
		Level int64 `json:"access_level"`
	}
	err := p.read(ctx, &said, "api", gitlabProject+"members/all/"+strconv.FormatInt(user, 10))
	if err != nil && strings.Contains(fault.From(err).Message, "404") {
		return 0, nil
	}
	return said.Level, err
}

// merges sets it to be merged once its pipeline has succeeded, by the merge train where the branch has one.
func (p gitlab) merges(ctx context.Context, number int64, head string) error {
	_, err := p.run(ctx, "", "mr", "merge", strconv.FormatInt(number, 10), "--auto-merge", "--sha", head, "--yes")
	return err
}
