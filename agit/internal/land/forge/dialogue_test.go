package forge

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// dialogue writes down what is asked of a forge's program, and what is made of its answers.
type dialogue struct {
	strings.Builder
	t     *testing.T
	run   tool
	asked func() string
	seen  int
}

// show adds the calls since the last one, and a result or an error.
func (d *dialogue) show(title string, result any, err error) {
	all := d.asked()
	fmt.Fprintf(d, "== %s\n", title)
	for line := range strings.Lines(all[d.seen:]) {
		d.WriteString("$ " + line)
	}
	d.seen = len(all)
	if err != nil {
		f := fault.From(err)
		fmt.Fprintf(d, "! %s (%s; retry %v): %s\n", f.Message, f.Kind, f.Retryable, f.Hint)
		return
	}
	shown, err := json.Marshal(result)
	if err != nil {
		d.t.Error(err)
	}
	fmt.Fprintf(d, "%s\n", shown)
}

// saidForm is what a forge says of a pull request, as the dialogues have it.
type saidForm struct {
	Number                                  int64
	URL, Target                             string
	State                                   State
	Draft                                   bool
	Checks, Review, Mergeable, Head, Commit string
	Updated                                 string
}

func saidOf(p PullRequest) saidForm {
	return saidForm{p.Number, p.URL, p.Target, p.State, p.Draft, p.Checks, p.Review, p.Mergeable, p.Head, p.Commit, p.Changed}
}

// sourced is a pull request, and where its commits come from.
type sourced struct {
	Answer saidForm
	Source source
}

func (d *dialogue) follow(p program, drafts ...draft) {
	ctx := d.t.Context()
	for _, branch := range []string{"log-in", "none", "odd", "broken", "away"} {
		found, err := p.find(ctx, branch)
		if found == nil {
			d.show("find "+branch, found, err)
		} else {
			d.show("find "+branch, saidOf(*found), err)
		}
	}
	for _, open := range drafts {
		made, err := p.create(ctx, open)
		d.show("create "+open.Branch, saidOf(made), err)
	}
	for _, number := range []int64{7, 8, 9} {
		seen, err := p.view(ctx, number)
		d.show(fmt.Sprint("view ", number), saidOf(seen), err)
		a, of, err := p.source(ctx, number)
		d.show(fmt.Sprint("source ", number), sourced{saidOf(a), of}, err)
	}
	_, err := p.log(ctx, "99")
	d.show("a log that is gone", nil, err)
	_, err = p.checks(ctx, 99)
	d.show("checks that are not readable", nil, err)
	_, err = p.comments(ctx, 99)
	d.show("comments that are not readable", nil, err)
	d.show("a merge that is refused", nil, p.merges(ctx, 99, "abc"))
}

func (d *dialogue) compare(name string) {
	clitest.Golden(d.t, filepath.Join("testdata", "dialogues", name+".txt"), strings.ReplaceAll(d.String(), d.run.name, "<program>"))
}

var drafts = []draft{{Branch: "log-in", Base: "main", Title: "Log in", Body: "With a form."}, {Branch: "draft", Base: "next", Title: "-x", Body: "It is\nlong.", Draft: true},
	{Branch: "silent", Base: "main", Title: "t"}, {Branch: "unnamed", Base: "main", Title: "t"}, {Branch: "refused", Base: "main", Title: "t"}}

const githubOne = `"number":%s,"url":"https://github.com/acme/app/pull/%s","state":"%s","isDraft":true,"mergeable":"MERGEABLE","mergeStateStatus":"BLOCKED","reviewDecision":"CHANGES_REQUESTED",` +
	`"statusCheckRollup":[{"status":"COMPLETED","conclusion":"SUCCESS"}],"headRefOid":"abc","updatedAt":"2026-11-26T10:00:00Z","mergeCommit":{"oid":"def"},"headRepositoryOwner":{"login":"%s"},` +
	`"title":"Log in","headRefName":"log-in","baseRefName":"main"`

func githubPull(number, state, owner string) string {
	return fmt.Sprintf("{"+githubOne+"}", number, number, state, owner)
}

