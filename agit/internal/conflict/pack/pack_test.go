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

// Bytes of arrays and slices are kept as they are, also in the values of maps, which have no address.
type inMaps struct {
	Slices map[string][]byte
	Arrays map[string][2]byte
	Times  map[bool]time.Time
}

func TestBytesInMaps(t *testing.T) {
	want := inMaps{map[string][]byte{"k": {1, 200, 255}}, map[string][2]byte{"k": {200, 1}}, map[bool]time.Time{true: time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC)}}
	packed := pack.Append([]byte("front"), &want)
	const shape = 16
	if got, is := fmt.Sprintf("%x", packed[len("front")+shape:]), "02016b0401c8ff02016bc80102010f010000000ee1136af200000007ffff"; got != is {
		t.Errorf("packed as %s, want %s", got, is)
	}
	var got inMaps
	if err := pack.Decode(packed[len("front"):], &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// kinds has one field of each kind whose bytes can be wrong.
type kinds struct {
	On    bool
	Small int8
	Count uint8
	Text  string
	List  []leaf
	At    time.Time
	Map   map[bool]bool
}

func TestDamagedValues(t *testing.T) {
	head := pack.Append(nil, new(kinds))[:16]
	at := "\x0f\x01\x00\x00\x00\x0e\xe1\x13\x6a\xf2\x00\x00\x00\x07\xff\xff"
	for name, c := range map[string]struct {
		bytes string
		good  bool
	}{
		"whole":                {"\x01\x01\x05\x01x\x00" + at + "\x00", true},
		"filled":               {"\x00\xff\x01\xff\x01\x00\x02\x00\x00\x00\x00" + at + "\x02\x01\x00", true},
		"a boolean of 2":       {"\x02\x01\x05\x01x\x00" + at + "\x00", false},
		"an integer of 128":    {"\x01\x80\x02\x05\x01x\x00" + at + "\x00", false},
		"a natural of 256":     {"\x01\x01\x80\x02\x01x\x00" + at + "\x00", false},
		"a text too long":      {"\x01\x01\x05\x7fx\x00" + at + "\x00", false},
		"a list of many":       {"\x01\x01\x05\x01x\x7f" + at + "\x00", false},
		"a list of too many":   {"\x01\x01\x05\x01x\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + at + "\x00", false},
		"a time of version 9":  {"\x01\x01\x05\x01x\x00" + "\x0f\x09" + at[2:] + "\x00", false},
		"an endless number":    {"\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", false},
		"a map of too many":    {"\x01\x01\x05\x01x\x00" + at + "\x03\x01\x00", false},
		"a map of two of each": {"\x01\x01\x05\x01x\x00" + at + "\x03\x01\x00\x00\x01", true},
	} {
		err := pack.Decode(append(bytes.Clone(head), c.bytes...), new(kinds))
		if (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOtherKindsPanic(t *testing.T) {
	defer func() {
		if said := fmt.Sprint(recover()); said != "pack: a float64 cannot be packed" {
			t.Errorf("panicked with %q", said)
		}
	}()
	pack.Append(nil, &struct{ X float64 }{1})
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
