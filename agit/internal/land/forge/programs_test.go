package forge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// gh's words for checks, logs and comments.
func TestGithubFeedback(t *testing.T) {
	t.Parallel()
	run, asked := playing(t, `
"pr view 7 --repo github.com/acme/app --json statusCheckRollup") echo '{"statusCheckRollup":[
  {"name":"test","workflowName":"CI","status":"COMPLETED","conclusion":"FAILURE","detailsUrl":"https://github.com/acme/app/actions/runs/1/job/2"},
  {"name":"build","status":"COMPLETED","conclusion":"SUCCESS"},{"context":"lint","state":"ERROR"}]}' ;;
"pr view 8 "*) echo '{"statusCheckRollup":[{"name":"test","status":"COMPLETED","conclusion":"FAILURE"},{"name":"build","status":"QUEUED"}]}' ;;
"run view --repo github.com/acme/app --job 2 --log-failed") printf 'test\tRun\t2026-11-26T09:00:00.1234567Z it broke\ntest\tRun\tno time here\na line without columns\n' ;;
*issues/7/comments*) echo '[{"id":1,"user":{"login":"mona"},"author_association":"OWNER","body":"Late.","created_at":"2026-11-26T12:00:00Z"}][{"id":2,"user":null,"author_association":"CONTRIBUTOR","body":"Early.","created_at":"2026-11-26T09:00:00Z"}]' ;;
*pulls/7/reviews*) echo '[{"id":3,"user":{"login":"ben"},"author_association":"COLLABORATOR","state":"CHANGES_REQUESTED","body":"Change it.","submitted_at":"2026-11-26T10:00:00Z"},
  {"id":4,"state":"PENDING","body":"draft"},{"id":5,"state":"APPROVED","body":"fine"},{"id":6,"state":"DISMISSED","body":"gone"}]' ;;
*pulls/7/comments*) echo '[{"id":7,"user":{"login":"ben"},"author_association":"NONE","path":"a.go","line":null,"original_line":3,"body":"Here.","created_at":"2026-11-26T11:00:00Z"}]' ;;
"api --hostname github.com repos/acme/app") echo '{"allow_merge_commit":false,"allow_squash_merge":true,"allow_rebase_merge":true}' ;;
"pr merge "*) ;;`)
	p := github{run, remote{Host: "github.com", Into: "github.com/acme/app"}}
	ran, err := p.checks(t.Context(), 7)
	worktreetest.Must(t, err)
	if ran.running || len(ran.failed) != 2 || ran.failed[0] != (failedCheck{"CI / test", "2"}) || ran.failed[1] != (failedCheck{"lint", ""}) {
		t.Errorf("%+v", ran)
	}
	if ran, err := p.checks(t.Context(), 8); err != nil || !ran.running {
		t.Errorf("%+v, %v", ran, err)
	}
	log, err := p.log(t.Context(), "2")
	if string(log) != "it broke\nno time here\na line without columns" || err != nil {
		t.Errorf("%q, %v", log, err)
	}
	words, err := p.comments(t.Context(), 7)
	worktreetest.Must(t, err)
	want := []Comment{
		{ID: "comment-2", Author: "ghost", As: "contributor", Text: "Early."},
		{ID: "review-3", Author: "ben", As: "collaborator", Writer: true, Text: "Change it."},
		{ID: "line-7", Author: "ben", As: "none", Path: "a.go", Line: 3, Text: "Here."},
		{ID: "comment-1", Author: "mona", As: "owner", Writer: true, Text: "Late."},
	}
	if diff := cmp.Diff(want, words); diff != "" {
		t.Error(diff)
	}
	worktreetest.Must(t, p.merges(t.Context(), 7, "abc"))
	if !strings.HasSuffix(asked(), "pr merge 7 --repo github.com/acme/app --auto --squash --match-head-commit abc\n") {
		t.Error(asked())
	}
}

