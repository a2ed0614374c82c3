package gate

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agit-suite/agit/citecheck/internal/check"
)

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	File    string   `xml:"file,attr,omitempty"`
	Line    int      `xml:"line,attr,omitempty"`
	Failure *outcome `xml:"failure,omitempty"`
	Error   *outcome `xml:"error,omitempty"`
	Skipped *outcome `xml:"skipped,omitempty"`
}

type outcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit returns the findings as test results: a suite for each checked memory, a failed case for each finding that fails, a skipped one for
// each other finding.
func JUnit(sum *check.Summary, findings []Finding) (string, error) {
	all := suites{Name: "citecheck"}
	byMemory := map[string][]Finding{}
	for _, f := range findings {
		byMemory[f.Memory+"\x00"+f.File] = append(byMemory[f.Memory+"\x00"+f.File], f)
	}
	for _, m := range sum.Memories {
		s := suite{Name: clean(m.ID)}
		found := byMemory[m.ID+"\x00"+m.File]
		if m.Total == 0 && len(found) == 0 {
			continue
		}
		for _, f := range found {
			c := testcase{Name: clean(fmt.Sprintf("%s (line %d)", f.Cited, f.Line)), Class: clean(f.Memory), File: clean(f.File), Line: f.Line}
			o := &outcome{Message: clean(f.Message), Type: f.Rule, Text: clean(f.Message)}
			switch {
			case f.Rule == Unreadable:
				c.Name, c.Error = fmt.Sprintf("line %d", f.Line), o
				s.Errors++
			case f.Fails:
				c.Failure = o
				s.Failures++
			default:
				o.Type, o.Text = "", "" // the schema allows only a message
				c.Skipped = o
				s.Skipped++
			}
			s.Cases = append(s.Cases, c)
		}
		if valid := m.ValidCount; valid > 0 {
			s.Cases = append(s.Cases, testcase{Name: fmt.Sprintf("valid citations (%d)", valid), Class: clean(m.ID), File: clean(m.File)})
		}
		s.Tests = len(s.Cases)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Suites = append(all.Suites, s)
	}
	out, err := xml.MarshalIndent(all, "", "  ")
	return xml.Header + string(out) + "\n", err
}

// clean drops the characters that XML 1.0 cannot hold even escaped.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 {
			return r
		}
		return utf8.RuneError
	}, s)
}
