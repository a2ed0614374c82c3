// Package gate writes the findings of a check in the formats of CI systems: GitHub's workflow commands, SARIF, JUnit, Markdown for a
// summary, JSON. It only decides how severe each finding is. Safe for concurrent use.
package gate

import (
	"fmt"
	"slices"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/instruct"
	"github.com/agit-suite/agit/citecheck/internal/verify"
)

// Finding is one remark on a line of a memory.
type Finding struct {
	Rule    string // the verdict, or "unreadable"
	Memory  string
	File    string // from the root; "" for a memory of the registry
	Line    int    // of the memory, from 1
	Cited   string // path:line
	Message string
	Fails   bool
}

// Unreadable is the rule for memories that could not be read.
const Unreadable = "unreadable"

// Findings lists the citations that are not valid, and marks those that fail.
func Findings(sum *check.Summary, failOn []verify.Verdict) []Finding {
	findings := []Finding{}
	for _, m := range sum.Memories {
		for _, p := range m.Problems {
			findings = append(findings, Finding{
				Rule: Unreadable, Memory: m.ID, File: m.File, Line: max(p.Line, 1), Message: p.Text, Fails: true,
			})
		}
		for _, c := range m.Stale {
			findings = append(findings, finding(m, c, slices.Contains(failOn, c.Verdict)))
		}
		if !slices.Contains(failOn, verify.Unverifiable) {
			continue
		}
		for _, c := range m.Unverifiable {
			findings = append(findings, finding(m, c, true))
		}
	}
	return findings
}

func finding(m check.Memory, c check.Citation, fails bool) Finding {
	cited := c.Place().String()
	message := fmt.Sprintf("%s is %s: %s", cited, c.Verdict, c.Reason)
	if c.FoundPath != "" && c.Verdict.Fixable() {
		message += fmt.Sprintf(" (now %s; `citecheck fix %s` writes that)", c.Now(), m.ID)
	}
	return Finding{Rule: string(c.Verdict), Memory: m.ID, File: m.File, Line: max(c.At, 1), Cited: cited, Message: message, Fails: fails}
}

// Failed reports whether any finding fails the gate.
func Failed(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Fails })
}

// Formats are the values of --format.
var Formats = []string{"text", "github", "sarif", "junit", "markdown", "json"}

// Instructions lists the statements of instruction files that do not hold, and marks those that fail. A removed or missing thing fails
// where gone citations do; a hidden file never fails. Without a report the list is empty.
func Instructions(r *instruct.Report, failOn []verify.Verdict) (findings []Finding) {
	if r == nil {
		return nil
	}
	for _, f := range r.Findings {
		as := verify.Gone
		switch f.Verdict {
		case instruct.Renamed:
			as = verify.Renamed
		case instruct.Moved:
			as = verify.Moved
		}
		findings = append(findings, Finding{
			Rule: f.Verdict, Memory: f.File, File: f.File, Line: max(f.Line, 1), Cited: f.Text, Message: f.Message,
			Fails: f.Verdict != instruct.Hidden && slices.Contains(failOn, as),
		})
	}
	return findings
}

// WithInstructions is a summary with the instruction files beside the memories.
func WithInstructions(sum *check.Summary, r *instruct.Report) *check.Summary {
	if r == nil {
		return sum
	}
	out := *sum
	out.Memories = slices.Clone(sum.Memories)
	for _, s := range r.Sources {
		out.Memories = append(out.Memories, check.Memory{ID: s.Path, File: s.Path, Total: s.References, ValidCount: s.True})
	}
	return &out
}
