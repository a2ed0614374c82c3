package forge

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"
)

// azure uses az, which finds the project by the folder that it runs in, and whose extension azure-devops installs itself on first use.
type azure struct{ tool }

type azureAnswer struct {
	ID          int64  `json:"pullRequestId"`
	Status      string `json:"status"`
	MergeStatus string `json:"mergeStatus"`
	IsDraft     bool   `json:"isDraft"`
	Target      string `json:"targetRefName"`
	Repository  struct {
		ID      string `json:"id"`
		WebURL  string `json:"webUrl"`
		Project struct {
			ID string `json:"id"`
		} `json:"project"`
	} `json:"repository"`
	LastMergeSourceCommit *azureCommit `json:"lastMergeSourceCommit"`
	LastMergeCommit       *azureCommit `json:"lastMergeCommit"`
	Reviewers             []struct {
		Vote       int  `json:"vote"`
		IsRequired bool `json:"isRequired"`
	} `json:"reviewers"`
}

type azureCommit struct {
	ID string `json:"commitId"`
}

// azurePolicy is a policy of a pull request, as az prints it.
type azurePolicy struct {
	Status        string `json:"status"`
	Configuration struct {
		IsBlocking bool `json:"isBlocking"`
		Type       struct {
			Name string `json:"displayName"`
		} `json:"type"`
		Settings struct {
			Name string `json:"displayName"`
		} `json:"settings"`
	} `json:"configuration"`
	Context *struct {
		Build int64 `json:"buildId"`
	} `json:"context"`
}

func (p azure) find(ctx context.Context, branch string) (*PullRequest, error) {
	var all []azureAnswer
	err := p.read(ctx, &all, "repos", "pr", "list", "--source-branch", branch, "--status", "active", "--detect", "true", "--output", "json")
	if err != nil || len(all) == 0 {
		return nil, err
	}
	found := all[0].answer()
	return &found, nil
}

func (p azure) create(ctx context.Context, d draft) (PullRequest, error) {
	var said azureAnswer
	args := []string{"repos", "pr", "create", "--title=" + d.Title, "--description=" + d.Body, "--source-branch", d.Branch, "--target-branch", d.Base,
		"--draft", strconv.FormatBool(d.Draft), "--detect", "true", "--output", "json"}
	err := p.read(ctx, &said, args...)
	return said.answer(), err
}

func (p azure) view(ctx context.Context, number int64) (PullRequest, error) {
	said, err := p.show(ctx, number)
	a := said.answer()
	if err != nil || a.State != Open {
		return a, err
	}
	policies, err := p.policies(ctx, number)
	a.Checks = together(policies, azurePolicy.state)
	return a, err
}

func (p azure) show(ctx context.Context, number int64) (said azureAnswer, err error) {
	err = p.read(ctx, &said, "repos", "pr", "show", "--id", strconv.FormatInt(number, 10), "--detect", "true", "--output", "json")
	return said, err
}

func (p azure) policies(ctx context.Context, number int64) (all []azurePolicy, err error) {
	err = p.read(ctx, &all, "repos", "pr", "policy", "list", "--id", strconv.FormatInt(number, 10), "--detect", "true", "--output", "json")
	return all, err
}

// source returns no ref for a fork: Azure DevOps keeps only the merge of both sides.
func (p azure) source(ctx context.Context, number int64) (PullRequest, source, error) {
	var said struct {
		azureAnswer
		Title        string          `json:"title"`
		SourceBranch string          `json:"sourceRefName"`
		ForkSource   json.RawMessage `json:"forkSource"`
	}
	err := p.read(ctx, &said, "repos", "pr", "show", "--id", strconv.FormatInt(number, 10), "--detect", "true", "--output", "json")
	fork := len(said.ForkSource) > 0 && string(said.ForkSource) != "null"
	return said.answer(), source{Title: said.Title, Branch: strings.TrimPrefix(said.SourceBranch, "refs/heads/"), Foreign: fork}, err
}

// state is that of the check that a policy stands for; "" for a policy that blocks nothing.
func (p azurePolicy) state() string {
	switch p.Status {
	case "rejected", "broken":
		if p.Configuration.IsBlocking {
			return ChecksFailed
		}
	case "approved":
		return ChecksPassed
	case "queued", "running":
		return ChecksRunning
	}
	return ""
}

// azureMerges are words of Azure DevOps for the state of a merge.
var azureMerges = map[string]string{"succeeded": MergeReady, "conflicts": MergeConflicts, "rejectedByPolicy": MergeBlocked, "failure": MergeBlocked}

func (g azureAnswer) answer() PullRequest {
	const approved, rejected = 5, -5 // votes from these on; 0 is none
	a := PullRequest{Number: g.ID, Draft: g.IsDraft, Target: strings.TrimPrefix(g.Target, "refs/heads/"), State: Open,
		URL: g.Repository.WebURL + "/pullrequest/" + strconv.FormatInt(g.ID, 10)}
	if g.LastMergeSourceCommit != nil {
		a.Head = g.LastMergeSourceCommit.ID
	}
	switch g.Status {
	case "completed":
		a.State = Merged
		if g.LastMergeCommit != nil {
			a.Commit = g.LastMergeCommit.ID
		}
	case "abandoned":
		a.State = Closed
	}
	for _, r := range g.Reviewers {
		switch {
		case r.Vote <= rejected:
			a.Review = ReviewChanges
		case a.Review == ReviewChanges:
		case r.Vote >= approved:
			if a.Review == "" {
				a.Review = ReviewApproved
			}
		case r.IsRequired:
			a.Review = ReviewRequired
		}
	}
	if a.State == Open {
		a.Mergeable = cmp.Or(azureMerges[g.MergeStatus], MergeUnknown)
	}
	return a
}
