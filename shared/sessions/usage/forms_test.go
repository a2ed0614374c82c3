package usage

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

func TestRowsAreKeptWhole(t *testing.T) {
	t.Parallel()
	rows := []row{
		{key: 1, answer: 2, session: "s", parent: "p", agent: true, at: -5, folder: "/x", branch: "b", model: "m", tokens: sessions.Tokens{Input: 1, Output: 2, CacheRead: 3, Cache5m: 4, Cache1h: 5, Reasoning: 6, Cost: 0.75}},
		{key: 1 << 63, session: "s", folder: "/x", at: 1763632800000, model: "other", tokens: sessions.Tokens{Input: 1 << 40, Output: -1}},
		{},
	}
	written := encode(rows)
	read, ok := decode(written)
	if diff := cmp.Diff(fmt.Sprintf("%+v", rows), fmt.Sprintf("%+v", read)); diff != "" || !ok {
		t.Errorf("%v %s", ok, diff)
	}
	if n := strings.Count(string(written), "/x"); n != 1 {
		t.Errorf("a text is written %d times", n)
	}
	if read, ok := decode(encode(nil)); !ok || read == nil || len(read) != 0 {
		t.Errorf("no rows: %v %v", read, ok)
	}
	for n := range written {
		if read, ok := decode(written[:n]); ok {
			t.Errorf("%d of %d bytes are read as %+v", n, len(written), read)
		}
	}
	if _, ok := decode(append(written, 0)); ok {
		t.Error("a byte too many is read")
	}
	if rows, ok := decode(binary.AppendUvarint(nil, 1<<60)); ok || rows != nil {
		t.Error("more rows than bytes are read")
	}
	one := encode([]row{{session: "abc"}})
	id := 1 + 8 + 8 + 1 + 1 // of the session, behind the count, the hashes, the time and the mark
	for at, with := range map[int]byte{id: 1, id + 1: 200} {
		changed := append([]byte{}, one...)
		changed[at] = with
		if _, ok := decode(changed); ok {
			t.Errorf("byte %d as %d is read", at, with)
		}
	}
	f := &file{blob: written}
	if !f.decode() || f.blob != nil || len(f.rows) != 3 || !f.decode() {
		t.Errorf("%+v", f)
	}
	if f = (&file{}); f.decode() {
		t.Error("a file without rows counts as read")
	}
	if f = (&file{blob: []byte{9}}); f.decode() || f.rows != nil || f.decode() {
		t.Errorf("%+v", f)
	}
}

// counted is the answers that files with some rows have: session, output, "agent", and the sessions of the lineage.
func counted(files ...*file) (all []string) {
	for i, f := range files {
		if f.path == "" {
			f.path = fmt.Sprint(i)
		}
		if f.client == "" {
			f.client = "c"
		}
	}
	for _, a := range once(files) {
		line := fmt.Sprint(a.Session, " ", a.Tokens.Output)
		if a.Agent {
			line += " agent"
		}
		if len(a.Own) > 0 {
			line += " of " + strings.Join(a.Own, ",")
		}
		all = append(all, line)
	}
	return all
}

