package forge

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
)

func TestRemotes(t *testing.T) {
	for _, c := range []struct {
		address, host, path string
		kind                Kind
	}{
		{"git@github.com:acme/app.git", "github.com", "acme/app", GitHub},
		{"https://github.com/acme/app", "github.com", "acme/app", GitHub},
		{"https://user:secret@GitHub.com/acme/app.git/", "github.com", "acme/app", GitHub},
		{"ssh://git@github.example.com:2222/acme/app.git", "github.example.com", "acme/app", GitHub},
		{"git@acme.ghe.com:acme/app.git", "acme.ghe.com", "acme/app", GitHub},
		{"https://gitlab.com/group/sub/app.git", "gitlab.com", "group/sub/app", GitLab},
		{"git@gitlab.example.com:app.git", "gitlab.example.com", "app", GitLab},
		{"https://dev.azure.com/org/project/_git/app", "dev.azure.com", "org/project/_git/app", Azure},
		{"git@ssh.dev.azure.com:v3/org/project/app", "ssh.dev.azure.com", "v3/org/project/app", Azure},
		{"https://org.visualstudio.com/project/_git/app", "org.visualstudio.com", "project/_git/app", Azure},
		{"GitHub.com:acme/app.git", "github.com", "acme/app", GitHub},
		{"gitlab.com:/acme/app/", "gitlab.com", "acme/app", GitLab},
		{"/srv/git/app.git", "", "", ""},
		{"./a:b/app.git", "", "", ""},
		{`srv\a:b/app.git`, "", "", ""},
		{"c:/src/app", "", "", ""},
		{"https://github.com/", "", "", ""},
		{"https://github.com:x/acme/app", "", "", ""},
		{"../app.git", "", "", ""},
		{"file:///srv/app.git", "", "", ""},
		{`C:\src\app`, "", "", ""},
		{"host:", "", "", ""},
		{"", "", "", ""},
	} {
		host, path := split(c.address)
		if host != c.host || path != c.path {
			t.Errorf("%s: %q, %q", c.address, host, path)
		}
		if c.host == "" {
			continue
		}
		if kind, err := kindOf(host, ""); err != nil || kind != c.kind {
			t.Errorf("%s: %q, %v", c.address, kind, err)
		}
		if kind, err := kindOf(host, Azure); err != nil || kind != Azure {
			t.Errorf("%s as configured: %q, %v", c.address, kind, err)
		}
	}
	if _, err := kindOf("git.example.com", ""); !fault.Is(err, fault.KindValidation) {
		t.Errorf("an unknown host: %v", err)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("git@github.com:acme/app.git")
	f.Add("ssh://[::1]:22/a")
	f.Fuzz(func(t *testing.T, address string) {
		if host, path := split(address); (host == "") != (path == "") {
			t.Errorf("%q: %q, %q", address, host, path)
		}
	})
}

// The words of different forges for one thing become one word here.
func TestAnswers(t *testing.T) {
	check := func(status, conclusion, state string) githubCheck {
		return githubCheck{Status: status, Conclusion: conclusion, State: state}
	}
	for _, c := range []struct {
		name string
		got  PullRequest
		want PullRequest
	}{
		{"GitHub, ready", githubAnswer{Number: 1, State: "OPEN", Mergeable: "MERGEABLE", MergeStateStatus: "CLEAN", ReviewDecision: "APPROVED",
			StatusCheckRollup: []githubCheck{check("COMPLETED", "SUCCESS", ""), check("COMPLETED", "SKIPPED", "")}}.answer(),
			PullRequest{Number: 1, State: Open, Mergeable: MergeReady, Review: ReviewApproved, Checks: ChecksPassed}},
		{"GitHub, running", githubAnswer{State: "OPEN", Mergeable: "UNKNOWN", ReviewDecision: "REVIEW_REQUIRED",
			StatusCheckRollup: []githubCheck{check("COMPLETED", "SUCCESS", ""), check("IN_PROGRESS", "", "")}}.answer(),
			PullRequest{State: Open, Mergeable: MergeUnknown, Review: ReviewRequired, Checks: ChecksRunning}},
		{"GitHub, failed before all ran", githubAnswer{State: "OPEN", Mergeable: "CONFLICTING",
			StatusCheckRollup: []githubCheck{check("QUEUED", "", ""), check("", "", "ERROR")}}.answer(),
			PullRequest{State: Open, Mergeable: MergeConflicts, Checks: ChecksFailed}},
		{"GitHub, behind", githubAnswer{State: "OPEN", Mergeable: "MERGEABLE", MergeStateStatus: "BEHIND", IsDraft: true}.answer(),
			PullRequest{State: Open, Mergeable: MergeBehind, Draft: true}},
		{"GitHub, closed", githubAnswer{State: "CLOSED", Mergeable: "UNKNOWN"}.answer(), PullRequest{State: Closed}},
		{"GitLab, merged", gitlabAnswer{IID: 2, State: "merged", SHA: "a", SquashSHA: "b", MergeStatus: "not_open"}.answer(),
			PullRequest{Number: 2, State: Merged, Head: "a", Commit: "b"}},
		{"GitLab, behind", gitlabAnswer{State: "opened", MergeStatus: "need_rebase"}.answer(), PullRequest{State: Open, Mergeable: MergeBehind}},
		{"GitLab, checking", gitlabAnswer{State: "opened", MergeStatus: "checking"}.answer(), PullRequest{State: Open, Mergeable: MergeUnknown}},
		{"Azure, completed", azureAnswer{ID: 3, Status: "completed", LastMergeCommit: &azureCommit{"c"}}.answer(),
			PullRequest{Number: 3, URL: "/pullrequest/3", State: Merged, Commit: "c"}},
		{"Azure, abandoned", azureAnswer{ID: 3, Status: "abandoned"}.answer(), PullRequest{Number: 3, URL: "/pullrequest/3", State: Closed}},
		{"Azure, conflicts", azureAnswer{ID: 3, Status: "active", MergeStatus: "conflicts"}.answer(),
			PullRequest{Number: 3, URL: "/pullrequest/3", State: Open, Mergeable: MergeConflicts}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
}

// Of many votes and checks, the one that stands in the way counts.
func TestVotesAndChecks(t *testing.T) {
	type vote = struct {
		Vote       int  `json:"vote"`
		IsRequired bool `json:"isRequired"`
	}
	for want, votes := range map[string][][]vote{
		"":             {{}, {{0, false}}},
		ReviewApproved: {{{10, false}}, {{0, false}, {5, true}}},
		ReviewRequired: {{{0, true}}, {{10, false}, {0, true}}, {{0, true}, {10, false}}},
		ReviewChanges:  {{{-5, false}}, {{-10, true}, {10, true}}, {{10, true}, {0, true}, {-10, false}}},
	} {
		for _, all := range votes {
			if got := (azureAnswer{Status: "active", Reviewers: all}).answer().Review; got != want {
				t.Errorf("%v: %q, want %q", all, got, want)
			}
		}
	}
	policy := func(status string, blocking bool) (p azurePolicy) {
		p.Status, p.Configuration.IsBlocking = status, blocking
		return p
	}
	for want, lists := range map[string][][]azurePolicy{
		"":            {{}, {policy("notApplicable", true)}, {policy("rejected", false)}},
		ChecksPassed:  {{policy("approved", true)}, {policy("broken", false), policy("approved", true)}},
		ChecksRunning: {{policy("queued", true), policy("approved", true)}, {policy("approved", true), policy("running", false)}},
		ChecksFailed:  {{policy("running", true), policy("rejected", true)}, {policy("broken", true), policy("approved", true)}},
	} {
		for _, list := range lists {
			if got := together(list, azurePolicy.state); got != want {
				t.Errorf("%v: %q, want %q", list, got, want)
			}
		}
	}
}

// The environment of one program does not reach another that is started meanwhile.
func TestProgramsHaveEnvironmentsOfTheirOwn(t *testing.T) {
	s := &Store{Env: append(make([]string, 0, 16), "PATH=/bin")}
	gh, ok := s.programOf(GitHub, remote{Host: "github.com"}, "").(github)
	_ = s.programOf(Azure, remote{Host: "dev.azure.com"}, "")
	if !ok || !slices.Equal(gh.env, []string{"PATH=/bin", "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1"}) {
		t.Errorf("gh is started with %q", gh.env)
	}
}
