package index

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// longTalk is one sample of LoCoMo (https://github.com/snap-research/locomo, locomo10.json): sessions of two people, and questions with
// the turns that answer them, such as D3:11 of session 3.
type longTalk struct {
	Conversation map[string]json.RawMessage
	QA           []struct {
		Question string
		Evidence any
	}
}

// BenchmarkLoCoMo measures how often a right session of a long talk comes first, or among the first five, beside nothing. LOCOMO names
// locomo10.json; without it the benchmark is skipped. Each talk has a home of its own, with its sessions as those of Claude Code.
func BenchmarkLoCoMo(b *testing.B) {
	raw, err := os.ReadFile(os.Getenv("LOCOMO"))
	if err != nil {
		b.Skip("LOCOMO does not name locomo10.json")
	}
	var talks []longTalk
	if err := json.Unmarshal(raw, &talks); err != nil {
		b.Fatal(err)
	}
	turn := regexp.MustCompile(`D(\d+):`)
	asked, first, five := 0, 0, 0
	for b.Loop() {
		for _, talk := range talks {
			x := talk.index(b)
			for _, qa := range talk.QA {
				var right []string
				for _, m := range turn.FindAllStringSubmatch(fmt.Sprint(qa.Evidence), -1) {
					right = append(right, "session_"+m[1])
				}
				if len(right) == 0 {
					continue
				}
				hits, err := x.Search(b.Context(), Query{Text: qa.Question, Limit: 5})
				if err != nil {
					b.Fatal(err)
				}
				at := slices.IndexFunc(hits, func(h Hit) bool { return slices.Contains(right, h.ID) })
				asked++
				if at == 0 {
					first++
				}
				if at >= 0 {
					five++
				}
			}
			_ = x.Close()
		}
	}
	b.ReportMetric(100*float64(first)/float64(asked), "%-first")
	b.ReportMetric(100*float64(five)/float64(asked), "%-of-five")
}

// index writes the sessions of a talk and reads them.
func (talk longTalk) index(b *testing.B) *Index {
	b.Helper()
	home := b.TempDir()
	for name, raw := range talk.Conversation {
		var turns []struct{ Speaker, Text string }
		if json.Unmarshal(raw, &turns) != nil || !strings.HasPrefix(name, "session_") {
			continue // when it was, and who speaks
		}
		when := time.Date(2023, 5, 1, 10, 0, 0, 0, time.UTC)
		var date string
		if json.Unmarshal(talk.Conversation[name+"_date_time"], &date) == nil {
			if at, err := time.Parse("3:04 pm on 2 January, 2006", date); err == nil {
				when = at
			}
		}
		c := sessionstest.Claude{Session: name, Folder: home}
		var rows []sessionstest.Row
		for i, t := range turns {
			rows = append(rows, c.User(fmt.Sprint(name, i), when.Add(time.Duration(i)*time.Minute).Format(time.RFC3339), t.Speaker+": "+t.Text))
		}
		sessionstest.Write(b, filepath.Join(home, ".claude/projects/-talk", name+".jsonl"), sessionstest.Lines(rows...))
	}
	x, err := Kept{Path: filepath.Join(home, "agit", FileName), Options: Options{Home: sessions.Home{Dir: home}}}.Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return x
}