func TestGithubDialogue(t *testing.T) {
	t.Parallel()
	run, asked := playing(t, `
"pr list "*" --head log-in "*) echo '[`+githubPull("6", "OPEN", "fork")+`,`+githubPull("7", "OPEN", "ACME")+`]' ;;
"pr list "*" --head none "*) echo '[`+githubPull("6", "OPEN", "fork")+`]' ;;
"pr list "*" --head odd "*) echo '{}' ;;
"pr list "*" --head broken "*) echo 'GraphQL: it broke' >&2; exit 1 ;;
"pr list "*" --head away "*) echo 'To get started with GitHub CLI, please run: gh auth login' >&2; exit 4 ;;
"pr create "*" --head acme:log-in "*) cat >> asked; echo >> asked; echo https://github.com/acme/app/pull/12 ;;
"pr create "*" --head acme:draft "*) echo https://github.com/acme/app/pull/13 ;;
"pr create "*" --head acme:silent "*) ;;
"pr create "*" --head acme:unnamed "*) echo https://github.com/acme/app/pull/next ;;
"pr view 7 "*) echo '`+githubPull("7", "OPEN", "acme")+`' ;;
"pr view 8 "*) echo '`+strings.Replace(githubPull("8", "MERGED", "fork"), "MERGEABLE", "UNKNOWN", 1)+`' ;;
"pr view 99 "*) echo 'no such pull request' >&2; exit 1 ;;
"api "*"issues/99/comments"*) echo 'nonsense' ;;
`)
	d := &dialogue{t: t, run: run, asked: asked}
	run.host = "github.com"
	d.follow(github{run, remote{Host: "github.com", Path: "acme/app", Into: "github.com/acme/app"}}, drafts...)
	d.compare("github")
}

func TestGitlabDialogue(t *testing.T) {
	t.Parallel()
	one := func(number, state, source string) string {
		return `{"iid":` + number + `,"web_url":"https://gitlab.com/acme/app/-/merge_requests/` + number + `","state":"` + state + `","draft":true,"has_conflicts":false,"detailed_merge_status":"not_approved",` +
			`"target_branch":"main","sha":"abc","updated_at":"2026-11-26T10:00:00Z","merge_commit_sha":"def","squash_commit_sha":"ghi","head_pipeline":{"status":"success"},` +
			`"title":"Log in","source_branch":"log-in","source_project_id":` + source + `,"target_project_id":1}`
	}
	run, asked := playing(t, `
"mr list --source-branch log-in "*|"mr list --source-branch draft "*) echo '[`+one("7", "opened", "1")+`,`+one("6", "opened", "1")+`]' ;;
"mr list --source-branch none "*|"mr list --source-branch silent "*) echo '[]' ;;
"mr list --source-branch odd "*) echo '{}' ;;
"mr list --source-branch unnamed "*) echo 'it broke' >&2; exit 1 ;;
"mr list --source-branch broken "*) echo 'it broke' >&2; exit 1 ;;
"mr list --source-branch away "*) echo '401 Unauthorized' >&2; exit 1 ;;
"mr create "*refused*) echo 'not here' >&2; exit 1 ;;
"mr create "*) ;;
"mr view 7 "*) echo '`+one("7", "opened", "1")+`' ;;
"mr view 8 "*) echo '`+one("8", "closed", "2")+`' ;;
"mr view 99 "*) echo '{"iid":99,"head_pipeline":{"id":1,"status":"failed"}}' ;;
"api projects/:fullpath/merge_requests/99/notes"*) echo '[{"id":1,"author":{"id":5}}]' ;;
"api projects/:fullpath/members/all/5") echo nonsense ;;
`)
	d := &dialogue{t: t, run: run, asked: asked}
	d.follow(gitlab{run}, drafts...)
	d.compare("gitlab")
}

