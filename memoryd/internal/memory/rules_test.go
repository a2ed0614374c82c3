package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// The vectors nearest to a question are kept in order, the first of equal ones before the later, with how far they stand out of all.
func TestNearestVectors(t *testing.T) {
	t.Parallel()
	v := vector{127, 0}
	for name, c := range map[string]struct {
		most    int
		vectors []vector
		want    string
	}{
		"none":                  {2, nil, ""},
		"one":                   {2, []vector{{3, 4}}, "1:0.60+0.00"},
		"all alike":             {2, []vector{{3, 4}, {3, 4}, {6, 8}}, "1:0.60+0.00 2:0.60+0.00"},
		"the best come last":    {2, []vector{{0, 5}, {3, 4}, {-5, 0}, {4, 3}, {5, 0}}, "5:1.00+1.00 4:0.80+0.72"},
		"the best come first":   {2, []vector{{5, 0}, {4, 3}, {3, 4}, {0, 5}, {-5, 0}}, "1:1.00+1.00 2:0.80+0.72"},
		"an equal one is later": {3, []vector{{0, 5}, {4, 3}, {8, 6}, {5, 0}, {4, 3}}, "4:1.00+0.92 2:0.80+0.34 3:0.80+0.34"},
		"fewer than are kept":   {9, []vector{{0, 5}, {5, 0}, {-5, 0}}, "2:1.00+1.22 1:0.00+0.00 3:-1.00-1.22"},
	} {
		var p packed
		for i, w := range c.vectors {
			p.add(int64(i+1), w)
		}
		near := nearest{most: c.most}
		near.compare(v, v.length(), &p)
		var got []string
		for _, n := range near.ranked() {
			got = append(got, fmt.Sprintf("%d:%.2f%+.2f", n.id, n.similarity, n.apart))
		}
		if s := strings.Join(got, " "); s != c.want || near.n != len(c.vectors) {
			t.Errorf("%s: %s of %d, want %s", name, s, near.n, c.want)
		}
	}
	if got := (vector{3, 4}).length(); math.Abs(got-5) > 1e-9 {
		t.Errorf("a length of %v", got)
	}
	for n := range 10 { // four numbers at once, and the rest
		var p packed
		w, want := make(vector, n), int32(0)
		for i := range w {
			w[i] = int8(i - 4)
			want += int32(i-4) * int32(i-4)
		}
		p.add(1, w)
		if got := w.product(p.vectors); got != want {
			t.Errorf("the product of %v is %d, want %d", w, got, want)
		}
	}
}

// A generated key has the first words that mean something, at most six of them in 60 bytes.
func TestSlugs(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]string{
		"The pool holds twenty connections":             "pool-holds-twenty-connections",
		"one2 two3 three4 four5 five6 six7 seven8":      "one2-two3-three4-four5-five6-six7",
		"Retry, twice (at most)!":                       "retry-twice-most",
		"\n\n  First line\nsecond":                      "first-line",
		"Größe über Alles":                              "größe-über-alles",
		"the of and":                                    "note-" + hash4("the of and"),
		"":                                              "note-" + hash4(""),
		strings.Repeat("a", 61) + " short":              "note-" + hash4(strings.Repeat("a", 61)+" short"),
		strings.Repeat("a", 60) + " short":              strings.Repeat("a", 60),
		strings.Repeat("a", 58) + " b9":                 strings.Repeat("a", 58) + "-b9",
		strings.Repeat("a", 50) + " " + "bcdefghij klm": strings.Repeat("a", 50) + "-bcdefghij",
		strings.Repeat("a", 52) + " " + "bcdefghij klm": strings.Repeat("a", 52),
	} {
		if got := Slug(says); got != want {
			t.Errorf("%.70q is %q, want %q", says, got, want)
		}
	}
	m := Memory{Key: "the-key"}
	for _, step := range []struct {
		into *string
		set  string
	}{{new(string), "the-key"}, {&m.Content, "the content\nmore"}, {&m.Summary, " the summary "}, {&m.Title, "the title"}} {
		*step.into = step.set
		want := strings.TrimSpace(strings.Split(step.set, "\n")[0])
		if got := m.headline(); got != want {
			t.Errorf("the headline is %q, want %q", got, want)
		}
	}
}

