package memory

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/text/words"
)

func TestRecallFinds(t *testing.T) {
	w := newWorld(t)
	for key, content := range map[string]string{
		"pool":    "The connection pool holds twenty database connections per process",
		"user":    "getUserById in src/store/user_store.go caches for a minute",
		"cafe":    "Das Café-Modul prüft Größen ohne Umlaute",
		"retries": "Retries wait with jitter; see ERR_RETRY_LIMIT",
		"address": "住所の郵便番号から都道府県を自動入力する",
		"price":   "Импорт прайс-листов падает ночью",
		"files":   "The filesystem watcher needs inotify",
		"deploy":  "Deployments are rolled back by hand",
	} {
		w.put(New{Key: key, Content: content, Thread: key})
	}
	for question, want := range map[string]string{
		"how many connections does the pool hold?": "pool", "conxection poool": "pool", "DATABASE CONNECTIONS": "pool", "connec": "pool",
		"get user by id": "user", "getUserById": "user", "get_user_by_id": "user", "user_store": "user", "user_store.go": "user", "src/store/user_store.go": "user", "userstore": "user",
		"cafe groessen umlaut": "cafe", "cafe modul pruft grossen": "cafe", "ERR_RETRY_LIMIT": "retries", "retry limit": "retries", "retrying": "retries",
		"郵便番号": "address", "住所": "address", "番": "address", "импорт": "price", "ПРАЙС": "price", "file system": "files", "inotfy": "files",
		"when were we deploying?": "deploy", "rollback by hand": "deploy", "k": "",
	} {
		if got := w.first(question); got != want {
			t.Errorf("%q finds %q, want %q", question, got, want)
		}
	}
	a := w.recall(Query{Text: "conxection poool"})
	if len(a.Read["conxection"]) == 0 || a.Weak {
		t.Errorf("typing mistakes: %+v", a)
	}
	if a := w.recall(Query{Text: "quantum chromodynamics xyzzy"}); len(a.Memories) != 0 || !a.Weak || len(a.Unknown) != 3 {
		t.Errorf("an answer to nothing: %+v", a)
	}
	if a := w.recall(Query{Text: "is it the?"}); a.Memories == nil {
		t.Error("no list")
	}
}

