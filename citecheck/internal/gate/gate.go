// Package gate writes the findings of a check in the formats of CI systems: GitHub's workflow commands, SARIF, JUnit, Markdown for a
// summary, JSON. It only decides how severe each finding is. Safe for concurrent use.
package gate

import (
	"fmt"
	"slices"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
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
	cited := memoryfile.Place{Path: c.Path, Line: c.Line, EndLine: c.EndLine}.String()
	message := fmt.Sprintf("%s is %s: %s", cited, c.Verdict, c.Reason)
	if c.FoundPath != "" && c.Verdict.Fixable() {
		message += fmt.Sprintf(" (now %s; `citecheck fix %s` writes that)", memoryfile.Place{Path: c.FoundPath, Line: c.FoundLine, EndLine: c.FoundEnd}, m.ID)
	}
	return Finding{Rule: string(c.Verdict), Memory: m.ID, File: m.File, Line: max(c.At, 1), Cited: cited, Message: message, Fails: fails}
}

// Failed reports whether any finding fails the gate.
func Failed(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Fails })
}

// Formats are the values of --format.
var Formats = []string{"text", "github", "sarif", "junit", "markdown", "json"}