func hash4(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// Citations are cleaned, and refused where they are not a place in the project.
func TestCitationsAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		c    Citation
		want string
	}{
		{Citation{Path: "./a/../b.go", Line: 3, Snippet: "x\r\n\n", Commit: "0123abcdef"}, `b.go:3 "x" 0123abcdef`},
		{Citation{Path: `a\b.go`, Snippet: "\tx"}, `a/b.go:0 "\tx" `},
		{Citation{Path: "a/..b"}, `a/..b:0 "" `},
		{Citation{Path: "..b"}, `..b:0 "" `},
		{Citation{Path: "c"}, `c:0 "" `},
		{Citation{Path: ""}, "a citation names no path"},
		{Citation{Path: "./"}, "a citation names no path"},
		{Citation{Path: "a/.."}, "a citation names no path"},
		{Citation{Path: ".."}, `the cited path ".." is outside the project`},
		{Citation{Path: `a\..\..\b`}, `the cited path "a\\..\\..\\b" is outside the project`},
		{Citation{Path: "/a"}, `the cited path "/a" is outside the project`},
		{Citation{Path: "c:"}, `the cited path "c:" is outside the project`},
		{Citation{Path: "cc:a"}, `cc:a:0 "" `},
		{Citation{Path: "a\x7f"}, `the cited path "a\x7f" is not a path of a file`},
		{Citation{Path: strings.Repeat("a", 1024)}, strings.Repeat("a", 1024) + `:0 "" `},
		{Citation{Path: strings.Repeat("a", 1025)}, `the cited path "` + strings.Repeat("a", 60) + `" is not a path of a file`},
		{Citation{Path: "a", Line: -1}, `line -1 of "a" does not exist`},
		{Citation{Path: "a", Snippet: strings.Repeat("s", MaxSnippet) + "\n"}, `a:0 "` + strings.Repeat("s", MaxSnippet) + `" `},
		{Citation{Path: "a", Snippet: strings.Repeat("s", MaxSnippet+1)}, "citations is 4097 bytes long, the limit is 4096"},
		{Citation{Path: "a", Commit: strings.Repeat("f", 64)}, `a:0 "" ` + strings.Repeat("f", 64)},
		{Citation{Path: "a", Commit: strings.Repeat("f", 65)}, `"` + strings.Repeat("f", 65) + `" is not a commit's hash`},
		{Citation{Path: "a", Commit: "F"}, `"F" is not a commit's hash`},
	} {
		var got string
		list, err := checkCitations([]Citation{c.c})
		if err != nil {
			got = fault.From(err).Message
		} else {
			got = fmt.Sprintf("%s:%d %q %s", list[0].Path, list[0].Line, list[0].Snippet, list[0].Commit)
		}
		if got != c.want {
			t.Errorf("%.50q: %.150s, want %.150s", c.c.Path, got, c.want)
		}
	}
	same := make([]Citation, MaxCitations)
	for i := range same {
		same[i].Path = "a"
	}
	if list, err := checkCitations(same); err != nil || len(list) != MaxCitations {
		t.Errorf("%d, %v", len(list), err)
	}
	if _, err := checkCitations(append(same, same[0])); err == nil {
		t.Error("one more is accepted")
	}
}