func TestFilters(t *testing.T) {
	w := newWorld(t)
	w.put(New{Key: "a", Type: TypeDecision, Content: "alpha search term", Importance: 2, Tags: []string{"One"}, Items: []string{"SEM-1"}})
	w.put(New{Key: "b", Type: TypeWarning, Content: "beta search term", Importance: 4, Tags: []string{"two"}, Items: []string{"SEM-2"}})
	w.put(New{Key: "c", Type: TypeDecision, Content: "gamma search term", Importance: 5, Tags: []string{"one", "two"}})
	for name, c := range map[string]struct {
		q    Query
		want []string
	}{
		"type":       {Query{Type: "Decision"}, []string{"c", "a"}},
		"tag":        {Query{Tags: []string{"ONE"}}, []string{"c", "a"}},
		"any tag":    {Query{Tags: []string{"one", "two"}}, []string{"c", "b", "a"}},
		"importance": {Query{MinImportance: 4}, []string{"c", "b"}},
		"item":       {Query{Items: []string{"sem-2"}}, []string{"b"}},
		"both":       {Query{Type: TypeDecision, MinImportance: 3}, []string{"c"}},
		"page":       {Query{Limit: 1, Offset: 1}, []string{"b"}},
		"nothing":    {Query{Tags: []string{"three"}}, []string{}},
	} {
		for _, text := range []string{"", "search term"} {
			c.q.Text = text
			got := keys(w.recall(c.q))
			if text != "" && name != "page" {
				slices.Sort(got)
				slices.Sort(c.want)
			}
			if name == "page" && text != "" {
				got, c.want = got[:min(len(got), 1)], got[:min(len(got), 1)]
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, question %q: %v, want %v", name, text, got, c.want)
			}
		}
	}
	for field, q := range map[string]Query{
		"memory_type": {Type: "x"}, "min_importance": {MinImportance: 6}, "limit": {Limit: MaxLimit + 1}, "offset": {Offset: -1},
		"query": {Text: strings.Repeat("x ", MaxQuestion)}, "tags": {Tags: []string{""}},
	} {
		if _, err := w.s.Recall(t.Context(), q); !fault.Is(err, fault.KindValidation) || fault.From(err).Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestOtherProjectsAreAskedOnly(t *testing.T) {
	w := newWorld(t)
	w.at = in("two")
	w.put(New{Key: "theirs", Content: "The cache is warmed at start", Tags: []string{"x"}})
	w.at = in("one")
	w.put(New{Key: "ours", Content: "The cache lives in Redis"})
	if got := keys(w.recall(Query{Text: "cache"})); !slices.Equal(got, []string{"ours"}) {
		t.Errorf("own: %v", got)
	}
	a, err := w.s.Recall(t.Context(), Query{Text: "cache"})
	if err != nil || len(a.Memories) != 2 {
		t.Fatalf("all: %+v, %v", a, err)
	}
	for _, h := range a.Memories {
		if want := map[string]string{"theirs": "two", "ours": "one"}[h.Key]; h.Source != want {
			t.Errorf("%s is from %q, want %q", h.Key, h.Source, want)
		}
	}
}

func TestNeighboursAreContext(t *testing.T) {
	w := newWorld(t)
	for i, content := range []string{"We talked about the payment gateway", "It has to be called again after twenty seconds", "Then the order is closed",
		"Lunch is at noon", "The parking lot is full on Mondays"} {
		w.put(New{Key: fmt.Sprint(i), Content: content, Thread: map[bool]string{true: "payments", false: "office"}[i < 3]})
	}
	if got := keys(w.recall(Query{Text: "payment gateway"})); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("got %v", got)
	}
	if a := w.recall(Query{Text: "payment gateway"}); a.Memories[0].Weak || !a.Memories[2].Weak {
		t.Errorf("weak: %+v", a)
	}
}

// Facts that one agent stores in a row are about many subjects: only memories of one session are each other's context.
func TestFactsInARowAreNoThread(t *testing.T) {
	w := newWorld(t)
	for i, content := range []string{"The mail sender retries five times", "Zebra crossings are painted at night", "Port 7001 is the mail sender's"} {
		w.put(New{Key: fmt.Sprint(i), Content: content})
	}
	// Older programs put them into one thread.
	w.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE memories SET thread = ?`, episode+"m-1")
		return err
	})
	a := w.recall(Query{Text: "how often does the mail sender retry?", All: true, Explain: true})
	if got := keys(a); !slices.Equal(got, []string{"0", "2"}) || a.Memories[0].Parts.Thread != 0 {
		t.Errorf("got %v, %+v", got, a.Memories[0].Parts)
	}
}

func TestFactorsAreBounded(t *testing.T) {
	w := newWorld(t)
	low := 0.0
	w.put(New{Key: "answer", Content: "Kafka partitions are chosen by order id", Importance: 1, Confidence: &low, Thread: "a"})
	w.put(New{Key: "loud", Content: "Kafka is important", Importance: 5, Thread: "b"})
	w.ago("answer", 3000*24*time.Hour, 0)
	a := w.recall(Query{Text: "how are Kafka partitions chosen?", Explain: true})
	if keys(a)[0] != "answer" {
		t.Fatalf("relevance does not lead: %v", keys(a))
	}
	p := a.Memories[0].Parts
	if p.Importance != 0.97 || p.Recency < 0.95 || p.Recency > 0.951 || p.Confidence != 0.6 || p.Coverage != 1 || p.Words["kafka"] == 0 || p.Own == 0 {
		t.Errorf("parts: %+v", p)
	}
	if a := w.recall(Query{Text: "kafka"}); a.Memories[0].Parts != nil {
		t.Error("parts without being asked")
	}
}

func TestAccessIsCountedForBodies(t *testing.T) {
	w := newWorld(t)
	w.put(New{Key: "a", Content: "alpha"})
	w.recall(Query{Text: "alpha", Titles: true})
	w.recall(Query{Titles: true})
	if n := w.look("a").AccessCount; n != 0 {
		t.Errorf("titles counted %d", n)
	}
	w.recall(Query{Text: "alpha"})
	if _, _, err := w.s.Get(t.Context(), Reader{Place: &w.at.Place}, "A", "", false); err != nil {
		t.Fatal(err)
	}
	if n := w.look("a").AccessCount; n != 2 {
		t.Errorf("bodies counted %d, want 2", n)
	}
	if h := w.recall(Query{Text: "alpha", Titles: true}).Memories[0]; h.Content != "" || h.Headline != "alpha" {
		t.Errorf("title: %+v", h)
	}
}

func TestVerdictsAreShown(t *testing.T) {
	w := newWorld(t)
	m := w.put(New{Key: "a", Content: "alpha", Citations: []Citation{{Path: "a.go", Line: 3, Snippet: "x"}, {Path: "b.go"}}})
	w.write(func(tx *registry.Tx) error {
		doc, err := tx.Insert(`INSERT INTO cited_docs (uid, project_id, source, doc_key, content_hash) VALUES ('d', ?, 'registry', ?, '') RETURNING id`, w.id, m.UID)
		if err != nil {
			return err
		}
		cited, err := tx.Insert(`INSERT INTO citations (doc_id, path, line) VALUES (?, 'a.go', 3) RETURNING id`, doc)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO verifications (citation_id, verdict, found_path, found_line, at) VALUES (?, 'moved', 'a.go', 9, ?)`, cited, tx.Stamp())
		return err
	})
	got := w.recall(Query{Text: "alpha"}).Memories[0].Citations
	if len(got) != 2 || got[0].Verdict != "moved" || got[0].FoundLine != 9 || got[1].Verdict != "" {
		t.Errorf("got %+v", got)
	}
}

