package memory

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

var update = flag.Bool("update", false, "write the transcripts in testdata/told anew, for review")

// tellAnswer writes an answer in full: its hits with their scores and the reasons, and what is said to the reader.
func tellAnswer(b *strings.Builder, a Answer, most int) {
	for _, part := range []struct {
		is   bool
		says string
	}{{a.Weak, "weak"}, {a.More, "more"}, {a.Unkept, "unkept"}, {a.Left > 0, fmt.Sprintf("left out %d", a.Left)}, {a.Hidden > 0, fmt.Sprintf("hidden %d", a.Hidden)},
		{len(a.Unknown) > 0, fmt.Sprint("unknown ", a.Unknown)}, {a.WordsAlone != "", a.WordsAlone}} {
		if part.is {
			fmt.Fprintf(b, "\t%s\n", part.says)
		}
	}
	for _, word := range slices.Sorted(maps.Keys(a.Read)) {
		fmt.Fprintf(b, "\t%s is read as %s\n", word, strings.Join(a.Read[word], ", "))
	}
	for i, h := range a.Memories {
		if i == most {
			fmt.Fprintf(b, "\t… %d more\n", len(a.Memories)-most)
			break
		}
		fmt.Fprintf(b, "\t%s %.3f", h.Key, h.Score)
		if h.Weak {
			b.WriteString(" weak")
		}
		if h.Source != "" {
			fmt.Fprintf(b, " from %s", h.Source)
		}
		if h.Parts != nil {
			fmt.Fprintf(b, ": %s, for", h.Parts)
			for _, word := range slices.Sorted(maps.Keys(h.Parts.Words)) {
				fmt.Fprintf(b, " %s %.2f", word, h.Parts.Words[word])
			}
		}
		b.WriteString("\n")
		if s, ok := h.Short(); ok && (s.Cut || s.Title != "") {
			fmt.Fprintf(b, "\t\tin short %q %q, cut %t\n", s.Title, s.Content, s.Cut)
		}
		if h.Headline != "" {
			fmt.Fprintf(b, "\t\theadline %q\n", h.Headline)
		}
		for _, said := range []struct {
			when string
			what []string
		}{{"before", h.Before}, {"after", h.After}} {
			if len(said.what) > 0 {
				fmt.Fprintf(b, "\t\t%s: %q\n", said.when, said.what)
			}
		}
	}
	if next := a.Next(); next != "" {
		fmt.Fprintf(b, "\t→ %s\n", next)
	}
}

