package language

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Unknown is the value of a field that cannot be determined.
const Unknown = "unknown"

// Declared is the evidence of one manifest for a language family.
type Declared struct {
	Path      string
	Family    string // as Family returns it
	Depth     int    // 0 at the root
	Named     bool   // it names a package or a program
	Runtime   bool   // it declares runtime dependencies, not only tools
	Framework string // the framework it declares, "" for none
	Server    bool   // the framework is the program's base, not a view or a tool
	Hint      string // the language it speaks for, "" for none
}

// Score is the evidence for a language.
type Score struct {
	Language string   `json:"language"`
	Score    float64  `json:"score"`
	Why      []string `json:"why"`

	family string
	bytes  bool
}

// Verdict is the language of a project and the evidence for it.
type Verdict struct {
	Language   string
	Why        string
	Confidence string // high, medium or low
	Scores     []Score
}

// The words for the confidence of a field.
const (
	High   = "high"
	Medium = "medium"
	Low    = "low"
)

// Families group languages that share manifests.
const (
	node   = "node"
	jvm    = "jvm"
	dotnet = "dotnet"
	beam   = "beam"
	native = "native"
)

// families are the languages of the families.
var families = map[string][]string{
	node:   {"javascript", "typescript", "coffeescript"},
	jvm:    {"java", "kotlin", "scala", "groovy", "clojure"},
	dotnet: {"c#", "f#", "visual basic"},
	beam:   {"elixir", "erlang"},
	native: {"c++", "c", "cuda"},
}

// Family returns the group in which a language competes: itself, or those that share its manifests.
func Family(language string) string {
	for family, languages := range families {
		if slices.Contains(languages, language) {
			return family
		}
	}
	return language
}

// The evidence for a language and its weight, in addition to its share of the sources (0 to 1). The weights were fitted to several hundred
// labelled projects.
const (
	atRoot       = 0.6  // a manifest at the root
	below        = 0.2  // one folder down
	deeper       = 0.1  // further down
	toolsOnly    = 0.25 // a manifest at the root that declares only tools
	serverAtRoot = 0.4  // it declares a framework as the program's base
	otherAtRoot  = 0.15 // or a view library
	frameBelow   = 0.1
	noSources    = 0.5 // factor for a manifest without a source file
	appended     = 0.5 // factor for sources of a family whose manifests are all below another's root one
)

const (
	// collection is the least number of documents in a collection, and the least number for each source file.
	collection = 10
	// overwhelming is the number of documents for each source file from which even a declared program is a collection.
	overwhelming = 100
	// loose and most replace collection and handful when the root has no manifest: nothing is built there.
	loose = 5
	most  = 0.75
	// mere is the largest share of programs, relative to the documents' bytes, in a collection without any manifest, whatever the number of
	// files.
	mere = 0.1
	// trace is the share of the programs' bytes from which a family counts as written there.
	trace = 0.05
	// handful is the largest share of programs, relative to the documents' bytes, in a collection.
	handful = 0.5
)

// collected reports whether a repository consists of documents, with a few scripts to maintain them, and no manifest at its root declares a
// program.
func collected(counted, documents Weights, declared []Declared) (Weight, bool) {
	if len(documents) == 0 || documents[0].Files < collection {
		return Weight{}, false
	}
	files, bytes := 0, int64(0)
	for _, w := range counted {
		if w.Language != "html" && w.Language != "css" && w.Language != "tex" && w.Language != "yaml" {
			files, bytes = files+w.Files, bytes+w.Bytes
		}
	}
	declared = slices.DeleteFunc(slices.Clone(declared), func(d Declared) bool { return len(counted) > 0 && !written(d.Family, counted) })
	for _, d := range declared {
		if d.Depth == 0 && d.Named && (d.Runtime || d.Server) && files*overwhelming > documents[0].Files {
			return Weight{}, false
		}
	}
	texts := documents[0]
	least, part := collection, handful
	if !slices.ContainsFunc(declared, func(d Declared) bool { return d.Depth == 0 }) {
		least, part = loose, most
	}
	few := files*least <= texts.Files && float64(bytes) <= part*float64(texts.Bytes)
	return texts, few || len(declared) == 0 && float64(bytes) <= mere*float64(texts.Bytes)
}