// The memories of a merged registry are found without any further step.
func TestMergedMemoriesAreFound(t *testing.T) {
	w := newWorld(t)
	w.put(New{Key: "ours", Content: "ours is about lemons", Tags: []string{"fruit"}})
	other := &world{T: t, s: &Store{DB: registrytest.OpenFile(t, filepath.Join(t.TempDir(), "other.db"))}, at: in("one")}
	other.put(New{Key: "filler", Content: "takes the first id"})
	other.put(New{Key: "theirs", Content: "theirs is about oranges", Tags: []string{"fruit"}, Items: []string{"SEM-1"}})
	other.put(New{Key: "old", Content: "the old text about plums"})
	other.put(New{Key: "old", Content: "the new text about plums"})
	for range 2 {
		if _, err := w.s.DB.Merge(t.Context(), other.s.DB.Path()); err != nil {
			t.Fatal(err)
		}
		if got := w.first("what about oranges?"); got != "theirs" {
			t.Errorf("merged: %q", got)
		}
		if got := w.first("lemons"); got != "ours" {
			t.Errorf("own: %q", got)
		}
		if got := keys(w.recall(Query{Text: "orange lemon", Tags: []string{"fruit"}})); len(got) != 2 {
			t.Errorf("by tag: %v", got)
		}
	}
	if _, before, err := w.s.Get(t.Context(), Reader{Place: &w.at.Place}, "old", "", true); err != nil || len(before) != 1 {
		t.Errorf("history: %+v, %v", before, err)
	}
	if r, err := w.s.DB.Check(t.Context()); err != nil || len(r.Problems) != 0 {
		t.Errorf("check: %+v, %v", r, err)
	}
}

