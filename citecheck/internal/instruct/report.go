package instruct

import (
	"slices"
	"strconv"
)

// The verdicts on statements that do not hold.
const (
	Renamed = "renamed" // git has its new name
	Removed = "removed" // git had it once
	Missing = "missing" // it does not exist, and no history of git has it
	Hidden  = "hidden"  // another instruction file keeps this one from being read
	Moved   = "moved"   // of a place: the line moved
)

// Finding is one statement that does not hold.
type Finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Kind    string `json:"kind"`
	Verdict string `json:"verdict"`
	// Text is the reference as written, Message a sentence about what is wrong.
	Text    string `json:"text"`
	Message string `json:"message"`
	// Found is the current place. Commit and Date are when the place in the text stopped being right.
	Found  string `json:"found,omitempty"`
	Commit string `json:"commit,omitempty"`
	Date   string `json:"date,omitempty"`
	// Times counts the same statement in the same file.
	Times int `json:"times,omitempty"`

	spots  []spot
	from   string // the path that git had
	family string // the tool of a command
}

// Passed is one reference that was not judged.
type Passed struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Kind string `json:"kind"`
	Text string `json:"text"`
	Why  string `json:"why"`
}

// Report is the result for all sources.
type Report struct {
	Root    string   `json:"root"`
	Sources []Source `json:"sources"`
	// References counts all references, True those that hold, PassedOver the rest without findings.
	References int `json:"references"`
	True       int `json:"true"`
	PassedOver int `json:"passed_over"`

	Findings []Finding `json:"findings"`
	// Passed lists the references that were passed over, on request.
	Passed []Passed `json:"passed,omitempty"`
}

// Stale counts the statements that do not hold. A hidden file may be true.
func (r *Report) Stale() (n int) {
	for _, f := range r.Findings {
		if f.Verdict != Hidden {
			n++
		}
	}
	return n
}

// Failed reports whether a statement does not hold.
func (r *Report) Failed() bool { return r.Stale() > 0 }

// Only returns the report with the findings for which keep returns true.
func (r *Report) Only(keep func(Finding) bool) *Report {
	out := *r
	out.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !keep(f) })
	return &out
}

// Place is the position of the statement: file:line.
func (f Finding) Place() string { return place(f.File, f.Line) }

// Place is the position of the reference: file:line.
func (p Passed) Place() string { return place(p.File, p.Line) }

func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}