func TestAzureDialogue(t *testing.T) {
	t.Parallel()
	one := func(number, status, fork string) string {
		return `{"pullRequestId":` + number + `,"status":"` + status + `","mergeStatus":"succeeded","isDraft":true,"targetRefName":"refs/heads/main","repository":{"webUrl":"https://dev.azure.com/o/p/_git/app"},` +
			`"lastMergeSourceCommit":{"commitId":"abc"},"lastMergeCommit":{"commitId":"def"},"reviewers":[{"vote":10,"isRequired":true}],"title":"Log in","sourceRefName":"refs/heads/log-in"` + fork + `}`
	}
	run, asked := playing(t, `
"repos pr list --source-branch log-in "*) echo '[`+one("7", "active", "")+`,`+one("6", "active", "")+`]' ;;
"repos pr list --source-branch none "*) echo '[]' ;;
"repos pr list --source-branch odd "*) echo '{}' ;;
"repos pr list --source-branch broken "*) echo 'it broke' >&2; exit 1 ;;
"repos pr list --source-branch away "*) echo 'TF400813: The user is not authorized' >&2; exit 1 ;;
"repos pr create "*log-in*|"repos pr create "*draft*) echo '`+one("12", "active", "")+`' ;;
"repos pr create "*silent*) echo ;;
"repos pr show --id 7 "*) echo '`+one("7", "active", `,"forkSource":null`)+`' ;;
"repos pr policy list --id 7 "*) echo '[{"status":"approved","configuration":{"isBlocking":true}}]' ;;
"repos pr show --id 8 "*) echo '`+one("8", "completed", `,"forkSource":{"name":"refs/heads/log-in"}`)+`' ;;
"repos pr show --id 9 "*) echo '`+one("9", "active", ``)+`' ;;
"devops invoke --area build --resource timeline "*) echo 'it broke' >&2; exit 1 ;;
"repos pr policy list --id 99 "*) echo '[{"status":"rejected","configuration":{"isBlocking":true},"context":{"buildId":5}}]' ;;
`)
	d := &dialogue{t: t, run: run, asked: asked}
	d.follow(azure{run}, drafts...)
	d.compare("azure")
}

// A forge's words for the state of a pull request, and what they become.
func TestWordsOfForges(t *testing.T) {
	t.Parallel()
	var s strings.Builder
	line := func(forge string, words any, a PullRequest) {
		fmt.Fprintf(&s, "%-7s %-28s state %s, checks %q, review %q, merge %q, commit %q\n", forge, fmt.Sprint(words), a.State, a.Checks, a.Review, a.Mergeable, a.Commit)
	}
	for _, state := range []string{"OPEN", "CLOSED", "MERGED", ""} {
		line("github", state, githubAnswer{State: state, MergeCommit: &struct {
			OID string `json:"oid"`
		}{"c"}}.answer())
	}
	for _, review := range []string{"APPROVED", "CHANGES_REQUESTED", "REVIEW_REQUIRED", ""} {
		line("github", review, githubAnswer{ReviewDecision: review}.answer())
	}
	for _, mergeable := range []string{"MERGEABLE", "CONFLICTING", "UNKNOWN", ""} {
		for _, status := range []string{"CLEAN", "DIRTY", "BEHIND", "BLOCKED", "UNSTABLE", ""} {
			line("github", []string{mergeable, status}, githubAnswer{Mergeable: mergeable, MergeStateStatus: status}.answer())
		}
	}
	var all []githubCheck
	for _, word := range []string{"SUCCESS", "NEUTRAL", "SKIPPED", "PENDING", "FAILURE", "ERROR", "TIMED_OUT", "CANCELLED", "ACTION_REQUIRED", "STARTUP_FAILURE", "EXPECTED"} {
		line("github", []string{"conclusion", word}, githubAnswer{StatusCheckRollup: []githubCheck{{Status: "COMPLETED", Conclusion: word, State: "SUCCESS"}}}.answer())
		line("github", []string{"state", word}, githubAnswer{StatusCheckRollup: []githubCheck{{State: word}}}.answer())
		all = append(all, githubCheck{State: word})
		line("github", fmt.Sprint("the first ", len(all)), githubAnswer{StatusCheckRollup: all}.answer())
	}
	for _, state := range []string{"opened", "closed", "merged", "locked"} {
		line("gitlab", state, gitlabAnswer{State: state, MergeCommitSHA: "m", SquashSHA: "s"}.answer())
	}
	for _, conflicts := range []bool{false, true} {
		for _, status := range []string{"mergeable", "", "conflict", "need_rebase", "checking", "unchecked", "preparing", "not_approved", "requested_changes", "ci_must_pass"} {
			line("gitlab", []any{status, conflicts}, gitlabAnswer{MergeStatus: status, HasConflicts: conflicts}.answer())
		}
	}
	for _, status := range []string{"success", "skipped", "manual", "failed", "canceled", "", "running", "pending"} {
		line("gitlab", "pipeline "+status, gitlabAnswer{HeadPipeline: &gitlabRun{Status: status}}.answer())
	}
	for _, status := range []string{"active", "completed", "abandoned", "notSet"} {
		line("azure", status, azureAnswer{Status: status, LastMergeCommit: &azureCommit{"c"}}.answer())
	}
	line("azure", "completed without a commit", azureAnswer{Status: "completed"}.answer())
	for _, status := range []string{"succeeded", "conflicts", "rejectedByPolicy", "failure", "queued", ""} {
		line("azure", status, azureAnswer{Status: "active", MergeStatus: status}.answer())
	}
	for _, votes := range [][]int{{10}, {5}, {4}, {0}, {-4}, {-5}, {-10}, {10, -5}, {-5, 10}, {0, 10}, {10, 0}} {
		a := azureAnswer{Status: "active"}
		for _, vote := range votes {
			a.Reviewers = append(a.Reviewers, struct {
				Vote       int  `json:"vote"`
				IsRequired bool `json:"isRequired"`
			}{vote, vote == 0})
		}
		line("azure", votes, a.answer())
	}
	clitest.Golden(t, filepath.Join("testdata", "words.txt"), s.String())
}