// The index follows the memories: after any change it equals a newly built one.
func TestTheIndexFollows(t *testing.T) {
	registrytest.OnlySQLite(t, "rows of the index go with their memory by their foreign key")
	w := newWorld(t)
	for i := range 30 {
		w.put(New{Key: fmt.Sprint(i), Content: fmt.Sprintf("memory number%d says word%d", i, i%7)})
	}
	changed := "another text"
	for i := range 10 {
		if _, err := w.s.Update(t.Context(), w.target(fmt.Sprint(i)), Patch{Content: &changed}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.s.Forget(t.Context(), w.target(fmt.Sprint(i+10)), "", i%2 == 0); err != nil {
			t.Fatal(err)
		}
	}
	state := func() (s []string) {
		t.Helper()
		w.write(func(tx *registry.Tx) (err error) {
			s, err = registry.Collect(tx, registry.One[string], `SELECT term || ' ' || doc || ' ' || cnt FROM memory_vocabulary ORDER BY term`)
			return err
		})
		return s
	}
	before := state()
	w.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE memories SET indexed = NULL`)
		return err
	})
	if n, err := w.s.Heal(t.Context()); err != nil || n == 0 {
		t.Fatal(n, err)
	}
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("the index was not what it should be (-was +is):\n%s", diff)
	}
}

var hostile = []string{
	`"`, `""`, `'`, `*`, `^`, `:`, `-`, `AND`, `OR NOT`, `NEAR(a b)`, `a AND`, `name:x`, `{name content}: x`, `(((`, `a"b*c`, `x* y*`, "\x00", "\xff\xfe",
	`'; DROP TABLE memories; --`, `memory_index`, `a^2 + b^2`, strings.Repeat("(", 500), strings.Repeat("a ", 4000), "🦊", "\u202e", "_-./", "scope : P1",
	"ﷺ", "İ", "ß", "e\u0301", "--help", "%s%n", "a\nb\tc", "NULL", "[]", "a||b", "? ?", "…", "0x1F", "1e309", "-1",
}

func TestHostileQuestions(t *testing.T) {
	w := newWorld(t)
	w.put(New{Key: "a", Content: "a b c x y near"})
	for _, q := range hostile {
		if _, err := w.s.Recall(t.Context(), Query{ProjectID: w.id, Text: q, Tags: []string{"a\"b"}, Explain: true}); err != nil {
			t.Errorf("%q: %v", q, err)
		}
		if _, err := w.s.Recall(t.Context(), Query{Text: q}); err != nil {
			t.Errorf("%q: %v", q, err)
		}
	}
}

// No text that can be stored or searched makes the index fail.
func FuzzRecall(f *testing.F) {
	for _, q := range hostile {
		f.Add(q, q)
	}
	s := &Store{DB: registrytest.Open(f)}
	at := in("one")
	f.Fuzz(func(t *testing.T, content, question string) {
		_, err := s.Remember(t.Context(), at, []New{{Type: TypePattern, Key: "fuzz", Content: content}})
		if err != nil && !fault.Is(err, fault.KindValidation) {
			t.Fatalf("store %q: %v", content, err)
		}
		a, errAsk := s.Recall(t.Context(), Query{Text: question})
		if errAsk != nil && !fault.Is(errAsk, fault.KindValidation) {
			t.Fatalf("ask %q: %v", question, errAsk)
		}
		if err == nil && errAsk == nil && question == content && len(question) < 200 && len(a.Memories) == 0 && len(words.Terms(content)) > 0 {
			t.Errorf("%q does not find itself", question)
		}
	})
}

// In a conversation the wanted hit is the turn that answers, not the one that asks with the words of the question.
func TestAnswerAfterItsQuestion(t *testing.T) {
	w := newWorld(t)
	w.at.Session = "given"
	for i, said := range []string{"I am off to the cabin on Friday.", "Lovely! How do you heat the cabin?", "With birch logs, mostly.", "Smoky, I suppose."} {
		w.put(New{Key: string(rune('a' + i)), Content: said, Thread: "talk"})
	}
	a := w.recall(Query{Text: "How is the cabin heated?"})
	if len(a.Memories) == 0 || a.Memories[0].Key != "c" || a.Memories[0].Weak {
		t.Errorf("first is not the answer: %+v", a.Memories)
	}
	for _, h := range a.Memories[1:] {
		if h.Key == "b" && !h.Weak {
			t.Error("the turn that asks is not weak")
		}
	}
}

// A person's acts are reported by that person; a similar act of another person answers nothing.
func TestWhoSpeaksIsWhoIsAskedAbout(t *testing.T) {
	w := newWorld(t)
	say := func(key, speaker, said string) {
		w.put(New{Type: TypePattern, Key: key, Title: speaker, Content: said, Thread: "talk 1"})
	}
	say("t1", "Ann Lee", "I ran a marathon in Porto.")
	say("t2", "Bob", "Well done! I baked bread all day.")
	say("t3", "Ann Lee", "Nice, is it rye?")
	say("t4", "Bob", "Of course. And a marathon is on my list too, in Ghent.")
	for question, want := range map[string]string{
		"In which city did Ann Lee run a marathon?": "t1", "Where does Bob want to run a marathon?": "t4",
	} {
		a := w.recall(Query{Text: question})
		if len(a.Memories) < 2 || a.Memories[0].Key != want {
			t.Fatalf("%q: %+v", question, a.Memories)
		}
		for _, h := range a.Memories[1:] {
			if h.Title != a.Memories[0].Title && !h.Weak {
				t.Errorf("%q is answered by %s, who is not asked about: %q", question, h.Title, h.Content)
			}
		}
	}
	if a := w.recall(Query{Text: "Did Ann Lee bake bread?"}); !a.Weak {
		t.Errorf("what Bob did answers for Ann: %+v", a.Memories)
	}
	if a := w.recall(Query{Text: "Who baked bread?"}); a.Weak || a.Memories[0].Key != "t2" {
		t.Errorf("where no one is named: %+v", a.Memories)
	}
}

// "How do releases work?" does not identify one of many memories about releases, and the verb alone finds unrelated ones.
func TestVagueQuestionIsNotAnswered(t *testing.T) {
	w := newWorld(t)
	for i, content := range []string{"Binaries of a release are signed.", "A release is tagged by CI.", "The release notes are written by Ann.",
		"Every release is announced on Discord.", "Old releases stay on the mirror.", "Releases for powerpc64 were dropped, since the workflow stopped working.",
		"Before every release the lock file is reviewed."} {
		w.put(New{Key: string(rune('a' + i)), Content: content})
	}
	for question, weak := range map[string]bool{
		"How do releases work?": true, "Who is the release manager?": true, "Who writes the release notes?": false, "What comes before every release?": false,
	} {
		if a := w.recall(Query{Text: question}); a.Weak != weak {
			t.Errorf("%q is weak %t: %+v", question, a.Weak, a.Memories)
		}
	}
}

// A memory without a name from the question does not answer it, whatever else they share.
func TestNameIsHeld(t *testing.T) {
	w := newWorld(t)
	w.put(New{Key: "a", Content: "A hyperlink feature was added for Cursor."})
	w.put(New{Key: "b", Content: "The feature of installing by winget was added."})
	for _, h := range w.recall(Query{Text: "Which feature was added for Cursor?"}).Memories {
		if h.Weak != (h.Key == "b") {
			t.Errorf("%s is weak %t", h.Key, h.Weak)
		}
	}
}

// A name is recognised by how memories write it, even when the question does not; months are not names.
func TestNameIsKnownFromMemories(t *testing.T) {
	w := newWorld(t)
	w.put(New{Key: "a", Content: "The breaker for Borealis opens after 20 failures in a row."})
	w.put(New{Key: "b", Content: "Calls of the Halyard sandbox are free."})
	w.put(New{Key: "c", Content: "We wait 2 seconds for Halyard."})
	for question, weak := range map[string]bool{"does the breaker for halyard open after failures": true, "when does the breaker for borealis open": false} {
		if a := w.recall(Query{Text: question}); a.Weak != weak {
			t.Errorf("%q is weak %t: %+v", question, a.Weak, a.Memories)
		}
	}
}

// A question in other words is answered by one memory that stands out; a name that no memory has is not answered.
func TestOneFactStandsOut(t *testing.T) {
	w := newWorld(t)
	for key, content := range map[string]string{
		"card":   "Card numbers are turned into tokens by the vault; we keep the last four digits.",
		"feed":   "Exchange rates come from the central bank once a day; weekends use those of Friday.",
		"search": "The language server keeps one process for each workspace.",
		"limit":  "The rate limit is 100 requests a second.",
	} {
		w.put(New{Key: key, Content: content})
	}
	for question, key := range map[string]string{"do we store credit card numbers ourselves?": "card", "what exchange rates do we use on a Sunday": "feed",
		"does the language server understand Verilog?": ""} {
		a := w.recall(Query{Text: question})
		if a.Weak != (key == "") || key != "" && a.Memories[0].Key != key {
			t.Errorf("%q: %+v", question, a.Memories)
		}
	}
}

// A known word is not taken for a mistyped one, nor is one for a word of three letters; the first letter is rarely mistyped.
func TestKnownWordsAreNotMistyped(t *testing.T) {
	w := newWorld(t)
	w.put(New{Key: "a", Content: "A tip of the vet: grapes killed a dog, says the log."})
	for word, taken := range map[string]bool{"trip": false, "billed": false, "logo": false, "grappes": true} {
		if a := w.recall(Query{Text: "the " + word}); (a.Read[word] != nil) != taken {
			t.Errorf("%q is read as %v", word, a.Read)
		}
	}
}