// glab's words for the same.
func TestGitlabFeedback(t *testing.T) {
	t.Parallel()
	run, asked := playing(t, `
"mr view 7 -F json") echo '{"iid":7,"head_pipeline":{"id":5,"status":"failed"}}' ;;
"mr view 8 -F json") echo '{"iid":8,"head_pipeline":{"id":5,"status":"running"}}' ;;
"mr view 9 -F json") echo '{"iid":9,"head_pipeline":{"id":6,"status":"canceled"}}' ;;
"mr view 10 -F json") echo '{"iid":10,"head_pipeline":null}' ;;
"api projects/:fullpath/pipelines/5/jobs?per_page=100") echo '[{"id":1,"name":"build","stage":"build","status":"success"},{"id":2,"name":"unit","stage":"test","status":"failed"},{"id":3,"name":"style","stage":"test","status":"failed","allow_failure":true}]' ;;
"api projects/:fullpath/pipelines/6/jobs?per_page=100") echo '[]' ;;
"api projects/:fullpath/jobs/2/trace") echo 'it broke' ;;
"api projects/:fullpath/merge_requests/7/notes?sort=asc&order_by=created_at&per_page=100") echo '[{"id":1,"body":"added 1 commit","system":true,"author":{"id":1,"username":"mona"}},
  {"id":2,"body":"Change it.","author":{"id":1,"username":"mona"},"position":{"new_path":"a.go","new_line":3}},{"id":3,"body":"Hello","author":{"id":2,"username":"stranger"}},
  {"id":4,"body":"Seen.","author":{"id":3,"username":"reporter"}},{"id":5,"body":"Done","resolved":true,"author":{"id":1,"username":"mona"}},{"id":6,"body":"Also.","author":{"id":1,"username":"mona"}}]' ;;
"api projects/:fullpath/members/all/1") echo '{"id":1,"access_level":30}' ;;
"api projects/:fullpath/members/all/2") echo 'glab: 404 Not found (HTTP 404)' >&2; exit 1 ;;
"api projects/:fullpath/members/all/3") echo '{"id":3,"access_level":20}' ;;
"mr merge "*) ;;`)
	p := gitlab{run}
	for number, want := range map[int64]results{
		7:  {failed: []failedCheck{{"test / unit", "2"}}},
		8:  {running: true},
		9:  {failed: []failedCheck{{"pipeline, which is canceled", ""}}},
		10: {},
	} {
		got, err := p.checks(t.Context(), number)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(results{}, failedCheck{})); diff != "" || err != nil {
			t.Error(number, diff, err)
		}
	}
	if log, err := p.log(t.Context(), "2"); string(log) != "it broke" || err != nil {
		t.Errorf("%q, %v", log, err)
	}
	words, err := p.comments(t.Context(), 7)
	want := []Comment{
		{ID: "note-2", Author: "mona", As: "access level 30", Writer: true, Path: "a.go", Line: 3, Text: "Change it."},
		{ID: "note-3", Author: "stranger", As: "not a member", Text: "Hello"},
		{ID: "note-4", Author: "reporter", As: "access level 20", Text: "Seen."},
		{ID: "note-6", Author: "mona", As: "access level 30", Writer: true, Text: "Also."},
	}
	if diff := cmp.Diff(want, words); diff != "" || err != nil {
		t.Error(diff, err)
	}
	worktreetest.Must(t, p.merges(t.Context(), 7, "abc"))
	if said := asked(); !strings.HasSuffix(said, "mr merge 7 --auto-merge --sha abc --yes\n") || strings.Count(said, "members/all/1\n") != 1 {
		t.Error(said)
	}
}