// The texts of a memory may be as long as their limits, and no longer; each is cleaned.
func TestLimitsOfTexts(t *testing.T) {
	t.Parallel()
	zero, one, low, high := 0.0, 1.0, -0.01, 1.01
	names := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint("n", i))
		}
		return list
	}
	for name, c := range map[string]struct {
		n    New
		want string // the field of the refusal
	}{
		"content at its limit":    {New{Content: strings.Repeat("x", MaxContent)}, ""},
		"content":                 {New{Content: strings.Repeat("x", MaxContent+1)}, "content"},
		"a title at its limit":    {New{Title: strings.Repeat("x", MaxTitle)}, ""},
		"a title":                 {New{Title: strings.Repeat("x", MaxTitle+1)}, "title"},
		"a summary at its limit":  {New{Summary: strings.Repeat("x", MaxSummary)}, ""},
		"a summary":               {New{Summary: strings.Repeat("x", MaxSummary+1)}, "summary"},
		"a context at its limit":  {New{Context: strings.Repeat("x", MaxContext)}, ""},
		"a context":               {New{Context: strings.Repeat("x", MaxContext+1)}, "context"},
		"a thread at its limit":   {New{Thread: strings.Repeat("x", MaxTitle)}, ""},
		"a thread":                {New{Thread: strings.Repeat("x", MaxTitle+1)}, "thread"},
		"tags at their limit":     {New{Tags: names(MaxTags)}, ""},
		"tags":                    {New{Tags: names(MaxTags + 1)}, "tags"},
		"items at their limit":    {New{Items: names(MaxItems)}, ""},
		"items":                   {New{Items: names(MaxItems + 1)}, "related_items"},
		"the least importance":    {New{Importance: MinImportance}, ""},
		"the greatest importance": {New{Importance: MaxImportance}, ""},
		"importance":              {New{Importance: MaxImportance + 1}, "importance"},
		"less importance":         {New{Importance: MinImportance - 2}, "importance"},
		"no confidence":           {New{Confidence: &zero}, ""},
		"all confidence":          {New{Confidence: &one}, ""},
		"less confidence":         {New{Confidence: &low}, "confidence"},
		"more confidence":         {New{Confidence: &high}, "confidence"},
		"a key":                   {New{Key: " a\nb "}, "key"},
	} {
		c.n.Type = " Pattern "
		if c.n.Content == "" {
			c.n.Content = " x\r\n"
		}
		field, n := "", c.n
		if _, err := n.check(); err != nil {
			field = fault.From(err).Field
		}
		if field != c.want {
			t.Errorf("%s: refused for %q, want %q", name, field, c.want)
		}
		p := Patch{Content: &c.n.Content, Title: &c.n.Title, Summary: &c.n.Summary, Context: &c.n.Context, Tags: &c.n.Tags, Items: &c.n.Items, Confidence: c.n.Confidence}
		if c.n.Importance != 0 {
			p.Importance = &c.n.Importance
		}
		field = ""
		if _, err := p.check(); err != nil {
			field = fault.From(err).Field
		}
		if want := strings.NewReplacer("thread", "", "key", "").Replace(c.want); field != want {
			t.Errorf("%s: a change is refused for %q, want %q", name, field, want)
		}
	}
	if _, err := (&Patch{Why: strings.Repeat("w", MaxSummary+1)}).check(); err == nil {
		t.Error("a long reason is accepted")
	}
	for n, want := range map[int]string{0: "importance", 1: "", 5: "", 6: "importance"} {
		got, err := GivenImportance(&n)
		if field := fault.From(err); (field == nil) != (want == "") || got != n {
			t.Errorf("%d: %d, %v", n, got, err)
		}
	}
	if n, err := GivenImportance(nil); n != 0 || err != nil {
		t.Errorf("none given: %d, %v", n, err)
	}
}

