package ticket

import (
	"strings"
	"testing"
	"time"
)

// Reading any file yields tickets, or a sentence that names the problem.
func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{
		"id,title,status\nA-1,one,todo\n", "title;labels\n\"a;b\";x,y\n", "{\"title\":\"a\",\"labels\":[{\"name\":\"x\"}]}\n{\"title\":1}",
		"[{\"title\":{\"type\":\"doc\",\"content\":[]}}]", "\ufefftitle\n\"\n", "{\"tickets\":[{}]}", "title\x00\n", "Work Item Type,Title,Priority\nBug,x,1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := parseFile(data)
		if err != nil {
			if !strings.Contains(err.Error(), ";") && len(err.Error()) < 10 {
				t.Errorf("%q says nothing", err)
			}
			return
		}
		var told Report
		for _, r := range all {
			n, err := r.ticket(Import{}, &told)
			if err != nil {
				continue
			}
			if err := n.clean(); err != nil {
				continue
			}
			if n.Title == "" || len(n.Title) > maxTitle || strings.ContainsAny(n.Title, "\n\x00\x1b") {
				t.Errorf("the title %q is stored", n.Title)
			}
			n.shown()
			if n.hash() == "" {
				t.Errorf("%+v has no hash", n)
			}
		}
	})
}

func TestWords(t *testing.T) {
	for status, want := range map[string]string{
		"To Do": Todo, "TODO": Todo, "open": Todo, "In Progress": InProgress, "in-review": InProgress, "Won't Do": Canceled, "Closed": Done, "": "", "Simmering": "",
	} {
		if got := Category(status); got != want {
			t.Errorf("%q means %q, want %q", status, got, want)
		}
	}
	for given, want := range map[string]string{
		"2026-03-01": "2026-03-01", "2026-03-01T23:30:00.000+0000": "2026-03-01", "12/Mar/26 3:04 PM": "2026-03-12", "Mar 2, 2026": "2026-03-02", "soon": "", "": "", "0001-01-01": "",
	} {
		at, ok := parseTime(given)
		if got := at.Format(time.DateOnly); ok != (want != "") || ok && got != want {
			t.Errorf("%q is read as %s, %t, want %s", given, got, ok, want)
		}
	}
	for given, want := range map[string]int{"Highest": 4, "urgent": 4, "3": 3, "3.0": 3, "Medium": 2, "No priority": 0, "P1": 3, "7": -1, "-1": -1, "hot": -1} {
		if p, ok := priorityOf(given); ok != (want >= 0) || ok && int(p) != want {
			t.Errorf("%q is priority %d, %t, want %d", given, p, ok, want)
		}
	}
}
