package gate

import (
	"slices"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/instruct"
	"github.com/agit-suite/agit/citecheck/internal/verify"
)

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