// written reports whether sources are in a family, beyond tests, tools' configuration and a sample among many.
func written(family string, counted Weights) bool {
	var own, all int64
	for _, w := range counted {
		if all += w.own; Family(w.Language) == family {
			own += w.own
		}
	}
	return own > 0 && float64(own) >= trace*float64(all)
}

// Decide returns the language by the counted files and declared manifests. documents is the result of Documents, which determines the
// language of a repository with hardly anything else.
func Decide(counted, documents Weights, declared []Declared) Verdict {
	if most, ok := collected(counted, documents, declared); ok {
		return Verdict{Language: most.Language, Why: fmt.Sprintf("%d files, and few of a program", most.Files), Confidence: Medium}
	}
	scores := familyScores(counted, declared)
	if len(scores) == 0 {
		if len(counted) > 0 { // markup alone
			return Verdict{Language: counted[0].Language, Why: fmt.Sprintf("%d files and no program", counted[0].Files), Confidence: Medium}
		}
		return Verdict{Language: Unknown, Why: "no manifest and no source file", Confidence: Low}
	}
	for i := range scores {
		s := &scores[i]
		var why string
		if s.Language, why = within(s.family, counted, declared); why != "" {
			s.Why = append(s.Why, why)
		}
	}
	slices.SortStableFunc(scores, func(a, b Score) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Language, b.Language))
	})
	scores = slices.DeleteFunc(scores, func(s Score) bool { return s.Score < 0.005 && s.Score < scores[0].Score })
	bound := binding(scores, declared)
	first := scores[0]
	v := Verdict{Language: first.Language, Why: strings.Join(first.Why, ", "), Scores: scores, Confidence: Medium}
	second := 0.0
	if len(scores) > 1 {
		second = scores[1].Score
	}
	switch {
	case first.bytes && first.Score >= 1 && first.Score-second > 0.4:
		v.Confidence = High
	case !first.bytes && len(counted) > 0 || first.Score-second < near && !bound:
		v.Confidence = Low
	}
	return v
}

// near is the difference below which two scores count as equal.
const near = 0.05

// binding reports whether a language binds C or C++ code: the two weigh nearly the same, and the root declares a package of the other
// language. In that case binding moves the language to the front, since programs in it use the C code.
func binding(scores []Score, declared []Declared) bool {
	if len(scores) < 2 || scores[0].Score-scores[1].Score >= near || (scores[0].family == native) == (scores[1].family == native) {
		return false
	}
	i := slices.IndexFunc(scores[:2], func(s Score) bool { return s.family != native })
	if !scores[i].bytes || !slices.ContainsFunc(declared, func(d Declared) bool { return d.Family == scores[i].family && d.Depth == 0 && d.Named }) {
		return false
	}
	scores[0], scores[i] = scores[i], scores[0]
	return true
}

func familyScores(counted Weights, declared []Declared) []Score {
	shares, files := map[string]float64{}, map[string]int{}
	var families []string
	see := func(family string) {
		if !slices.Contains(families, family) {
			families = append(families, family)
		}
	}
	for _, w := range counted {
		if w.Language == "html" || w.Language == "css" || w.Language == "tex" {
			continue
		}
		family := Family(w.Language)
		see(family)
		shares[family] += w.Share
		files[family] += w.Files
	}
	rooted, served := false, false // another family than node has a manifest with a server framework at the root
	for _, d := range declared {
		see(d.Family)
		if d.Depth == 0 && d.Family != node && shares[d.Family] >= 0.03 {
			rooted = true
			served = served || d.Server
		}
	}
	var scores []Score
	for _, family := range families {
		s := Score{family: family, bytes: files[family] > 0}
		best, frame := manifestsOf(family, declared)
		share := shares[family]
		if family == node && rooted && (best == nil || best.Depth > 0) {
			share *= appended
		}
		s.Score = share
		if files[family] > 0 {
			s.Why = append(s.Why, fmt.Sprintf("%.0f%% of the sources", 100*shares[family]))
		}
		if best != nil {
			worth := [...]float64{atRoot, below, deeper}[min(best.Depth, 2)]
			if best.Depth == 0 && family == node && (!best.Runtime && rooted || served) {
				worth = toolsOnly
			}
			s.Score += worth
			s.Why = append(s.Why, best.Path)
		}
		if frame != nil {
			worth := frameBelow
			switch {
			case frame.Depth == 0 && frame.Server:
				worth = serverAtRoot
			case frame.Depth == 0 && !(family == node && served):
				worth = otherAtRoot
			}
			s.Score += worth
			s.Why = append(s.Why, frame.Framework)
		}
		if !s.bytes && len(counted) > 0 {
			s.Score *= noSources
		}
		scores = append(scores, s)
	}
	return scores
}

