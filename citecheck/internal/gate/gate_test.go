package gate

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
)

// summary has text that is hard to escape.
func summary() *check.Summary {
	nasty := "100% \"of\" a,b:c\r\n]]> <x> & | `y` \x01\ufffe"
	return &check.Summary{Total: 2, Citations: 3, Memories: []check.Memory{
		{ID: "a,b:c", File: "docs/a b,c:d%.md", State: check.StateStale, Total: 3, ValidCount: 1, Stale: []check.Citation{
			{At: 9, Result: verify.Result{Citation: verify.Citation{Path: "x|y.go", Line: 3}, Verdict: verify.Gone, Reason: nasty}},
			{At: 10, Result: verify.Result{
				Citation: verify.Citation{Path: "z.go", Line: 4}, Verdict: verify.Moved, Reason: "elsewhere", FoundPath: "z.go", FoundLine: 7,
			}},
		}},
		{ID: "m-1", Source: "registry", State: check.StateStale, Total: 1, Stale: []check.Citation{
			{Result: verify.Result{Citation: verify.Citation{Path: "q.go"}, Verdict: verify.Outside, Reason: "out"}},
		}},
		{ID: "bad", File: "bad.md", State: check.StateUnreadable, Problems: []memoryfile.Problem{{Line: 2, Text: nasty}}},
	}}
}

func TestGitHub(t *testing.T) {
	out := GitHub(Findings(summary(), check.FailOn))
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines: %q", len(lines), out)
	}
	want := "::error file=docs/a b%2Cc%3Ad%25.md,line=9,title=citation gone in a%2Cb%3Ac::x|y.go:3 is gone: 100%25 \"of\" a,b:c%0D%0A]]>"
	if !strings.HasPrefix(lines[0], want) {
		t.Errorf("%q", lines[0])
	}
	if !strings.HasPrefix(lines[1], "::warning file=") || !strings.Contains(lines[1], "(now z.go:7; `citecheck fix a,b:c` writes that)") {
		t.Errorf("%q", lines[1])
	}
	if !strings.HasPrefix(lines[2], "::error title=") {
		t.Errorf("%q", lines[2])
	}
}

func TestJUnit(t *testing.T) {
	sum := summary()
	out, err := JUnit(sum, Findings(sum, check.FailOn))
	if err != nil {
		t.Fatal(err)
	}
	var back suites
	if err := xml.Unmarshal([]byte(out), &back); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if back.Tests != 5 || back.Failures != 2 || back.Errors != 1 || len(back.Suites) != 3 || back.Suites[0].Skipped != 1 {
		t.Errorf("%+v", back)
	}
	if f := back.Suites[0].Cases[0].Failure; f == nil || !strings.Contains(f.Text, "]]> <x> & |") {
		t.Errorf("%+v", back.Suites[0].Cases[0])
	}
}

// The schema of SARIF 2.1.0 requires: version and runs; a tool's driver with a name; a message in each result; a rule index that refers to
// the rule; lines from 1; levels from its list; unique rules.
func TestSARIF(t *testing.T) {
	out, err := SARIF(Findings(summary(), check.FailOn), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID               string
						ShortDescription *struct{ Text string }
					}
				}
			}
			ColumnKind string
			Results    []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   *struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI, URIBaseID string }
						Region           struct{ StartLine int }
					}
				}
				PartialFingerprints map[string]string
			}
		}
	}
	dec := json.NewDecoder(strings.NewReader(out))
	if err := dec.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-2.1.0") || len(log.Runs) != 1 {
		t.Fatalf("%+v", log)
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name == "" || run.ColumnKind != "unicodeCodePoints" || len(run.Results) != 4 {
		t.Errorf("%+v", run)
	}
	ids := map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		if ids[r.ID] || r.ShortDescription == nil || r.ShortDescription.Text == "" {
			t.Errorf("rule %+v", r)
		}
		ids[r.ID] = true
	}
	for _, v := range verify.Verdicts() {
		if v != verify.Valid && !ids[string(v)] {
			t.Errorf("no rule for %s", v)
		}
	}
	for _, r := range run.Results {
		if r.Message == nil || r.Message.Text == "" || r.Level != "error" && r.Level != "warning" || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("result %+v", r)
		}
		for _, l := range r.Locations {
			if l.PhysicalLocation.Region.StartLine < 1 || strings.ContainsAny(l.PhysicalLocation.ArtifactLocation.URI, " ") {
				t.Errorf("location %+v", l)
			}
		}
	}
	if uri := run.Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "docs/a%20b%2Cc%3Ad%25.md" {
		t.Errorf("URI %q", uri)
	}
	if len(run.Results[2].Locations) != 0 {
		t.Error("a memory of the registry has a place in a file")
	}
}

func TestMarkdown(t *testing.T) {
	out := Markdown(summary(), Findings(summary(), check.FailOn))
	for _, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(line, "|") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 5 {
			t.Errorf("%q", line)
		}
	}
}

func TestNothingFound(t *testing.T) {
	sum := &check.Summary{}
	findings := Findings(sum, check.FailOn)
	if Failed(findings) || GitHub(findings) != "" {
		t.Error("nothing is something")
	}
	if out, err := SARIF(findings, "devel"); err != nil || !strings.Contains(out, `"results": []`) {
		t.Errorf("%s %v", out, err)
	}
	if out := Markdown(&check.Summary{Total: 1}, findings); !strings.Contains(out, "\n0 citations in 1 memory: nothing to verify.\n") {
		t.Error(out)
	}
}

// An unverifiable citation is a finding, which fails, only on request.
func TestUnverifiableFails(t *testing.T) {
	sum := &check.Summary{Total: 1, Citations: 2, Memories: []check.Memory{{
		ID: "m", File: "m.md", State: check.StateValid, Total: 2, ValidCount: 1,
		Unverifiable: []check.Citation{{At: 5, Result: verify.Result{
			Citation: verify.Citation{Path: "a.go", Line: 3}, Verdict: verify.Unverifiable, Reason: "no snippet",
		}}},
	}}}
	if found := Findings(sum, check.FailOn); len(found) != 0 || Failed(found) {
		t.Errorf("without being asked: %+v", found)
	}
	fails, err := check.ParseVerdicts([]string{"unverifiable"})
	if err != nil {
		t.Fatal(err)
	}
	found := Findings(sum, fails)
	if len(found) != 1 || !found[0].Fails || found[0].Rule != "unverifiable" || found[0].Line != 5 || !Failed(found) || sum.Failing(fails) != 1 {
		t.Errorf("%+v, %d failing", found, sum.Failing(fails))
	}
}