// A change takes secrets out of every text, and names each, unless they are allowed.
func TestSecretsOfAChange(t *testing.T) {
	t.Parallel()
	token := "ghp_" + strings.Repeat("aB3dE6", 6)
	patch := func(allow bool) Patch {
		text := func(s string) *string { s += " " + token; return &s }
		return Patch{Content: text("content"), Title: text("a\n title"), Summary: text("summary"), Context: text("context"), Why: *text("why"), Tags: &[]string{"B", "a", "b"}, Items: &[]string{"X", "x"},
			Citations: &[]Citation{{Path: token + ".go", Snippet: token}, {Path: "./b"}}, AllowSecrets: allow}
	}
	for allow, want := range map[bool]struct {
		secret string
		kinds  int
	}{true: {token, 0}, false: {"[redacted GitHub token]", 7}} {
		p := patch(allow)
		kinds, err := p.check()
		if err != nil || len(kinds) != want.kinds {
			t.Errorf("allowed %t: %q, %v", allow, kinds, err)
		}
		text := func(s string) *string { s += " " + want.secret; return &s }
		wanted := Patch{Content: text("content"), Title: text("a title"), Summary: text("summary"), Context: text("context"), Why: *text("why"), Tags: &[]string{"a", "b"}, Items: &[]string{"X"},
			Citations: &[]Citation{{Path: want.secret + ".go", Snippet: want.secret}, {Path: "b"}}, AllowSecrets: allow}
		if d := cmp.Diff(wanted, p); d != "" {
			t.Errorf("allowed %t: %s", allow, d)
		}
	}
}

// An expiry is a date, a time or a duration from now; "never" takes one back.
func TestNewExpiry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	at := func(y int, m time.Month, d, h int) *timestamp.Time {
		return &timestamp.Time{Time: time.Date(y, m, d, h, 6, 7, 0, time.UTC)}
	}
	for given, want := range map[string]*timestamp.Time{
		"": nil, "never": {}, "1d": at(2026, 3, 5, 5), "30d": at(2026, 4, 3, 5), "99999d": {Time: now.AddDate(0, 0, 99999)}, "2h": at(2026, 3, 4, 7), "2027-01-31": {Time: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)},
	} {
		got, err := NewExpiry(given, now)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%q: %v %s", given, err, d)
		}
	}
	for _, given := range []string{"0d", "-1d", "100000d", "0h", "-2h", "soon", "2027-13-31", "d"} {
		if got, err := NewExpiry(given, now); err == nil || got != nil {
			t.Errorf("%q is %v", given, got)
		}
	}
	if got, err := Expiry("never", now); err == nil {
		t.Errorf("a new memory has an expiry of %v", got)
	}
}

// A conversation has a new part after a pause of more than an hour, whichever way the clock went.
func TestPausesOfAConversation(t *testing.T) {
	t.Parallel()
	var c Conversation
	start := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	var got []string
	for _, minutes := range []int{0, 60, 121, 181, 120, 59, 0} {
		_, part, _ := strings.Cut(c.At(start.Add(time.Duration(minutes)*time.Minute)), ".")
		got = append(got, part)
	}
	if strings.Join(got, " ") != "1 1 2 2 3 4 4" {
		t.Errorf("the parts are %q", got)
	}
}