// manifestsOf returns the manifest nearest to the root, and the one with the most significant framework.
func manifestsOf(family string, declared []Declared) (best, frame *Declared) {
	for i := range declared {
		d := &declared[i]
		if d.Family != family {
			continue
		}
		if best == nil || d.Depth < best.Depth || d.Depth == best.Depth && d.Runtime && !best.Runtime {
			best = d
		}
		if d.Framework != "" && (frame == nil || d.Server && !frame.Server && d.Depth <= frame.Depth || d.Depth < frame.Depth) {
			frame = d
		}
	}
	return best, frame
}

// within chooses the language inside a family.
func within(family string, counted Weights, declared []Declared) (language, why string) {
	switch family {
	case node:
		ts, js := counted.Get("typescript").weighed, counted.Get("javascript").weighed
		hint := hinted(declared, "typescript")
		switch {
		case ts+js == 0 && counted.Get("coffeescript").weighed > 0:
			return "coffeescript", ""
		case ts+js == 0 && hint != "":
			return "typescript", hint
		case ts+js == 0:
			return "javascript", ""
		case ts >= js, hint != "" && ts >= 0.4*(ts+js):
			return "typescript", fmt.Sprintf("%.0f%% of it typescript", 100*ts/(ts+js))
		}
		return "javascript", fmt.Sprintf("%.0f%% of it javascript", 100*js/(ts+js))
	case jvm:
		languages := families[jvm]
		if language := mostOf(counted, 1, languages); language != "" {
			return language, ""
		}
		for _, l := range languages[1:] {
			if hint := hinted(declared, l); hint != "" {
				return l, hint
			}
		}
		if language := mostOf(counted, 0, languages); language == "scala" || language == "clojure" {
			return language, ""
		}
		return "java", ""
	case dotnet, beam, native:
		return heaviest(counted, declared, families[family]), ""
	}
	return family, ""
}

// heaviest returns the language of a family with the most sources; without sources that of a manifest's hint, else the first.
func heaviest(counted Weights, declared []Declared, languages []string) string {
	best := mostOf(counted, 0, languages)
	for _, l := range languages {
		if best == "" && hinted(declared, l) != "" {
			best = l
		}
	}
	return cmp.Or(best, languages[0])
}

// mostOf returns the language with the most sources of those that have at least so many bytes of plain ones; "" when none has any.
func mostOf(counted Weights, own int64, languages []string) (best string) {
	most := 0.0
	for _, l := range languages {
		if w := counted.Get(l); w.own >= own && w.weighed > most {
			best, most = l, w.weighed
		}
	}
	return best
}

func hinted(declared []Declared, language string) string {
	for _, d := range declared {
		if d.Hint == language {
			return d.Path
		}
	}
	return ""
}

const (
	// LeastList is the size of a README, in bytes, from which it may be a list of links that is the repository's purpose.
	LeastList = 8 << 10
	// leastEntries is the least number of links in such a list.
	leastEntries = 60
)

// List reports whether a repository is a list of links that people collect: its README has many of them, and more bytes than the programs
// that maintain it. readme is the README's size in bytes, entries the number of links that begin a list item or a table row.
func List(counted Weights, readme int64, entries int) (Verdict, bool) {
	if readme < LeastList || entries < leastEntries {
		return Verdict{}, false
	}
	var programs int64
	for _, w := range counted {
		programs += w.own
	}
	if programs > readme {
		return Verdict{}, false
	}
	return Verdict{Language: "markdown", Why: fmt.Sprintf("README.md lists %d links, and is larger than the programs beside it", entries), Confidence: Medium}, true
}

// Site returns the verdict for the content of a static site; false when it has more program files than documents, or few documents.
func Site(counted, documents Weights) (Verdict, bool) {
	if len(documents) == 0 || documents[0].Files < collection {
		return Verdict{}, false
	}
	programs := 0
	for _, w := range counted {
		programs += w.Files
	}
	if programs > documents[0].Files {
		return Verdict{}, false
	}
	return Verdict{Language: documents[0].Language, Why: fmt.Sprintf("%d files of a static site's content", documents[0].Files), Confidence: Medium}, true
}
