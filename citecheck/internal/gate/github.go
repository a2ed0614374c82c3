package gate

import (
	"fmt"
	"strings"
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