func TestWhichCopyCounts(t *testing.T) {
	t.Parallel()
	made := func(key, answer uint64, session, parent string, at, out int64, agent bool) row {
		return row{key: key, answer: answer, session: session, parent: parent, at: at, agent: agent, tokens: sessions.Tokens{Output: out}}
	}
	of := func(rows ...row) *file { return &file{rows: rows} }
	for name, test := range map[string]struct {
		files []*file
		want  []string
	}{
		"none":                          {nil, nil},
		"two answers":                   {[]*file{of(made(1, 0, "a", "", 1, 5, false), made(2, 0, "a", "", 2, 6, false))}, []string{"a 5", "a 6"}},
		"the larger copy":               {[]*file{of(made(1, 0, "a", "", 1, 5, false)), of(made(1, 0, "b", "", 1, 6, false))}, []string{"b 6 of b,a"}},
		"the first of two alike":        {[]*file{of(made(1, 0, "a", "", 2, 5, false)), of(made(1, 0, "b", "", 1, 5, false))}, []string{"a 5 of a,b"}},
		"one key of two clients":        {[]*file{of(made(1, 0, "a", "", 1, 5, false)), {client: "d", rows: []row{made(1, 0, "a", "", 1, 6, false)}}}, []string{"a 5", "a 6"}},
		"a conversation's copy":         {[]*file{of(made(1, 0, "a", "", 1, 9, true)), of(made(1, 0, "a", "", 1, 5, false))}, []string{"a 5"}},
		"a conversation's copy, first":  {[]*file{of(made(1, 0, "a", "", 1, 5, false)), of(made(1, 0, "a", "", 1, 9, true))}, []string{"a 5"}},
		"a replay with another key":     {[]*file{of(made(1, 7, "a", "", 1, 5, false), made(2, 7, "a", "", 2, 9, true))}, []string{"a 5"}},
		"a replay of another answer":    {[]*file{of(made(1, 7, "a", "", 1, 5, false), made(2, 8, "a", "", 2, 9, true))}, []string{"a 5", "a 9 agent"}},
		"a subagent without an answer":  {[]*file{of(made(1, 0, "a", "", 1, 5, false), made(2, 0, "a", "", 2, 9, true))}, []string{"a 5", "a 9 agent"}},
		"two of a conversation":         {[]*file{of(made(1, 7, "a", "", 1, 5, false), made(2, 7, "a", "", 2, 9, false))}, []string{"a 5", "a 9"}},
		"a parent":                      {[]*file{of(made(1, 0, "p", "", 1, 5, false), made(2, 0, "q", "p", 2, 6, false))}, []string{"p 5 of p,q", "p 6 of p,q"}},
		"a parent that is later":        {[]*file{of(made(1, 0, "p", "", 3, 5, false), made(2, 0, "q", "p", 2, 6, false))}, []string{"q 5 of p,q", "q 6 of p,q"}},
		"a parent without rows":         {[]*file{of(made(1, 0, "q", "p", 1, 5, false), made(2, 0, "r", "p", 2, 6, false))}, []string{"q 5 of q,r,p", "q 6 of q,r,p"}},
		"at the same time":              {[]*file{of(made(1, 0, "b", "a", 1, 5, false), made(2, 0, "a", "", 1, 6, false))}, []string{"a 5 of b,a", "a 6 of b,a"}},
		"three generations":             {[]*file{of(made(1, 0, "p", "", 1, 5, false), made(2, 0, "q", "p", 2, 6, false), made(3, 0, "r", "q", 3, 7, false), made(4, 0, "z", "", 4, 8, false))}, []string{"p 5 of p,q,r", "p 6 of p,q,r", "p 7 of p,q,r", "z 8 of z"}},
		"a circle":                      {[]*file{of(made(1, 0, "p", "q", 1, 5, false), made(2, 0, "q", "p", 2, 6, false))}, []string{"p 5 of p,q", "p 6 of p,q"}},
		"its own parent, and no others": {[]*file{of(made(1, 0, "p", "p", 1, 5, false))}, []string{"p 5"}},
	} {
		if diff := cmp.Diff(test.want, counted(test.files...)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAnswersAreInOrder(t *testing.T) {
	w := newWorld(t)
	w.put("a.jsonl", `{"type":"assistant","uuid":"1","sessionId":"s","timestamp":"2026-11-20T10:00:02Z","cwd":"/x","gitBranch":"b","message":{"id":"m2","model":"x","usage":{"output_tokens":2}}}
{"type":"assistant","uuid":"2","sessionId":"s","timestamp":"2026-11-20T10:00:01Z","cwd":"/x","gitBranch":"b","message":{"id":"m1","model":"x","usage":{"output_tokens":1}}}
`, 21)
	for _, since := range []time.Time{{}, time.Date(2026, 11, 20, 10, 0, 1, 0, time.UTC), time.Date(2026, 11, 20, 10, 0, 2, 0, time.UTC)} {
		all, err := w.k.Read(t.Context(), since)
		if err != nil {
			t.Fatal(err)
		}
		want := 2
		if since.Second() == 2 {
			want = 1
		}
		if len(all) != want || all[len(all)-1].Tokens.Output != 2 || all[0].Folder != "/x" || all[0].Branch != "b" || all[0].Model != "x" || all[0].Client != "claude-code" || all[0].Own != nil {
			t.Errorf("since %v: %+v", since, all)
		}
	}
}

func TestAForkBelongsToItsParent(t *testing.T) {
	w := newWorld(t)
	for id, parent := range map[string]string{"p": "p", "q": "p"} { // the first names itself
		sessionstest.Write(t, filepath.Join(w.home, ".codex/sessions/2026/11/20/rollout-1-"+id+".jsonl"), `{"timestamp":"2026-11-20T10:00:00Z","type":"session_meta","payload":{"id":"`+id+`","forked_from_id":"`+parent+`"}}
{"timestamp":"2026-11-20T10:00:0`+fmt.Sprint(len(id+parent))+`Z","type":"token_usage_record","payload":{"response_id":"r-`+id+`","usage":{"input_tokens":1}}}
`)
	}
	all, err := w.k.Read(t.Context(), time.Time{})
	if err != nil || len(all) != 2 || all[0].Session != "p" || all[1].Session != "p" || strings.Join(all[1].Own, " ") != "p q" {
		t.Errorf("%+v %v", all, err)
	}
}
