package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// keptStore is the store of testdata/kept/memories.txt: two projects with notes of all types, importances and ages, with tags, items and
// conversations, and with an expired, an archived and a replaced memory.
type keptStore struct {
	*story
	projects map[string]int64
}

func newKeptStore(t *testing.T) *keptStore {
	t.Helper()
	k := &keptStore{story: &story{world: newWorld(t)}, projects: map[string]int64{}}
	list := func(s string) (out []string) {
		if s != "" {
			out = strings.Split(s, ",")
		}
		return out
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	soon := timestamp.Time{Time: time.Now().Add(time.Hour)}
	eachLine(t, "testdata/kept/memories.txt", func(line string) {
		part := strings.Split(line, "|")
		if strings.HasPrefix(line, "#") {
			return
		}
		for i := range part {
			part[i] = strings.TrimSpace(part[i])
		}
		sure, err := strconv.ParseFloat(part[4], 64)
		if err != nil || len(part) != 12 {
			t.Fatalf("%q: %v", line, err)
		}
		n := New{Key: part[1], Type: part[2], Importance: number(part[3]), Confidence: &sure, Thread: part[7], Title: part[8], Tags: list(part[9]), Items: list(part[10]), Content: part[11]}
		switch n.Key {
		case "expired":
			n.ExpiresAt = &soon
		case "replacing":
			n.Supersedes = "replaced"
		}
		k.at = in(part[0])
		stored := k.put(n)
		k.projects[part[0]] = stored.ProjectID
		k.pairs = append(k.pairs, stored.ID, "<"+n.Key+">")
		k.ago(n.Key, time.Duration(number(part[5]))*24*time.Hour, number(part[6]))
	})
	k.at, k.id = in("shop"), k.projects["shop"]
	k.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE memories SET expires_at = ? WHERE key = 'expired'`, registry.FormatTime(tx.Now().Add(-time.Minute)))
		return err
	})
	if _, err := k.s.Forget(t.Context(), k.target("gone"), "it is gone", false); err != nil {
		t.Fatal(err)
	}
	return k
}

// name returns the name of a project by its row.
func (k *keptStore) name(id int64) string {
	for name, row := range k.projects {
		if row == id {
			return name
		}
	}
	return map[int64]string{0: "all", Nothing: "nothing", 77: "none"}[id]
}

// hit writes the fields of a hit that tellAnswer leaves out.
func (k *keptStore) hit(h Hit) {
	k.says("\t\t%s %s of %s %q v%d importance %d confidence %.2f used %d, %d days old, title %q summary %q thread %q tags %q items %q by %s: %q",
		h.ID, h.Type, h.ProjectName, h.Source, h.Version, h.Importance, h.Confidence, h.AccessCount, int(time.Since(h.UpdatedAt.Time).Hours()/24), h.Title, h.Summary, h.Thread, h.Tags, h.Items, h.Agent, h.Content)
	if h.Nearest != "" && h.Nearest != h.Content {
		k.says("\t\tnearest %q", h.Nearest)
	}
}

func (k *keptStore) asks(q Query, whole bool) {
	k.Helper()
	err := k.s.DB.Read(k.Context(), func(tx *registry.Tx) error {
		a, err := Recall(tx, q)
		if err != nil {
			return err
		}
		tellAnswer(&k.b, a, 8)
		for _, h := range a.Memories {
			if whole {
				k.hit(h)
			} else if h.Nearest != "" && h.Nearest != h.Content {
				k.says("\t\tnearest of %s: %q", h.Key, h.Nearest)
			}
		}
		return nil
	})
	if err != nil {
		k.fails(err)
	}
}

// Answers over a small store: each question of a list in one project with the parts of the scores, some in all projects, and each filter.
func TestAnswersOfASmallStore(t *testing.T) {
	t.Parallel()
	k := newKeptStore(t)
	var questions []string
	eachLine(t, "testdata/kept/questions.txt", func(line string) { questions = append(questions, line) })
	for _, asked := range questions {
		k.says("%s", asked)
		k.asks(Query{ProjectID: k.id, Text: asked, Explain: true}, false)
	}
	goldentest.Same(t, "kept/answers.txt", k.b.String(), *update)

	k.b.Reset()
	blog := k.projects["blog"]
	for _, q := range []Query{
		{Text: "pool"}, {Text: "search index", Limit: 3}, {Text: "search index", Limit: 3, Offset: 3}, {Text: "search index", Limit: 3, Offset: 9}, {Text: "search index", Offset: 100},
		{Text: "the pool of the blog", ProjectID: blog}, {Text: "search", ProjectID: blog, All: true}, {Text: "drums", ProjectID: blog}, {Text: "heron", ProjectID: k.id}, {Text: "heron", ProjectID: k.id, Also: []string{"pool"}},
		{ProjectID: k.id, Limit: 4}, {ProjectID: k.id, Limit: 4, Offset: 4}, {ProjectID: k.id, Limit: 3, Titles: true}, {Limit: 3, MinImportance: 5}, {Limit: 5, Tags: []string{"db"}}, {ProjectID: k.id, Tags: []string{"DB", "tests"}},
		{ProjectID: k.id, Items: []string{"shop-1"}}, {Items: []string{"SHOP-1", "SHOP-4"}}, {ProjectID: k.id, Tags: []string{"db"}, Items: []string{"SHOP-5"}, Type: TypeWarning, MinImportance: 5},
		{ProjectID: k.id, Type: "Preference"}, {ProjectID: k.id, Tags: []string{"none"}}, {ProjectID: Nothing}, {ProjectID: Nothing, Text: "pool"}, {ProjectID: 77}, {ProjectID: 77, Text: "pool"},
		{ProjectID: k.id, Text: "pool", Tags: []string{"db"}}, {ProjectID: k.id, Text: "pool", Tags: []string{"limits", "style"}}, {ProjectID: k.id, Text: "orders", Items: []string{"shop-5"}}, {Text: "pool", Items: []string{"SHOP-1"}, Type: TypePattern},
		{ProjectID: k.id, Text: "gateway", MinImportance: 3}, {ProjectID: k.id, Text: "gateway", MinImportance: 4}, {ProjectID: k.id, Text: "ledger", MinImportance: 1}, {ProjectID: k.id, Text: "ledger", Titles: true}, {ProjectID: k.id, Text: "release", Titles: true},
		{ProjectID: k.id, Text: "search index rebuilt", All: true, Limit: 20}, {ProjectID: k.id, Text: "drums cellar", Limit: 2}, {ProjectID: k.id, Text: "drums cellar", Limit: 2, Offset: 1}, {ProjectID: k.id, Text: "drums cellar", Titles: true},
		{ProjectID: k.id, Text: "tax port", Also: []string{"who owns the tax service?"}}, {ProjectID: k.id, Text: "tax port", Also: []string{"drums", "heron"}}, {ProjectID: k.id, Text: "where did Ben stay?", Also: []string{"Ben in Lisbon", "aunt Rosa"}},
		{Text: "x", Limit: MaxLimit + 1}, {Text: "x", Limit: -1}, {Text: "x", Offset: -1}, {Text: strings.Repeat("x", MaxQuestion+1)}, {Text: "x", Type: "idea"}, {Text: "x", MinImportance: 6}, {Text: "x", MinImportance: -1},
		{Text: "x", Tags: []string{"a\nb"}}, {Text: "x", Items: []string{" "}}, {Also: []string{"x"}}, {Text: "x", Also: []string{"1", "2", "3", "4", "5"}}, {Text: "x", Also: []string{strings.Repeat("x", MaxQuestion+1)}},
		{Text: strings.Repeat("x", MaxQuestion), ProjectID: blog}, {Text: "heron", Limit: MaxLimit, MinImportance: 1, ProjectID: blog}, {Text: "heron", ProjectID: blog, Also: []string{"1", "2", "3", "4"}},
	} {
		k.says("%.40q also %.40q of %s %q tags %q items %q importance %d limit %d+%d titles %t all %t", q.Text, q.Also, k.name(q.ProjectID), q.Type, q.Tags, q.Items, q.MinImportance, q.Offset, q.Limit, q.Titles, q.All)
		k.asks(q, true)
	}
	goldentest.Same(t, "kept/filters.txt", k.b.String(), *update)
}

// Several questions at once, from one place: the notes of each answer, and which memories count as used afterwards.
func TestUsesOfASmallStore(t *testing.T) {
	t.Parallel()
	k := newKeptStore(t)
	uses := func() (out []string) {
		t.Helper()
		k.write(func(tx *registry.Tx) (err error) {
			out, err = registry.Collect(tx, func(row registry.Scanner) (string, error) {
				var key string
				var n int
				err := row.Scan(&key, &n)
				return fmt.Sprint(key, " ", n), err
			}, `SELECT key, used_count FROM memories WHERE used_count > 0 ORDER BY key`)
			return err
		})
		return out
	}
	k.says("used %q", uses())
	var told []int64
	for _, by := range []Reader{{Place: &k.at.Place, Agent: "Ben"}, {Agent: "Cid"}, {}} {
		for _, queries := range [][]Query{
			{{Text: "connection pool"}, {Text: "connection pool", Titles: true}, {Text: "elephants"}, {Text: "connection pool"}},
			{{ProjectID: k.projects["blog"], Text: "heron emblem"}, {Text: "heron emblem"}, {Limit: 2}, {Limit: 2, Titles: true}, {Text: "how does it work?"}},
			{{ProjectID: Nothing, Text: "pool"}, {ProjectID: Nothing}, {ProjectID: 77, Text: "pool"}, {Tags: []string{"none"}}, {Text: "xyzzy"}},
			{{Text: "pool"}, {Text: "pool", Limit: -1}},
		} {
			place := "nowhere"
			if by.Place != nil {
				place = by.Place.At.Name
			}
			k.says("\n%q at %s", by.Agent, place)
			got, err := k.s.RecallAll(t.Context(), by, queries)
			if err != nil {
				k.fails(err)
			}
			for i, a := range got {
				k.says("%q of %s titles %t: weak %t, unkept %t, former %v, hidden %d", queries[i].Text, k.name(queries[i].ProjectID), queries[i].Titles, a.Weak, a.Unkept, a.Former, a.Hidden)
				k.says("\t→ %s", a.Next())
				for _, h := range a.Memories {
					k.says("\t%s %.3f weak %t used %d source %q headline %q", h.Key, h.Score, h.Weak, h.AccessCount, h.Source, h.Headline)
				}
			}
			k.says("used %q", uses())
		}
	}
	k.s.Used = func(ids []int64) { told = append(told, ids...) }
	a := k.recall(Query{Text: "refund ledger"})
	k.says("\ntold instead: %d of %v, used %q", len(told), keys(a), uses())
	goldentest.Same(t, "kept/uses.txt", k.b.String(), *update)
}

// The memories that a session begins with, whole and within budgets.
func TestStartsOfASmallStore(t *testing.T) {
	t.Parallel()
	k := newKeptStore(t)
	for _, w := range []Wanted{
		{Text: "The payment gateway times out at night"}, {Text: "Rebuild the search index of vouchers", Least: 4}, {Text: "Carry the drums to the cellar", Least: 5, Limit: 3}, {Least: 3}, {Limit: 2}, {Text: "elephants", Least: 5},
		{Text: "connection pool", ProjectID: k.projects["blog"]}, {Text: "connection pool", ProjectID: Nothing}, {Text: "the of and", Least: 5}, {Text: "migration of the orders table and the ledger of refunds with tabs, release notes, mirrors, violins and drums", Least: 5, Limit: 4},
	} {
		if w.ProjectID == 0 {
			w.ProjectID = k.id
		}
		k.says("%q of %s least %d limit %d", w.Text, k.name(w.ProjectID), w.Least, w.Limit)
		var all []Brief
		k.write(func(tx *registry.Tx) (err error) {
			all, err = Relevant(tx, w)
			return err
		})
		for _, b := range all {
			k.says("\t%s %s %s %q importance %d confidence %.2f %q, %s, %d days old: %q", b.ID, b.Type, b.Key, b.Title, b.Importance, b.Confidence, b.Source, b.Why, int(time.Since(b.UpdatedAt.Time).Hours()/24), b.Content)
		}
		for _, budget := range []int{0, 1000, 2500, 100000} {
			w.Budget = budget
			before := slices.Clone(all)
			found, more := Fit(all, w)
			if !slices.EqualFunc(before, all, func(a, b Brief) bool { return a.Key == b.Key && a.Content == b.Content }) {
				t.Errorf("%q: Fit changes its list", w.Text)
			}
			var shown []string
			for _, b := range found {
				shown = append(shown, fmt.Sprintf("%s %d", b.Key, len(b.Content)))
			}
			k.says("\tin %d bytes: %q, %d more", budget, shown, more)
		}
	}
	goldentest.Same(t, "kept/starts.txt", k.b.String(), *update)
}