// A program that failed becomes a fault with the next step.
func TestProgramsThatFail(t *testing.T) {
	t.Parallel()
	var s strings.Builder
	for _, c := range []struct {
		name      string
		status    int
		errs, out string
	}{
		{"gh", 1, "HTTP 401: Bad credentials", ""},
		{"gh", 4, "", ""},
		{"gh", 1, "", "said on standard output"},
		{"gh", 2, "password=hunter2secret failed", "and more"},
		{"gh", 4, "You have exceeded a secondary RATE LIMIT", ""},
		{"glab", 4, "", ""},
		{"glab", 1, "run glab auth login first", ""},
		{"glab", 1, "HTTP 401", ""},
		{"glab", 1, "Unauthorized", ""},
		{"glab", 1, "Authentication failed for it", ""},
		{"glab", 1, "Too Many Requests", ""},
		{"glab", 1, "HTTP 429", ""},
		{"az", 1, "Please run 'az login'", ""},
		{"az", 1, "you are not logged in", ""},
		{"az", 1, "TF400733: The request has been canceled", ""},
		{"az", 1, "TF400813: no", ""},
		{"az", 1, "", "401"},
	} {
		err := tool{name: c.name, host: "forge.example.com", login: "the login"}.failed(sibling.Answer{Status: c.status, Err: []byte(c.errs), Out: []byte(c.out)})
		f := fault.From(err)
		fmt.Fprintf(&s, "%s %d %q %q: %s, retry %v, limited %v\n\t%s\n\t%s\n", c.name, c.status, c.errs, c.out, f.Kind, f.Retryable, Limited(err), f.Message, f.Hint)
	}
	absent := tool{name: "no-such-program-here", title: "GitHub's gh", login: "gh auth login"}
	_, err := absent.run(t.Context(), "")
	fmt.Fprintf(&s, "absent: %s\n\t%s\n\t%s\n", fault.From(err).Kind, fault.From(err).Message, fault.From(err).Hint)
	clitest.Golden(t, filepath.Join("testdata", "failures.txt"), s.String())
}