// The answers to the questions of the evaluation stay as they are recorded: whoever changes the ranking sees in the difference which
// answers change, and why.
func TestAnswersAreAsRecorded(t *testing.T) {
	for _, file := range []string{"facts-5.txt", "facts-6.txt", "facts-4.txt", "talks.txt", "talks-3.txt", "talks-6.txt"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			s := newAnswerSet(t, file)
			var b strings.Builder
			err := s.db.Read(t.Context(), func(tx *registry.Tx) error {
				for i, asked := range s.questions {
					if i%2 == 1 && len(s.questions) > 30 {
						continue
					}
					fmt.Fprintf(&b, "%s (%s)\n", asked.question, strings.Join(asked.keys, ", "))
					a, err := Recall(tx, Query{ProjectID: s.project, Text: asked.question, Explain: true})
					if err != nil {
						return err
					}
					tellAnswer(&b, a, 4)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			goldentest.Same(t, "told/"+file, b.String(), *update)
		})
	}
}

// Questions in every form, over the memories of the evaluation.
func TestForms(t *testing.T) {
	e := newEvaluation(t)
	var b strings.Builder
	err := e.db.Read(t.Context(), func(tx *registry.Tx) error {
		for _, q := range []Query{
			{Text: "idempotency keys of the payment gateway"},
			{Text: "idempotncy kyes of the paymnt gatway"},
			{Text: "gate way time outs"},
			{Text: "tokenrotation"},
			{Text: "databse conections"},
			{Text: "deploying deployments deployed deploy"},
			{Text: "config"},
			{Text: "confi"},
			{Text: "authenticationflow for customers"},
			{Text: "xyzzy plugh gateway"},
			{Text: "how does it work?"},
			{Text: "how do releases work?"},
			{Text: "who owns the Search?"},
			{Text: "What did Zebulon say about the gateway?"},
			{Text: "Zebulon's gateway"},
			{Text: "what happened in March 2019?"},
			{Text: "why 20 seconds"},
			{Text: "why 21 seconds"},
			{Text: "tell me about everything known about search"},
			{Text: "list all the rules for the ledger and refunds"},
			{Text: "search", Limit: 3},
			{Text: "search", Limit: 3, Offset: 3},
			{Text: "search", Limit: 200, All: true, MinImportance: 4},
			{Text: "search", Type: TypeWarning},
			{Text: "search", Titles: true},
			{Text: "search", Titles: true, Type: TypeDecision, MinImportance: 4, All: true},
			{Text: "search index", Also: []string{"OpenSearch cluster", " ", "reindexing"}},
			{Text: "payment retries", Also: []string{"charge twice"}},
			{Text: "payment retries", Also: []string{"elephants"}},
			{Text: "elephants", Also: []string{"giraffes", "zebras", "lions", "payment gateway"}},
			{Text: "elephants"},
			{Text: "search index", Also: []string{"reindexing"}, Limit: 2, Offset: 1},
			{Limit: 4},
			{Limit: 4, Offset: 4, Type: TypeWarning},
			{Limit: 3, MinImportance: 5},
			{Text: strings.Repeat("gateway refund ledger invoice search index token session cache queue worker deploy release alert dashboard log metric trace ", 3)},
			{Text: "the of and is", Limit: 3},
			{Text: "gateway", ProjectID: Nothing},
			{Text: "gateway", ProjectID: 99},
			{ProjectID: 99},
		} {
			if q.ProjectID == 0 {
				q.ProjectID = e.project
			}
			q.Explain = !q.Titles
			fmt.Fprintf(&b, "%.80q %q %s limit %d+%d importance %d titles %t all %t\n", q.Text, q.Also, q.Type, q.Offset, q.Limit, q.MinImportance, q.Titles, q.All)
			a, err := Recall(tx, q)
			if err != nil {
				return err
			}
			tellAnswer(&b, a, 5)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	goldentest.Same(t, "told/forms.txt", b.String(), *update)
}

// The ranking without one of its parts orders some hits in another way.
func TestPartsOfTheRanking(t *testing.T) {
	e := newEvaluation(t)
	var b strings.Builder
	err := e.db.Read(t.Context(), func(tx *registry.Tx) error {
		parts := ablations()
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			fmt.Fprintf(&b, "%s\n", name)
			for i := 0; i < len(e.questions); i += 23 {
				a, err := Recall(tx, Query{ProjectID: e.project, Text: e.questions[i].text, Limit: 3, without: parts[name], Explain: true})
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, "\t%s\n", e.questions[i].text)
				for _, h := range a.Memories {
					fmt.Fprintf(&b, "\t\t%s %.3f: %s\n", h.Key, h.Score, h.Parts)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	goldentest.Same(t, "told/parts.txt", b.String(), *update)
}

// A fact that is old, doubted or important counts less or more, within bounds.
func TestFactorsOfAScore(t *testing.T) {
	w := newWorld(t)
	doubt, sure := 0.25, 1.0
	for i, n := range []New{{Importance: 1}, {Importance: 5}, {Confidence: &doubt}, {Confidence: &sure, Importance: 3}, {Importance: 2}, {Importance: 4, Confidence: &doubt}} {
		n.Key, n.Content = fmt.Sprint("k", i), fmt.Sprintf("the heron of pond %d stands in the reeds", i)
		w.put(n)
	}
	for i, days := range []int{0, 30, 90, 180, 720} {
		w.ago(fmt.Sprint("k", i), time.Duration(days)*24*time.Hour, i)
	}
	var b strings.Builder
	for _, q := range []Query{{Text: "where is the heron?"}, {Text: "heron", Titles: true}, {}} {
		q.Explain = !q.Titles && q.Text != ""
		fmt.Fprintf(&b, "%q\n", q.Text)
		tellAnswer(&b, w.recall(q), 10)
	}
	goldentest.Same(t, "told/factors.txt", b.String(), *update)
}

// story performs steps on memories and writes down what each answers.
type story struct {
	*world
	b     strings.Builder
	pairs []string // generated ids, and the names that are written for them
}

func (s *story) says(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	s.b.WriteString(strings.NewReplacer(s.pairs...).Replace(line) + "\n")
}

func (s *story) fails(err error) {
	f := fault.From(err)
	s.says("\t%s %s: %s; %s", f.Kind, f.Field, f.Message, f.Hint)
}

// memory writes all that is known about a memory, except its times.
func (s *story) memory(m Memory) {
	s.says("\t%s %s v%d importance %d confidence %.2f used %d: %q title %q summary %q context %q tags %q items %q thread %q by %s of %s, %d redactions",
		m.Type, m.Key, m.Version, m.Importance, m.Confidence, m.AccessCount, m.Content, m.Title, m.Summary, m.Context, m.Tags, m.Items, m.Thread, m.Agent, m.ProjectName, m.Redactions)
	for _, c := range m.Citations {
		s.says("\t\tcites %s:%d %q %s", c.Path, c.Line, c.Snippet, c.Commit)
	}
	for _, has := range []struct {
		is   bool
		what string
	}{{m.ExpiresAt != nil, "expires"}, {m.Expired, "expired"}, {m.ArchivedAt != nil, "archived: " + m.ArchivedWhy}, {m.Superseded != "", "replaced by " + m.Superseded}} {
		if has.is {
			s.says("\t\t%s", has.what)
		}
	}
}

func (s *story) stores(n New) {
	s.Helper()
	if n.Type == "" {
		n.Type = TypePattern
	}
	s.says("store %s %q %q", n.Type, n.Key, n.Content)
	all, err := s.s.Remember(s.Context(), s.at, []New{n})
	if err != nil {
		s.fails(err)
		return
	}
	one := all[0]
	s.id = one.ProjectID
	if one.Outcome == Created {
		s.pairs = append(s.pairs, one.ID, "<"+one.Key+">")
	}
	s.says("\t%s", one.Outcome)
	s.memory(one.Memory)
	for _, like := range one.Similar {
		s.says("\t\tlike %s %s %s %.3f", like.ID, like.Type, like.Key, like.Similarity)
	}
	for _, gone := range one.Displaced {
		s.says("\t\tdisplaces %s %q", gone.Key, gone.Title)
	}
	if len(one.Redacted) > 0 {
		s.says("\t\tredacted %q", one.Redacted)
	}
}

func (s *story) changes(key string, p Patch, restore bool) {
	s.says("change %q restore %t", key, restore)
	got, err := s.s.Change(s.Context(), s.target(key), p, restore)
	if err != nil {
		s.fails(err)
		return
	}
	s.says("\t%s %q", got.Outcome, got.Redacted)
	s.memory(got.Memory)
	for _, like := range got.Similar {
		s.says("\t\tlike %s %.3f", like.Key, like.Similarity)
	}
}

func (s *story) gets(key, kind string) {
	s.says("get %q %q", key, kind)
	m, before, err := s.s.Get(s.Context(), Reader{Place: &s.at.Place, Agent: "Ben"}, key, kind, true)
	if err != nil {
		s.fails(err)
		return
	}
	s.memory(m)
	for _, v := range before {
		s.says("\t\tbefore v%d importance %d confidence %.2f %q %q %q, changed by %s: %q", v.Version, v.Importance, v.Confidence, v.Title, v.Content, v.Summary, v.ChangedBy, v.Why)
	}
}

func (s *story) forgets(key, why string, purge bool) {
	s.says("forget %q because %q, purge %t", key, why, purge)
	got, err := s.s.Forget(s.Context(), s.target(key), why, purge)
	if err != nil {
		s.fails(err)
		return
	}
	s.says("\tforgotten %t purged %t", got.Forgotten, got.Purged)
	s.memory(got.Memory)
}

func (s *story) restores(key string) {
	s.says("restore %q", key)
	m, err := s.s.Restore(s.Context(), s.target(key))
	if err != nil {
		s.fails(err)
		return
	}
	s.memory(m)
}

func (s *story) counts() {
	got, err := s.s.Stats(s.Context(), s.id)
	if err != nil {
		s.Fatal(err)
	}
	s.says("stats %+v", got)
	hidden, err := s.s.Archived(s.Context(), s.id, "")
	if err != nil {
		s.Fatal(err)
	}
	for _, h := range hidden {
		s.says("\thidden %s %q: %s", h.Key, h.Title, h.Reason)
	}
	keys, err := s.s.Keys(s.Context(), s.at.Place)
	if err != nil {
		s.Fatal(err)
	}
	slices.Sort(keys)
	s.says("\tkeys %q", keys)
}

func (s *story) decays(d Decay) {
	d.ProjectID = s.id
	s.says("decay threshold %.0f age %d dry %t", d.Threshold, d.MinimumAge, d.DryRun)
	r, err := s.s.Decay(s.Context(), d)
	if err != nil {
		s.fails(err)
		return
	}
	s.says("\tthreshold %.0f checked %d archived %d expired %d hidden %d", r.Threshold, r.Checked, r.Archived, r.Expired, r.Hidden)
	for _, m := range r.Memories {
		s.says("\t\t%s %q %s score %.0f used %d of %s", m.Key, m.Title, m.Reason, m.Score, m.AccessCount, m.Project)
	}
}

// The life of memories: what each step answers, and how each refusal is worded.
func TestLivesOfMemories(t *testing.T) {
	s := &story{world: newWorld(t)}
	s.s.MaxPerType = 6
	half, tenth, wrong := 0.5, 0.1, 1.5
	token := "ghp_" + strings.Repeat("aB3dE6", 6)
	soon, past := timestamp.Time{Time: time.Now().Add(time.Hour)}, timestamp.Time{Time: time.Now().Add(-time.Hour)}

	s.stores(New{Key: "Pool", Content: "The pool holds twenty connections for each process of the server", Title: " The \n pool ", Summary: "twenty", Importance: 4, Confidence: &half,
		Tags: []string{"DB", "db", "a"}, Items: []string{"APP-1", "app-1", "APP-2"}, Citations: []Citation{{Path: `.\src\pool.go`, Line: 12, Snippet: "size := 20\n"}, {Path: "go.mod"}}, Context: "in a review"})
	s.stores(New{Key: "pool", Content: "The pool holds twenty connections for each process of the server"})
	s.stores(New{Key: "pool", Content: "The pool holds thirty connections for each process of the server", Importance: 2, Tags: []string{"c"}, Title: "Pool size", Summary: "thirty", Context: "later"})
	s.stores(New{Key: "pool", Content: "The pool holds thirty connections for each process of the server", Importance: 1, SkipSimilar: true})
	s.stores(New{Key: "pool", Content: "The pool holds thirty connections for each process of the server", Importance: 3, SkipSimilar: true, ExpiresAt: &soon})
	s.stores(New{Content: "the pool holds thirty  connections for each process of the SERVER", SkipSimilar: true})
	s.stores(New{Content: "The pool holds forty connections for each process of the server"})
	s.stores(New{Content: "The pool holds forty connections for each process of the server"})
	s.stores(New{Content: "The pool holds forty connections for each process of the server. Really."})
	s.stores(New{Key: "pool", Type: TypeWarning, Content: "Pools leak"})
	s.stores(New{Key: "secret", Content: "use " + token, Title: "the " + token, Summary: token, Context: token, Citations: []Citation{{Path: "a.yml", Snippet: token}}})
	s.stores(New{Key: "shown", Content: "use " + token, AllowSecrets: true})
	s.stores(New{Key: "new-pool", Content: "A pool is made for each tenant", Supersedes: "Pool-leaks"})
	s.stores(New{Key: "new-pool", Content: "A pool is made for each tenant", Supersedes: "pool"})
	s.stores(New{Key: "tenant-pool", Content: "A pool is made for each tenant of the cluster", Supersedes: "new-pool"})
	s.stores(New{Key: "tenant-pool", Content: "A pool is made for each tenant", Supersedes: "tenant-pool"})
	s.stores(New{Key: "thread", Content: "It was said in a thread", Thread: "@talk"})
	s.ago("Pool", 48*time.Hour, 0) // so that it is the one to go, however long this takes
	s.stores(New{Key: "thread-2", Content: "It was said right after it", Conversation: "c.1", Importance: 5})
	for _, n := range []New{{Content: " "}, {Content: "x", Type: "Fact"}, {Content: "x", Type: " "}, {Content: "x", Importance: 9}, {Content: "x", Confidence: &wrong},
		{Content: "x", Tags: []string{"a\nb"}}, {Content: "x", Tags: make([]string, MaxTags+1)}, {Content: "x", Items: make([]string, MaxItems+1)}, {Content: "x", Items: []string{" "}},
		{Content: "x", Citations: make([]Citation, MaxCitations+1)}, {Content: "x", Citations: []Citation{{Path: "."}}}, {Content: "x", Citations: []Citation{{Path: "a\tb"}}},
		{Content: "x", Citations: []Citation{{Path: "a/../../b"}}}, {Content: "x", Citations: []Citation{{Path: "c:/b"}}}, {Content: "x", Citations: []Citation{{Path: "a", Line: -2}}},
		{Content: "x", Citations: []Citation{{Path: "a", Snippet: strings.Repeat("s", MaxSnippet+1)}}}, {Content: "x", Citations: []Citation{{Path: "a", Commit: "main"}}},
		{Content: "x", Key: strings.Repeat("k", 300)}, {Content: "x", Supersedes: "nothing like it"}} {
		s.stores(n)
	}
	s.gets("pool", "")
	s.gets("POOL", "Warning")
	s.gets("pool", "fact")
	s.gets(" ", "")
	s.gets("poool-leaks", "")
	s.gets("entirely different", "")
	two, empty, named := "The pool is gone, see src/pool.go:14", "", "Nothing\nmore"
	s.changes("pool-leaks", Patch{Content: &two}, false)
	s.changes("tenant-pool", Patch{}, false)
	s.changes("tenant-pool", Patch{Content: &empty}, false)
	s.changes("tenant-pool", Patch{Confidence: &wrong}, false)
	s.changes("tenant-pool", Patch{Content: &two, Title: &named, Why: "measured " + token, Confidence: &tenth, Named: []Citation{{Path: "src/pool.go", Line: 14, Snippet: "pool"}}}, false)
	s.changes("tenant-pool", Patch{Title: &named}, false)
	s.changes("tenant-pool", Patch{Title: &empty, Summary: &named, Context: &named, Tags: &[]string{"z", "y"}, Items: &[]string{"APP-9"}, Citations: &[]Citation{{Path: "b", Snippet: token}}}, false)
	s.changes("tenant-pool", Patch{Tags: &[]string{"Y", "z"}, Items: &[]string{"app-9"}, Citations: &[]Citation{{Path: "b"}}}, false)
	s.changes("tenant-pool", Patch{ExpiresAt: &past}, false)
	s.gets("tenant-pool", "")
	s.changes("tenant-pool", Patch{ExpiresAt: &timestamp.Time{}}, false)
	s.counts()
	s.forgets("thread", "  said\nonce "+token, false)
	s.forgets("thread", "", false)
	s.gets("thread", "")
	s.changes("thread", Patch{Content: &named}, true)
	s.changes("thread", Patch{}, true)
	s.restores("nothing")
	s.restores("pool")
	s.forgets("secret", "", false)
	s.stores(New{Key: "secret", Content: "another one"})
	s.restores("secret")
	s.forgets("secret", "", true)
	s.forgets("secret", "", true)
	s.forgets("secret", "", true)
	for i := range 3 {
		s.stores(New{Key: fmt.Sprint("more-", i), Content: fmt.Sprint("one more about birds ", i), Importance: 1 + i})
	}
	for i, key := range []string{"more-0", "more-1", "more-2", "thread-2"} {
		s.ago(key, time.Duration(100*(i+1))*24*time.Hour, i)
	}
	s.changes("thread", Patch{ExpiresAt: &past}, false)
	s.decays(Decay{DryRun: true})
	s.decays(Decay{DryRun: true, MinimumAge: 150})
	s.decays(Decay{DryRun: true, Threshold: 1000})
	s.decays(Decay{})
	s.decays(Decay{})
	s.counts()
	s.restores("thread")
	goldentest.Same(t, "told/lives.txt", s.b.String(), *update)
}
