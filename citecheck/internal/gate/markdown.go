package gate

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/check"
)

// Markdown is the findings for a job's summary or a comment.
func Markdown(sum *check.Summary, findings []Finding) string {
	var b strings.Builder
	failing := 0
	for _, f := range findings {
		if f.Fails {
			failing++
		}
	}
	verdict := "all valid"
	if len(findings) > 0 {
		verdict = fmt.Sprintf("%d not valid, %d of them fail", len(findings), failing)
	}
	fmt.Fprintf(&b, "## Citations in memories\n\n%d citations in %d memories: %s.\n", sum.Citations, sum.Total, verdict)
	if len(findings) == 0 {
		return b.String()
	}
	b.WriteString("\n| | Memory | Citation | |\n|---|---|---|---|\n")
	for _, f := range findings {
		mark := "⚠️"
		if f.Fails {
			mark = "❌"
		}
		fmt.Fprintf(&b, "| %s %s | %s:%d | %s | %s |\n", mark, f.Rule, cell(cmp.Or(f.File, f.Memory)), f.Line, cell(f.Cited), cell(f.Message))
	}
	return b.String()
}

func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", "*", `\*`, "_", `\_`, "[", `\[`).Replace(s)
}