// az's words for the same.
func TestAzureFeedback(t *testing.T) {
	t.Parallel()
	run, asked := playing(t, `
"repos pr policy list --id 7 "*) echo '[{"status":"approved","configuration":{"isBlocking":true,"type":{"displayName":"Build"}}},
  {"status":"queued","configuration":{"isBlocking":true,"type":{"displayName":"Minimum number of reviewers"}}},
  {"status":"rejected","configuration":{"isBlocking":true,"type":{"displayName":"Build"},"settings":{"displayName":"CI"}},"context":{"buildId":5}},
  {"status":"rejected","configuration":{"isBlocking":true,"type":{"displayName":"Work item linking"}}},
  {"status":"rejected","configuration":{"isBlocking":false,"type":{"displayName":"Optional"}}}]' ;;
"repos pr policy list --id 8 "*) echo '[{"status":"running","configuration":{"isBlocking":true,"type":{"displayName":"Build"}},"context":{"buildId":5}}]' ;;
"repos pr show --id 7 "*) echo '{"pullRequestId":7,"repository":{"id":"R","project":{"id":"P"}}}' ;;
"devops invoke --area build --resource timeline --route-parameters project=P buildId=5 "*) echo '{"records":[{"type":"Task","result":"succeeded","log":{"id":1}},{"type":"Job","result":"failed","log":{"id":2}},{"type":"Task","result":"failed","log":{"id":3}},{"type":"Task","result":"failed","log":null}]}' ;;
"devops invoke --area build --resource logs --route-parameters project=P buildId=5 logId=3 "*) echo '{"count":2,"value":["first","it broke"]}' ;;
"devops invoke --area git --resource pullRequestThreads --route-parameters project=P repositoryId=R pullRequestId=7 "*) echo '{"value":[
  {"id":1,"status":"active","threadContext":{"filePath":"/a.go","rightFileStart":{"line":3}},"comments":[{"id":1,"content":"Change it.","commentType":"text","author":{"displayName":"Mona","uniqueName":"mona@x"}},
    {"id":2,"content":"Hello","commentType":"text","author":{"displayName":"S","uniqueName":"s@x"}},{"id":3,"content":"gone","commentType":"text","isDeleted":true,"author":{"uniqueName":"mona@x"}}]},
  {"id":2,"comments":[{"id":1,"content":"Mona voted 10","commentType":"system","author":{"uniqueName":"mona@x"}}]},
  {"id":3,"status":"fixed","comments":[{"id":1,"content":"Done","commentType":"text","author":{"uniqueName":"mona@x"}}]},
  {"id":4,"comments":[{"id":1,"content":"From a build","commentType":"text","author":{"displayName":"Build"}},{"id":2,"content":"Denied","commentType":"text","author":{"displayName":"D","uniqueName":"d@x"}}]}]}' ;;
"devops security permission show --namespace-id 2e9eb7ed-3c0a-47d4-87c1-0ffdd275fd87 --subject=mona@x --token repoV2/P/R "*) echo '[{"acesDictionary":{"x":{"extendedInfo":{"effectiveAllow":6}}}}]' ;;
"devops security permission show "*"--subject=s@x "*) echo '[{"acesDictionary":{"x":{"extendedInfo":{"effectiveAllow":2}},"y":{}}}]' ;;
"devops security permission show "*"--subject=d@x "*) echo '[{"acesDictionary":{"x":{"extendedInfo":{"effectiveAllow":6,"effectiveDeny":4}}}}]' ;;
"repos pr update --id 7 --auto-complete true "*) echo '{}' ;;`)
	p := azure{run}
	ran, err := p.checks(t.Context(), 7)
	want := results{failed: []failedCheck{{"Build / CI", "P/5"}, {"Work item linking", ""}}}
	if diff := cmp.Diff(want, ran, cmp.AllowUnexported(results{}, failedCheck{})); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if ran, err := p.checks(t.Context(), 8); err != nil || !ran.running {
		t.Errorf("%+v, %v", ran, err)
	}
	if log, err := p.log(t.Context(), "P/5"); string(log) != "first\nit broke\n" || err != nil {
		t.Errorf("%q, %v", log, err)
	}
	words, err := p.comments(t.Context(), 7)
	said := []Comment{
		{ID: "thread-1-1", Author: "Mona", As: "may contribute", Writer: true, Path: "a.go", Line: 3, Text: "Change it."},
		{ID: "thread-1-2", Author: "S", As: "may not contribute", Path: "a.go", Line: 3, Text: "Hello"},
		{ID: "thread-4-1", Author: "Build", As: "may not contribute", Text: "From a build"},
		{ID: "thread-4-2", Author: "D", As: "may not contribute", Text: "Denied"},
	}
	if diff := cmp.Diff(said, words); diff != "" || err != nil {
		t.Error(diff, err)
	}
	worktreetest.Must(t, p.merges(t.Context(), 7, ""))
	if !strings.HasSuffix(asked(), "repos pr update --id 7 --auto-complete true --detect true --output json\n") {
		t.Error(asked())
	}
}
