package fuzzy_test

import (
	"math"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify/fuzzy"
)

func TestSimilarity(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want float64
	}{
		{"", "", 1}, {"abc", "abc", 1}, {"abc", "", 0}, {"abcd", "abxd", 0.75}, {"abc", "abcd", 0.75}, {"kitten", "sitting", 1 - 3.0/7}, {"abc", "xyz", 0},
	} {
		for _, got := range []float64{fuzzy.Similarity([]byte(test.a), []byte(test.b)), fuzzy.Similarity([]byte(test.b), []byte(test.a))} {
			if math.Abs(got-test.want) > 1e-9 {
				t.Errorf("%q and %q: %f, want %f", test.a, test.b, got, test.want)
			}
		}
	}
	if got := fuzzy.Part([]byte("v2/users"), []byte("router.use('/v2/users', handler)")); got != 1 {
		t.Errorf("a part of a line: %f", got)
	}
	if got := fuzzy.Part([]byte("v2/users"), []byte("router.use('/v3/users', handler)")); math.Abs(got-0.875) > 1e-9 {
		t.Errorf("an edited part of a line: %f", got)
	}
}

func FuzzSimilarity(f *testing.F) {
	f.Add("return nil, err", "return nil, fmt.Errorf(err)")
	f.Fuzz(func(t *testing.T, a, b string) {
		s, bound := fuzzy.Similarity([]byte(a), []byte(b)), fuzzy.Bound([]byte(a), []byte(b))
		if s < 0 || s > 1 || s > bound+1e-9 || s != fuzzy.Similarity([]byte(b), []byte(a)) {
			t.Fatalf("%q and %q: %f, bound %f", a, b, s, bound)
		}
		if a == b && s != 1 {
			t.Fatalf("%q is not like itself: %f", a, s)
		}
		if p := fuzzy.Part([]byte(a), []byte(b)); p < 0 || p > 1 {
			t.Fatalf("%q in %q: %f", a, b, p)
		}
	})
}