// Words that come close to an unknown one: longer ones, mistyped ones, its halves and its beginning.
func TestNearWords(t *testing.T) {
	t.Parallel()
	tell := func(near []nearWord) string {
		var out []string
		for _, n := range near {
			out = append(out, fmt.Sprintf("%s %.1f", n.word, n.weight))
		}
		return strings.Join(out, ", ")
	}
	a := &asker{wrote: map[string]bool{}}
	for _, w := range strings.Fields("configure config configuration confide con filesystem file system auth authent the all sys ma machen 設定 設定値 größe über") {
		a.wrote[w] = true
	}
	for raw, want := range map[string]string{
		"conf": "config 0.8, confide 0.8, configure 0.8, configuration 0.8", "config": "configure 0.8, configuration 0.8", "configuration": "", "co": "", "fil": "file 0.8, filesystem 0.8", "設": "設定 0.8, 設定値 0.8", "xyz": "",
	} {
		if got := tell(a.beginnings(raw)); got != want {
			t.Errorf("words that begin with %s: %s, want %s", raw, got, want)
		}
	}
	for raw, want := range map[string]string{
		"filesystem": "file 0.5, system 0.5", "systemfile": "system 0.5, file 0.5", "thefile": "the 0.5, file 0.5", "allfile": "", "fileall": "", "file": "", "consys": "con 0.5, sys 0.5", "mafile": "", "filema": "", "größeüber": "größe 0.5, über 0.5", "xfile": "",
	} {
		if got := tell(a.halves(raw)); got != want {
			t.Errorf("halves of %s: %s, want %s", raw, got, want)
		}
	}
	for raw, want := range map[string]string{
		"authenticating": "authent 0.5", "authors": "auth 0.5", "auth": "", "author": "auth 0.5", "authorizations": "auth 0.5", "sysadmin": "", "authorizational": "", "files": "file 0.5", "cons": "", "größer": "größe 0.5",
	} {
		if got := tell(a.beginning(raw)); got != want {
			t.Errorf("the beginning of %s: %s, want %s", raw, got, want)
		}
	}
	for raw, want := range map[string]string{"abc": "", "abcd": "abc", "abcdef": "abc def abcd abcde", "größe": "grö ße größ", "": "", strings.Repeat("a", 25): ""} {
		if got := strings.Join(parts(raw), " "); got != want {
			t.Errorf("parts of %s: %q, want %q", raw, got, want)
		}
	}
	if got := len(parts(strings.Repeat("a", 24))); got != 21+19 {
		t.Errorf("%d parts of a long word", got)
	}
	under := map[string][]string{}
	for _, w := range strings.Fields("pool cool poll pole spool gateway gatewey getaway gatteway gateways registry repository mist") {
		for _, rest := range append(rests(w), w) {
			under[rest] = append(under[rest], w)
		}
	}
	for raw, want := range map[string]string{
		"pol": "", "pool": "poll 0.8", "pooll": "poll 0.8, pool 0.8", "polo": "pole 0.8, poll 0.8, pool 0.8", "gatway": "gateway 0.8", "gateway": "gateways 0.8, gatewey 0.8, gatteway 0.8", "gatewayy": "gateway 0.8, gateways 0.8", "registri": "registry 0.8", "regstri": "", "kegistry": "registry 0.8",
		"kist": "", "mis": "", "poo1": "", "getewai": "", "gtewaya": "gateway 0.5",
	} {
		if got := tell(mistyped(raw, under)); got != want {
			t.Errorf("%s is mistyped for %s, want %s", raw, got, want)
		}
	}
}

// The items of a memory are those of its project, else the only one that has the name anywhere.
func TestItemsOfAMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.emptyProject("one"), w.emptyProject("two")
	w.write(func(tx *registry.Tx) error {
		for i, item := range []struct {
			project int64
			ref     string
			deleted any
		}{{one, "A-1", nil}, {two, "A-1", nil}, {two, "A-2", nil}, {one, "A-3", nil}, {one, "A-3", nil}, {two, "A-4", nil}, {two, "A-4", nil}, {one, "A-5", "2026-01-01T00:00:00Z"}, {one, "A-6", nil}, {two, "A-6", nil}, {two, "A-6", nil}} {
			if _, err := tx.Exec(`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at, deleted_at) VALUES (?, ?, ?, ?, ?, ?, 'x', 'open', 'open', '2026', '2026', ?)`,
				i+1, fmt.Sprint("i", i), item.project, []string{"ticket", "bug"}[i%2], item.ref, strings.ToLower(item.ref), item.deleted); err != nil {
				return err
			}
		}
		for project, want := range map[int64]map[string]int64{one: {"a-1": 1, "a-2": 3, "a-6": 9}, two: {"a-1": 2, "a-2": 3, "a-3": 0, "a-6": 0}} {
			got, err := itemsOf(tx, project, []string{"A-1", "a-2", "A-3", "A-4", "A-5", "A-6", "A-7"})
			if err != nil {
				return err
			}
			for key, id := range want {
				if id == 0 {
					delete(want, key)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("project %d: %s", project, d)
			}
		}
		return nil
	})
}
