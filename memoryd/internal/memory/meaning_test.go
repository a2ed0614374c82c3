package memory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// dictionary is a model that knows a few themes: the vector of a text counts its mentions of each, so that different words may mean the
// same.
type dictionary struct {
	model  string
	themes [][]string
	asked  []string // all texts that were sent
	fails  error
}

func (d *dictionary) Model() string { return d.model }

func (d *dictionary) Embed(_ context.Context, texts []string) ([][]float32, error) {
	d.asked = append(d.asked, texts...)
	if d.fails != nil {
		return nil, d.fails
	}
	list := make([][]float32, len(texts))
	for i, s := range texts {
		list[i] = make([]float32, len(d.themes)+1)
		list[i][len(d.themes)] = 0.2 // the part that all texts have in common
		for k, words := range d.themes {
			for _, word := range words {
				list[i][k] += float32(strings.Count(strings.ToLower(s), word))
			}
		}
	}
	return list, nil
}

func themes(model string) *dictionary {
	return &dictionary{model: model, themes: [][]string{
		{"zwicky", "heron", "kestrel"}, {"colour", "red", "blue", "paint"}, {"fast", "slow", "latency", "speed"}, {"money", "price", "invoice", "bill"}}}
}

// filled is a world with 24 memories about three themes and one about a fourth.
func filled(t *testing.T, d *dictionary) *world {
	w := newWorld(t)
	w.s.Embedder = d
	for i, about := range slices.Repeat([]string{"the paint is blue", "latency of the cache", "an invoice for each order"}, 8) {
		w.put(New{Key: "k" + string(rune('a'+i)), Content: about + " number " + string(rune('a'+i))})
	}
	w.put(New{Key: "auth", Content: "People are let in by a heron"})
	return w
}

// Words that a memory does not contain find it by their meaning, and it is not called weak.
func TestMeaningFinds(t *testing.T) {
	t.Parallel()
	d := themes("small")
	w := filled(t, d)
	a := w.recall(Query{Text: "where is the zwicky?", Explain: true})
	if len(a.Memories) == 0 || a.Memories[0].Key != "auth" || a.Memories[0].Weak || a.Weak || a.Memories[0].Parts.Meaning < 0.9 || a.WordsAlone != "" {
		t.Fatalf("got %+v", a)
	}
	if a := w.recall(Query{Text: "where is the zwicky?", Type: TypeWarning}); len(a.Memories) != 0 {
		t.Errorf("a filter lets %q through", keys(a))
	}
	w.s.Embedder = nil
	if a := w.recall(Query{Text: "where is the zwicky?"}); len(a.Memories) != 0 && !a.Weak {
		t.Errorf("words alone find %q", keys(a))
	}
}

// A changed memory is read again, a removed one is not found, and a restored one is found again.
func TestVectorsFollowMemories(t *testing.T) {
	t.Parallel()
	d := themes("small")
	w := filled(t, d)
	nearest := func() string {
		w.Helper()
		a := w.recall(Query{Text: "zwicky", All: true, Limit: 200})
		for _, h := range a.Memories {
			if !h.Weak {
				return h.Key
			}
		}
		return ""
	}
	if got := nearest(); got != "auth" {
		t.Fatalf("got %q", got)
	}
	w.put(New{Key: "auth", Content: "The paint is red"})
	w.put(New{Key: "ka", Content: "Each person has a kestrel"})
	if got := nearest(); got != "ka" {
		t.Errorf("after a change: %q", got)
	}
	for _, step := range []struct {
		name string
		do   func(tx *registry.Tx, m Memory) error
		want string
	}{
		{"archived", func(tx *registry.Tx, m Memory) error { _, err := Forget(tx, m, ""); return err }, ""},
		{"restored", func(tx *registry.Tx, m Memory) error { _, err := Restore(tx, m); return err }, "ka"},
		{"purged", Purge, ""},
	} {
		w.write(func(tx *registry.Tx) error {
			var id int64
			if err := tx.QueryRow(`SELECT id FROM memories WHERE key = 'ka'`).Scan(&id); err != nil {
				return err
			}
			m, err := ByRow(tx, id)
			if err != nil {
				return err
			}
			return step.do(tx, m)
		})
		if got := nearest(); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
	}
	w.consistent()
}

