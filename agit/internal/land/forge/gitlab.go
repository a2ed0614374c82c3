package forge

import (
	"cmp"
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

func (p gitlab) find(ctx context.Context, branch string) (*PullRequest, error) {
	var all []gitlabAnswer
	err := p.read(ctx, &all, "mr", "list", "--source-branch", branch, "-F", "json")
	if err != nil || len(all) == 0 {
		return nil, err
	}
	found := all[0].answer()
	return &found, nil
}

func (p gitlab) create(ctx context.Context, d draft) (PullRequest, error) {
	// Without --push glab opens an empty merge request.
	args := []string{"mr", "create", "--title", d.Title, "--description", d.Body, "--source-branch", d.Branch, "--target-branch", d.Base, "--push", "--yes"}
	if d.Draft {
		args = append(args, "--draft")
	}
	if _, err := p.run(ctx, "", args...); err != nil {
		return PullRequest{}, err
	}
	found, err := p.find(ctx, d.Branch)
	if err == nil && found == nil {
		err = fault.Provider(nil, "glab opened a merge request for %s, and does not find it", d.Branch).WithHint("`agit pr WORKTREE --status` looks again")
	}
	if err != nil {
		return PullRequest{}, err
	}
	return *found, nil
}

func (p gitlab) view(ctx context.Context, number int64) (PullRequest, error) {
	var said gitlabAnswer
	err := p.read(ctx, &said, "mr", "view", strconv.FormatInt(number, 10), "-F", "json")
	return said.answer(), err
}

func (p gitlab) source(ctx context.Context, number int64) (PullRequest, source, error) {
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

// Words of GitLab for the state of a merge request, a review of it, and a merge that is possible.
var (
	gitlabStates = map[string]State{"merged": Merged, "closed": Closed}
	gitlabReview = map[string]string{"not_approved": ReviewRequired, "requested_changes": ReviewChanges}
	gitlabMerges = map[string]string{"conflict": MergeConflicts, "need_rebase": MergeBehind, "mergeable": MergeReady, "": MergeReady,
		"checking": MergeUnknown, "unchecked": MergeUnknown, "preparing": MergeUnknown}
)

func (g gitlabAnswer) answer() PullRequest {
	a := PullRequest{Number: g.IID, URL: g.WebURL, Target: g.TargetBranch, Draft: g.Draft, Head: g.SHA, Changed: g.UpdatedAt,
		Commit: cmp.Or(g.MergeCommitSHA, g.SquashSHA), State: cmp.Or(gitlabStates[g.State], Open), Review: gitlabReview[g.MergeStatus]}
	if g.HeadPipeline != nil {
		a.Checks = gitlabPipeline(g.HeadPipeline.Status)
	}
	switch {
	case a.State != Open:
	case g.HasConflicts:
		a.Mergeable = MergeConflicts
	default:
		a.Mergeable = cmp.Or(gitlabMerges[g.MergeStatus], MergeBlocked)
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
