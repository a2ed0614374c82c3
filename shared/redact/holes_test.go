package redact_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var hole = regexp.MustCompile(`<<([A-Za-z])(\d+)>>`)

// holes maps a letter in the files of forms to the text that it stands for.
var holes = map[string]string{
	"A": alnums, "H": hexes, "X": strings.ToUpper(hexes), "D": "123456789", "S": base64s, "P": alnums + "!@#^&*(-_=+)", "W": wordish,
	"L": lowers + strings.ToUpper(lowers), "l": lowers, "C": base32, "B": lowers + digits,
}

var mnemonics = strings.Fields("abandon ability ladder orchard velvet tunnel garlic mosquito pigeon saddle thunder walnut canyon dolphin emerge fossil glacier hazel")

// fill fills the holes of a form with random texts, which are then in m.made.
func (m *maker) fill(form string) string {
	return hole.ReplaceAllStringFunc(strings.ReplaceAll(form, "⏎", "\n"), func(s string) string {
		parts := hole.FindStringSubmatch(s)
		n, err := strconv.Atoi(parts[2])
		if err != nil || n == 0 {
			return ""
		}
		if parts[1] == "w" {
			words := make([]string, n)
			for i := range words {
				words[i] = mnemonics[m.IntN(len(mnemonics))]
			}
			m.made = append(m.made, strings.Join(words, " "))
			return strings.Join(words, " ")
		}
		return m.of(holes[parts[1]], n)
	})
}

// lines returns the lines of a file of testdata without its remarks.
func lines(t testing.TB, name string) (all []string) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && !strings.HasPrefix(line, "# ") {
			all = append(all, line)
		}
	}
	return all
}

// forms returns the forms in the files, beside the ones in the code here.
func forms(t testing.TB) map[string]func(m *maker) string {
	all := samples()
	for _, line := range lines(t, "secrets.txt") {
		name, form, ok := strings.Cut(line, "\t")
		if !ok || all["file: "+name] != nil {
			t.Fatalf("%q has no tab, or its name stands twice", line)
		}
		all["file: "+name] = func(m *maker) string { return m.fill(form) }
	}
	return all
}

func draw(seed uint64) *maker { return &maker{Rand: rand.New(rand.NewPCG(seed, 7))} }
