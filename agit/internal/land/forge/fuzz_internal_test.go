package forge

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/fault"
)

// Answers of a forge are texts of strangers. No reader of them fails otherwise than by a fault, and an id that becomes an argument of the
// forge's program is a number.

func FuzzGithubJob(f *testing.F) {
	for _, address := range []string{"", "https://github.com/acme/app/actions/runs/12/job/34", "https://github.com/acme/app/actions/runs/12/job/34?pr=7",
		"https://ci.example.com/1", "/actions/runs//job/", "/actions/runs/1/job/-5", "/actions/runs/1/job/ 5", "/actions/runs/1/job/99999999999999999999"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		job := githubJob(address)
		if strings.Trim(job, "0123456789") != "" || !strings.Contains(address, "/job/"+job) && job != "" {
			t.Errorf("%q of %q", job, address)
		}
	})
}

func FuzzGithubLines(f *testing.F) {
	for _, log := range []string{"", "test\tRun tests\t\ufeff2026-11-26T10:00:00.0000000Z === RUN\n", "test\tRun\t2026-11-26T10:00:00Z \n", "a\tb\n", "no columns", "a\tb\tc d\n\n\t\t\t\n", "\xff\t\t\x00"} {
		f.Add([]byte(log))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		lines := githubLines(log)
		kept := log[max(0, len(log)-logRead):]
		if bytes.Count(lines, []byte{'\n'}) != bytes.Count(kept, []byte{'\n'}) || len(lines) > len(kept) {
			t.Errorf("%q became %q", kept, lines)
		}
		shown := endOf(lines)
		if len(shown) > logEnd || !utf8.ValidString(shown) || strings.ContainsAny(shown, "\r\x1b\x07") {
			t.Errorf("%q is shown as %q", log, shown)
		}
	})
}

func FuzzChecks(f *testing.F) {
	for _, said := range []string{"", "null", "[]", "{}",
		`{"statusCheckRollup":[{"name":"test","workflowName":"CI","conclusion":"FAILURE","detailsUrl":"https://github.com/a/b/actions/runs/1/job/2"},{"context":"lint","state":"ERROR"}]}`,
		`[{"id":5,"name":"test","stage":"build","status":"failed"},{"id":-6,"status":"failed","allow_failure":true}]`,
		`[{"status":"rejected","configuration":{"isBlocking":true,"type":{"displayName":"Build"},"settings":{"displayName":"CI"}},"context":{"buildId":12}},{"status":"queued","context":null}]`} {
		f.Add([]byte(said))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		var all []failedCheck
		var rollup githubAnswer
		if json.Unmarshal(said, &rollup) == nil {
			all = append(all, githubResults(rollup.StatusCheckRollup).failed...)
		}
		var jobs []gitlabJob
		if json.Unmarshal(said, &jobs) == nil {
			failed := gitlabFailed(jobs, "failed")
			if len(failed) == 0 {
				t.Errorf("a pipeline that failed has no failed check: %s", said)
			}
			all = append(all, failed...)
		}
		var policies []azurePolicy
		if json.Unmarshal(said, &policies) == nil {
			all = append(all, azureResults(policies).failed...)
		}
		for _, c := range all {
			if _, err := strconv.ParseInt(c.job, 10, 64); c.job != "" && err != nil && strings.Trim(c.job, "0123456789") != "" {
				t.Errorf("the job %q of %s", c.job, said)
			}
		}
	})
}

func FuzzGithubPages(f *testing.F) {
	for _, said := range []string{"", "[]", "[][]", `[{"id":1,"user":{"login":"mona"},"body":"x"}][{"id":2,"user":null}]`, "[{]", "{}", "[", `[{"created_at":"never"}]`} {
		f.Add([]byte(said))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		if _, err := githubPages(said); err != nil && !fault.Is(err, fault.KindProvider) {
			t.Errorf("%q: %v", said, err)
		}
	})
}