// consistent compares the rows of vectors with the rows that locate them.
func (w *world) consistent() {
	w.Helper()
	err := w.s.DB.Read(w.Context(), func(tx *registry.Tx) error {
		kept, err := registry.Collect(tx, func(row registry.Scanner) (p packed, err error) {
			var n int
			if err = row.Scan(&p.id, &n, &p.ids, &p.vectors); err == nil && n != p.len() {
				w.Errorf("row %d says %d and has %d", p.id, n, p.len())
			}
			return p, err
		}, `SELECT id, kept, ids, vectors FROM memory_vectors`)
		if err != nil {
			return err
		}
		for _, p := range kept {
			for i := range p.len() {
				at, err := registry.One[int64](tx.QueryRow(`SELECT vectors_id FROM memory_embedded WHERE memory_id = ?`, p.memory(i)))
				if err != nil || at != p.id {
					w.Errorf("memory %d stands in row %d, and is said to be in %d (%v)", p.memory(i), p.id, at, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

// Another model reads all memories again; its vectors are never compared with those of the previous one.
func TestAnotherModelReadsAgain(t *testing.T) {
	t.Parallel()
	w := filled(t, themes("small"))
	if n, err := w.s.ReadAll(t.Context(), nil); n != 25 || err != nil {
		t.Fatalf("read %d, %v", n, err)
	}
	larger := themes("large")
	larger.themes = append(larger.themes, []string{"let in"})
	w.s.Embedder = larger
	if n, err := w.s.Waiting(t.Context()); n != 0 || err != nil {
		t.Errorf("%d wait, %v", n, err)
	}
	if n, err := w.s.ReadAll(t.Context(), nil); n != 25 || err != nil {
		t.Errorf("the second model read %d, %v", n, err)
	}
	if got := w.first("zwicky"); got != "auth" {
		t.Errorf("got %q", got)
	}
	w.consistent()
}

// An unreachable model costs no hits found by words, and is reported; secrets are not sent.
func TestMeaningFails(t *testing.T) {
	t.Parallel()
	d := themes("small")
	w := filled(t, d)
	d.fails = fault.Provider(nil, "the endpoint is not there")
	if a := w.recall(Query{Text: "invoice for an order"}); len(a.Memories) == 0 || !strings.Contains(a.WordsAlone, "not there") {
		t.Errorf("got %+v", a)
	}
	if _, err := w.s.ReadAll(t.Context(), nil); err == nil {
		t.Error("nothing failed")
	}
	d.fails = nil
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	w.recall(Query{Text: "what is " + secret + "?"})
	for _, s := range d.asked {
		if strings.Contains(s, secret) {
			t.Errorf("%q was sent", s)
		}
	}
}

func TestQuantize(t *testing.T) {
	t.Parallel()
	for _, bad := range [][]float32{nil, {}, {0, 0}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}} {
		if v, err := quantize(bad); err == nil {
			t.Errorf("%v became %v", bad, v)
		}
	}
	if v, err := quantize([]float32{-2, 1, 0}); err != nil || !slices.Equal(v, vector{-127, 64, 0}) {
		t.Errorf("got %v, %v", v, err)
	}
}

// Rounding to a byte keeps the order of similarities, except of nearly equal ones.
func TestRoundingKeepsSimilarity(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	draw := func() []float32 {
		list := make([]float32, 384)
		for i := range list {
			list[i] = float32(random.NormFloat64())
		}
		return list
	}
	asked := draw()
	v, err := quantize(asked)
	if err != nil {
		t.Fatal(err)
	}
	var p packed
	var exact []float64
	for i := range 500 {
		other := draw()
		for k := range other {
			other[k] += asked[k] * float32(i%7) / 7
		}
		w, err := quantize(other)
		if err != nil {
			t.Fatal(err)
		}
		p.add(int64(i), w)
		dot, a, b := 0.0, 0.0, 0.0
		for k := range other {
			dot += float64(other[k]) * float64(asked[k])
			a += float64(other[k]) * float64(other[k])
			b += float64(asked[k]) * float64(asked[k])
		}
		exact = append(exact, dot/math.Sqrt(a*b))
	}
	near := nearest{most: 500}
	near.compare(v, v.length(), &p)
	best := near.ranked()
	if len(best) != 500 || best[0].apart <= best[499].apart {
		t.Fatalf("%d, %+v", len(best), best[0])
	}
	for i, n := range best {
		if math.Abs(n.similarity-exact[n.id]) > 0.01 {
			t.Errorf("%d: %.4f, exactly %.4f", n.id, n.similarity, exact[n.id])
		}
		if i > 0 && n.similarity > best[i-1].similarity {
			t.Errorf("%d is out of order", i)
		}
	}
}

func TestPackedRemove(t *testing.T) {
	t.Parallel()
	var p packed
	for id := range int64(3) {
		p.add(id+10, vector{int8(id), int8(-id)})
	}
	if p.remove(9) || !p.remove(11) || p.remove(11) || p.len() != 2 || p.memory(1) != 12 || !slices.Equal(p.vectors, []byte{0, 0, 2, 254}) {
		t.Errorf("left %+v", p)
	}
}

// BenchmarkCompare: comparing a question with 100,000 vectors of 384 numbers, as in a server that has them in memory, beside a command,
// which reads them first.
func BenchmarkCompare(b *testing.B) {
	db := filledWith(b, 100_000)
	v := make(vector, 384)
	for i := range v {
		v[i] = int8(i)
	}
	var kept vectorCache
	for _, who := range []struct {
		name string
		ask  func(tx *registry.Tx) error
	}{
		{"server", func(tx *registry.Tx) error { _, err := kept.compare(tx, v, 0, nearestKept); return err }},
		{"command", func(tx *registry.Tx) error { _, err := (&vectorCache{}).compare(tx, v, 0, nearestKept); return err }},
	} {
		b.Run(who.name, func(b *testing.B) {
			if err := db.Read(b.Context(), who.ask); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := db.Read(b.Context(), who.ask); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// filledWith makes a registry with n vectors that belong to no memory.
func filledWith(tb testing.TB, n int) *registry.DB {
	tb.Helper()
	db := registrytest.Open(tb)
	random := rand.New(rand.NewPCG(1, 2))
	err := db.Write(tb.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Place{At: &project.Identity{UID: "p-many", Name: "many", Folder: "/many"}}.Ensure(tx)
		if err != nil {
			return err
		}
		for at := 0; at < n; at += vectorsInRow {
			row := packed{vectors: make([]byte, 0, vectorsInRow*384)}
			for i := range min(vectorsInRow, n-at) {
				v := make(vector, 384)
				for k := range v {
					v[k] = int8(random.IntN(255) - 127)
				}
				row.add(int64(at+i), v)
			}
			if _, err := tx.Exec(`INSERT INTO memory_vectors (project_id, kept, stamp, ids, vectors) VALUES (?, ?, ?, ?, ?)`, p.ID, row.len(), newStamp(), row.ids, row.vectors); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return db
}

// After each request, the number of memories read so far is reported; nothing is when there are none left.
func TestReadAllReports(t *testing.T) {
	t.Parallel()
	d := themes("one")
	w := newWorld(t)
	news := make([]New, 2*readAtOnce+1)
	for i := range news {
		news[i] = New{Type: TypePattern, Key: fmt.Sprint("key ", i), Content: fmt.Sprint("The heron number ", i, " is blue")}
	}
	if _, err := w.s.Remember(t.Context(), w.at, news); err != nil {
		t.Fatal(err)
	}
	if n, err := w.s.Waiting(t.Context()); n != 0 || err != nil {
		t.Errorf("without a model %d wait, %v", n, err)
	}
	w.s.Embedder = d
	for _, want := range [][]int{{64, 128, 129}, nil} {
		var told []int
		done, err := w.s.ReadAll(t.Context(), func(n int) { told = append(told, n) })
		if err != nil || !slices.Equal(told, want) || want != nil && done != 129 || want == nil && done != 0 {
			t.Errorf("%d are read, told %v, want %v, %v", done, told, want, err)
		}
	}
}

// The answers by words and meaning together, in full: order, scores, what is weak, and what each part adds.
func TestAnswersByMeaning(t *testing.T) {
	t.Parallel()
	w := filled(t, themes("small"))
	w.put(New{Type: TypeWarning, Key: "cost", Content: "Each bill names a price", Importance: 4})
	w.put(New{Key: "both", Content: "The kestrel paints a slow bill blue"})
	w.put(New{Key: "words", Content: "Zeppelins land on the meadow behind the mill"})
	var b strings.Builder
	for _, q := range []Query{
		{Text: "where is the zwicky?"}, {Text: "the price of blue paint"}, {Text: "latency"}, {Text: "which colour has the speed?"}, {Text: "zeppelins on the meadow"}, {Text: "nothing at all of this"}, {Text: "money", Type: TypeWarning}, {Text: "money", Limit: 2},
		{Text: "heron", All: true, Limit: 200}, {Text: ""},
	} {
		q.Explain = true
		fmt.Fprintf(&b, "%q of type %q, %d, all %t\n", q.Text, q.Type, q.Limit, q.All)
		tellAnswer(&b, w.recall(q), 8)
	}
	few := newWorld(t) // none can stand out
	few.s.Embedder = themes("small")
	few.put(New{Key: "auth", Content: "People are let in by a heron"})
	few.put(New{Key: "paint", Content: "The paint is blue"})
	for _, asked := range []string{"where is the zwicky?", "colour", "heron"} {
		fmt.Fprintf(&b, "of two: %q\n", asked)
		tellAnswer(&b, few.recall(Query{Text: asked, Explain: true}), 8)
	}
	goldentest.Same(t, "told/meaning.txt", b.String(), *update)
}
