package gate

import (
	"fmt"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/check"
)

// GitHub is the findings as workflow commands, which GitHub shows at the lines
// of the memories.
func GitHub(findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		level := "warning"
		if f.Fails {
			level = "error"
		}
		place := ""
		if f.File != "" {
			place = fmt.Sprintf("file=%s,line=%d,", property(f.File), f.Line)
		}
		fmt.Fprintf(&b, "::%s %stitle=%s::%s\n", level, place, property(f.title()), data(f.Message))
	}
	return b.String()
}

// title names a finding: the citation of a memory, or the statement of an instruction file.
func (f Finding) title() string {
	if f.Memory == f.File {
		return f.Rule + " in " + f.File
	}
	return "citation " + f.Rule + " in " + f.Memory
}

// data escapes a command's message as GitHub's own toolkit does.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a command's property.
func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

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
		place := f.File
		if place == "" {
			place = f.Memory
		}
		fmt.Fprintf(&b, "| %s %s | %s:%d | %s | %s |\n", mark, f.Rule, cell(place), f.Line, cell(f.Cited), cell(f.Message))
	}
	return b.String()
}

func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", "*", `\*`, "_", `\_`, "[", `\[`).Replace(s)
}
