package gate

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/shared/text"
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
	switch {
	case len(findings) > 0:
		verdict = fmt.Sprintf("%d not valid, %d of them fail", len(findings), failing)
	case sum.Citations == 0:
		verdict = "nothing to verify"
	}
	fmt.Fprintf(&b, "## Citations in memories\n\n%s in %s: %s.\n",
		text.Count(sum.Citations, "citation", "citations"), text.Count(sum.Total, "memory", "memories"), verdict)
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
