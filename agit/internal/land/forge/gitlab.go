package forge

import (
	"context"
	"strconv"

	"github.com/agit-suite/agit/shared/fault"
)

// gitlab uses glab, which finds the project by the folder that it runs in.
type gitlab struct{ tool }

type gitlabAnswer struct {
	IID            int64      `json:"iid"`
	WebURL         string     `json:"web_url"`
	State          string     `json:"state"`
	Draft          bool       `json:"draft"`
	HasConflicts   bool       `json:"has_conflicts"`
	MergeStatus    string     `json:"detailed_merge_status"`
	TargetBranch   string     `json:"target_branch"`
	SHA            string     `json:"sha"`
	UpdatedAt      string     `json:"updated_at"`
	MergeCommitSHA string     `json:"merge_commit_sha"`
	SquashSHA      string     `json:"squash_commit_sha"`
	HeadPipeline   *gitlabRun `json:"head_pipeline"`
}

// gitlabRun is a run of the pipeline.
type gitlabRun struct {
	ID     int64  `json:"id"`
	Status string `json:"status"`
}

func (p gitlab) find(ctx context.Context, branch string) (*answer, error) {
	var all []gitlabAnswer
	err := p.read(ctx, &all, "mr", "list", "--source-branch", branch, "-F", "json")
	if err != nil || len(all) == 0 {
		return nil, err
	}
	found := all[0].answer()
	return &found, nil
}

func (p gitlab) create(ctx context.Context, d draft) (answer, error) {
	// Without --push glab opens an empty merge request.
	args := []string{"mr", "create", "--title", d.Title, "--description", d.Body, "--source-branch", d.Branch, "--target-branch", d.Base, "--push", "--yes"}
	if d.Draft {
		args = append(args, "--draft")
	}
	if _, err := p.run(ctx, "", args...); err != nil {
		return answer{}, err
	}
	found, err := p.find(ctx, d.Branch)
	if err == nil && found == nil {
		err = fault.Provider(nil, "glab opened a merge request for %s, and does not find it", d.Branch).WithHint("`agit pr WORKTREE --status` looks again")
	}
	if err != nil {
		return answer{}, err
	}
	return *found, nil
}

func (p gitlab) view(ctx context.Context, number int64) (answer, error) {
	var said gitlabAnswer
	err := p.read(ctx, &said, "mr", "view", strconv.FormatInt(number, 10), "-F", "json")
	return said.answer(), err
}

func (p gitlab) source(ctx context.Context, number int64) (answer, source, error) {
	var said struct {
		gitlabAnswer
		Title         string `json:"title"`
		SourceBranch  string `json:"source_branch"`
		SourceProject int64  `json:"source_project_id"`
		TargetProject int64  `json:"target_project_id"`
	}
	id := strconv.FormatInt(number, 10)
	err := p.read(ctx, &said, "mr", "view", id, "-F", "json")
	return said.answer(), source{Title: said.Title, Branch: said.SourceBranch, Foreign: said.SourceProject != said.TargetProject, Ref: "refs/merge-requests/" + id + "/head"}, err
}

func (g gitlabAnswer) answer() answer {
	a := answer{Number: g.IID, URL: g.WebURL, Target: g.TargetBranch, Draft: g.Draft, Head: g.SHA, Updated: g.UpdatedAt, Commit: g.MergeCommitSHA, State: Open}
	if a.Commit == "" {
		a.Commit = g.SquashSHA
	}
	switch g.State {
	case "merged":
		a.State = Merged
	case "closed":
		a.State = Closed
	}
	if g.HeadPipeline != nil {
		a.Checks = gitlabPipeline(g.HeadPipeline.Status)
	}
	switch g.MergeStatus {
	case "not_approved":
		a.Review = ReviewRequired
	case "requested_changes":
		a.Review = ReviewChanges
	}
	switch {
	case a.State != Open:
	case g.HasConflicts || g.MergeStatus == "conflict":
		a.Mergeable = MergeConflicts
	case g.MergeStatus == "need_rebase":
		a.Mergeable = MergeBehind
	case g.MergeStatus == "mergeable", g.MergeStatus == "":
		a.Mergeable = MergeReady
	case g.MergeStatus == "checking", g.MergeStatus == "unchecked", g.MergeStatus == "preparing":
		a.Mergeable = MergeUnknown
	default:
		a.Mergeable = MergeBlocked
	}
	return a
}

// gitlabPipeline turns the state of a pipeline into one of checks.
func gitlabPipeline(status string) string {
	switch status {
	case "success", "skipped", "manual":
		return ChecksPassed
	case "failed", "canceled":
		return ChecksFailed
	case "":
		return ""
	}
	return ChecksRunning
}
