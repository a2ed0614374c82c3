package pack_test

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict/pack"
	"github.com/agit-suite/agit/shared/benchtest"
)

type word string

type leaf struct {
	Name word
	Mode uint32
	Size int64
	On   bool
}

type sample struct {
	Sum    [8]byte
	Leaves map[string]*leaf
	List   []leaf
	Bytes  []byte
	At     time.Time
	Next   *sample
	Runs   [2]int8
	Nested map[word][]map[int]string
}

func filled() sample {
	return sample{
		Sum: [8]byte{1, 2, 255}, Bytes: []byte("\xff\x00 not UTF-8"), At: time.Date(2026, 2, 3, 4, 5, 6, 7, time.FixedZone("", 3600)),
		Leaves: map[string]*leaf{"a\xffb": {"x", 0o100644, -1 << 62, true}, "none": nil},
		List:   []leaf{{}, {"y", 1 << 31, 5, false}},
		Next:   &sample{List: []leaf{}, Leaves: map[string]*leaf{}},
		Runs:   [2]int8{-128, 127},
		Nested: map[word][]map[int]string{"k": {nil, {1: "one"}}},
	}
}

func TestRoundTrip(t *testing.T) {
	for name, want := range map[string]sample{"filled": filled(), "zero": {}} {
		t.Run(name, func(t *testing.T) {
			var got sample
			if err := pack.Decode(pack.Append(nil, &want), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOtherBytesAreRefused(t *testing.T) {
	full := filled()
	whole := pack.Append(nil, &full)
	for n := range len(whole) {
		if err := pack.Decode(whole[:n], new(sample)); err == nil {
			t.Fatalf("the first %d of %d bytes were taken for all", n, len(whole))
		}
	}
	if err := pack.Decode(append(whole, 0), new(sample)); err == nil {
		t.Error("a byte too many was overlooked")
	}
	type renamed struct{ Title string }
	type original struct{ Name string }
	if err := pack.Decode(pack.Append(nil, &original{"x"}), new(renamed)); err == nil {
		t.Error("a type with another field was taken for it")
	}
}

func FuzzDecode(f *testing.F) {
	full := filled()
	f.Add(pack.Append(nil, &full))
	f.Add(pack.Append(nil, new(sample)))
	head := pack.Append(nil, new(sample))[:16]
	f.Fuzz(func(t *testing.T, buf []byte) {
		for _, given := range [][]byte{buf, append(bytes.Clone(head), buf...)} {
			var got sample
			if pack.Decode(given, &got) != nil {
				continue
			}
			var again sample
			if err := pack.Decode(pack.Append(nil, &got), &again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, again); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// BenchmarkDecode reads the data of a scan of 5,000 files, beside encoding/gob.
func BenchmarkDecode(b *testing.B) {
	s := sample{Leaves: map[string]*leaf{}}
	for i := range 5000 {
		name := fmt.Sprintf("folder/of/some/depth/file%06d.txt", i)
		s.Leaves[name] = &leaf{word(name), 0o100644, int64(i), true}
		s.List = append(s.List, *s.Leaves[name])
	}
	packed := pack.Append(nil, &s)
	var gobbed bytes.Buffer
	if err := gob.NewEncoder(&gobbed).Encode(s); err != nil {
		b.Fatal(err)
	}
	benchtest.Beside(b, "gob",
		benchtest.Of(func() error { return pack.Decode(packed, new(sample)) }),
		benchtest.Of(func() error { return gob.NewDecoder(bytes.NewReader(gobbed.Bytes())).Decode(new(sample)) }))
}
