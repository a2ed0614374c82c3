package forge

import (
	"bytes"
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// github uses gh.
type github struct {
	tool
	remote remote
}

// githubFields are the fields requested from gh.
const githubFields = "number,url,state,isDraft,mergeable,mergeStateStatus,reviewDecision,statusCheckRollup,headRefOid,isCrossRepository,mergedAt,mergeCommit,headRepositoryOwner,updatedAt"

type githubAnswer struct {
	Number            int64         `json:"number"`
	URL               string        `json:"url"`
	State             string        `json:"state"`
	IsDraft           bool          `json:"isDraft"`
	Mergeable         string        `json:"mergeable"`
	MergeStateStatus  string        `json:"mergeStateStatus"`
	ReviewDecision    string        `json:"reviewDecision"`
	StatusCheckRollup []githubCheck `json:"statusCheckRollup"`
	HeadRefOid        string        `json:"headRefOid"`
	UpdatedAt         string        `json:"updatedAt"`
	MergeCommit       *struct {
		OID string `json:"oid"`
	} `json:"mergeCommit"`
	HeadRepositoryOwner struct {
		Login string `json:"login"`
	} `json:"headRepositoryOwner"`
}

// githubCheck is a check run, which has a status and a conclusion, or the status of a
// commit, which has a state.
type githubCheck struct {
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	State      string `json:"state"`
	Name       string `json:"name"`
	Workflow   string `json:"workflowName"`
	DetailsURL string `json:"detailsUrl"`
	Context    string `json:"context"` // of a commit's status
}

func (p github) find(ctx context.Context, branch string) (*PullRequest, error) {
	var all []githubAnswer
	err := p.read(ctx, &all, "pr", "list", "--repo", p.remote.Into, "--head", branch, "--state", "open", "--json", githubFields)
	if err != nil {
		return nil, err
	}
	for _, one := range all { // a fork may have a branch of the same name
		if strings.EqualFold(one.HeadRepositoryOwner.Login, p.remote.owner()) {
			found := one.answer()
			return &found, nil
		}
	}
	return nil, nil
}

func (p github) create(ctx context.Context, d draft) (made PullRequest, err error) {
	// gh pushes nothing when --head is given, and asks nothing.
	args := []string{"pr", "create", "--repo", p.remote.Into, "--head", p.remote.owner() + ":" + d.Branch, "--base", d.Base, "--title", d.Title, "--body-file", "-"}
	if d.Draft {
		args = append(args, "--draft")
	}
	out, err := p.run(ctx, d.Body, args...)
	if err != nil {
		return made, err
	}
	lines := bytes.Fields(out)
	if len(lines) == 0 {
		return made, fault.Provider(nil, "gh opened a pull request, but did not say which").WithHint("`agit pr WORKTREE --status` finds it")
	}
	address := string(lines[len(lines)-1])
	number, err := strconv.ParseInt(address[strings.LastIndexByte(address, '/')+1:], 10, 64)
	if err != nil {
		return made, fault.Provider(nil, "gh opened a pull request, but named it %q", address).WithHint("`agit pr WORKTREE --status` finds it")
	}
	return PullRequest{Number: number, URL: address, State: Open, Draft: d.Draft, Target: d.Base}, nil
}

// tries is how often GitHub is asked again while it is still finding out.
const tries = 3

func (p github) view(ctx context.Context, number int64) (PullRequest, error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for try := 1; ; try++ {
		var said githubAnswer
		if err := p.read(ctx, &said, "pr", "view", strconv.FormatInt(number, 10), "--repo", p.remote.Into, "--json", githubFields); err != nil {
			return PullRequest{}, err
		}
		if said.State != "OPEN" || said.Mergeable != "UNKNOWN" || try == tries {
			return said.answer(), nil
		}
		select {
		case <-ctx.Done():
			return PullRequest{}, ctx.Err()
		case <-tick.C:
		}
	}
}

func (p github) source(ctx context.Context, number int64) (PullRequest, source, error) {
	var said struct {
		githubAnswer
		Title       string `json:"title"`
		HeadRefName string `json:"headRefName"`
		BaseRefName string `json:"baseRefName"`
	}
	id := strconv.FormatInt(number, 10)
	err := p.read(ctx, &said, "pr", "view", id, "--repo", p.remote.Into, "--json", githubFields+",title,headRefName,baseRefName")
	a := said.answer()
	a.Target = said.BaseRefName
	foreign := !strings.EqualFold(said.HeadRepositoryOwner.Login, p.remote.owner())
	return a, source{Title: said.Title, Branch: said.HeadRefName, Foreign: foreign, Ref: "refs/pull/" + id + "/head"}, err
}

// Words of GitHub for the state of a pull request, a review of it, and a merge that is possible.
var (
	githubStates = map[string]State{"MERGED": Merged, "CLOSED": Closed}
	githubReview = map[string]string{"APPROVED": ReviewApproved, "CHANGES_REQUESTED": ReviewChanges, "REVIEW_REQUIRED": ReviewRequired}
	githubMerges = map[string]string{"BEHIND": MergeBehind, "BLOCKED": MergeBlocked}
)

func (g githubAnswer) answer() PullRequest {
	a := PullRequest{Number: g.Number, URL: g.URL, Draft: g.IsDraft, Head: g.HeadRefOid, Changed: g.UpdatedAt,
		Checks: together(g.StatusCheckRollup, githubCheck.state), State: cmp.Or(githubStates[g.State], Open), Review: githubReview[g.ReviewDecision]}
	if g.MergeCommit != nil {
		a.Commit = g.MergeCommit.OID
	}
	switch {
	case a.State != Open:
	case g.Mergeable == "CONFLICTING" || g.MergeStateStatus == "DIRTY":
		a.Mergeable = MergeConflicts
	case g.Mergeable != "MERGEABLE":
		a.Mergeable = MergeUnknown
	default:
		a.Mergeable = cmp.Or(githubMerges[g.MergeStateStatus], MergeReady)
	}
	return a
}

func (c githubCheck) state() string {
	switch cmp.Or(c.Conclusion, c.State) {
	case "FAILURE", "ERROR", "TIMED_OUT", "CANCELLED", "ACTION_REQUIRED", "STARTUP_FAILURE":
		return ChecksFailed
	case "SUCCESS", "NEUTRAL", "SKIPPED":
		return ChecksPassed
	}
	return ChecksRunning // queued, in progress, pending, expected
}
