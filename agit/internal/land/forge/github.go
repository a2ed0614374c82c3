package forge

import (
	"bytes"
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

func (p github) find(ctx context.Context, branch string) (*answer, error) {
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

func (p github) create(ctx context.Context, d draft) (answer, error) {
	// gh pushes nothing when --head is given, and asks nothing.
	args := []string{"pr", "create", "--repo", p.remote.Into, "--head", p.remote.owner() + ":" + d.Branch, "--base", d.Base, "--title", d.Title, "--body-file", "-"}
	if d.Draft {
		args = append(args, "--draft")
	}
	out, err := p.run(ctx, d.Body, args...)
	if err != nil {
		return answer{}, err
	}
	lines := bytes.Fields(out)
	if len(lines) == 0 {
		return answer{}, fault.Provider(nil, "gh opened a pull request, but did not say which").WithHint("`agit pr WORKTREE --status` finds it")
	}
	address := string(lines[len(lines)-1])
	number, err := strconv.ParseInt(address[strings.LastIndexByte(address, '/')+1:], 10, 64)
	if err != nil {
		return answer{}, fault.Provider(nil, "gh opened a pull request, but named it %q", address).WithHint("`agit pr WORKTREE --status` finds it")
	}
	return answer{Number: number, URL: address, State: Open, Draft: d.Draft, Target: d.Base}, nil
}

// tries is how often GitHub is asked again while it is still finding out.
const tries = 3

func (p github) view(ctx context.Context, number int64) (answer, error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for try := 1; ; try++ {
		var said githubAnswer
		if err := p.read(ctx, &said, "pr", "view", strconv.FormatInt(number, 10), "--repo", p.remote.Into, "--json", githubFields); err != nil {
			return answer{}, err
		}
		if said.State != "OPEN" || said.Mergeable != "UNKNOWN" || try == tries {
			return said.answer(), nil
		}
		select {
		case <-ctx.Done():
			return answer{}, ctx.Err()
		case <-tick.C:
		}
	}
}

func (p github) source(ctx context.Context, number int64) (answer, source, error) {
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

func (g githubAnswer) answer() answer {
	a := answer{Number: g.Number, URL: g.URL, Draft: g.IsDraft, Head: g.HeadRefOid, Updated: g.UpdatedAt, Checks: githubChecks(g.StatusCheckRollup)}
	switch g.State {
	case "MERGED":
		a.State = Merged
	case "CLOSED":
		a.State = Closed
	default:
		a.State = Open
	}
	if g.MergeCommit != nil {
		a.Commit = g.MergeCommit.OID
	}
	switch g.ReviewDecision {
	case "APPROVED":
		a.Review = ReviewApproved
	case "CHANGES_REQUESTED":
		a.Review = ReviewChanges
	case "REVIEW_REQUIRED":
		a.Review = ReviewRequired
	}
	switch {
	case a.State != Open:
	case g.Mergeable == "CONFLICTING" || g.MergeStateStatus == "DIRTY":
		a.Mergeable = MergeConflicts
	case g.Mergeable != "MERGEABLE":
		a.Mergeable = MergeUnknown
	case g.MergeStateStatus == "BEHIND":
		a.Mergeable = MergeBehind
	case g.MergeStateStatus == "BLOCKED":
		a.Mergeable = MergeBlocked
	default:
		a.Mergeable = MergeReady
	}
	return a
}

func githubChecks(checks []githubCheck) string {
	verdict := ""
	for _, c := range checks {
		word := c.Conclusion
		if word == "" {
			word = c.State
		}
		switch word {
		case "FAILURE", "ERROR", "TIMED_OUT", "CANCELLED", "ACTION_REQUIRED", "STARTUP_FAILURE":
			return ChecksFailed
		case "SUCCESS", "NEUTRAL", "SKIPPED":
			if verdict == "" {
				verdict = ChecksPassed
			}
		default: // queued, in progress, pending, expected
			verdict = ChecksRunning
		}
	}
	return verdict
}
