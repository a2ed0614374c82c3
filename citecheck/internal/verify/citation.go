package verify

// Citation is one statement about the code: this text is at this place. It is what
// checks, reports and JSON call a citation.
type Citation struct {
	// Path is relative to the folder that the Checker was opened with, with
	// slashes; backslashes are read as such where no file has them in its name.
	Path string `json:"path"`
	// Line counts from 1; 0 means the file as a whole. EndLine is the last line
	// of a range, 0 for a single line.
	Line    int `json:"line,omitempty"`
	EndLine int `json:"end_line,omitempty"`
	// Snippet is the cited text or a part of it; several lines are a block that
	// starts at Line. Empty: the line is whatever git says it was.
	Snippet string `json:"snippet,omitempty"`
	// After and Before are lines that stand close above and below the cited text,
	// for one that says too little to be told from others; usually empty.
	After  string `json:"after,omitempty"`
	Before string `json:"before,omitempty"`
	// Surroundings are kept beside the citation (textfile.Surroundings), empty when not
	// known. They decide where no history does.
	Surroundings string `json:"-"`
	// Commit is where Line was right, a full or abbreviated object name, empty
	// when not known. A commit that does not fit the snippet is passed over.
	Commit string `json:"-"`
	// Source is where the citation itself is written (the memory's path relative
	// to the Checker's folder, and line). When Commit is empty and the text alone
	// does not settle the verdict, the commit that last touched that line is used.
	Source Source `json:"-"`
	// Verified is the day, in UTC as 2006-01-02, at which the citation was found right by
	// its own words; empty when they say none. The commits of that day tell which of
	// equal lines was meant, where no other commit is known.
	Verified string `json:"-"`
	// Together names what cites it: citations of one name were written at one time, as a
	// rule, which tells equal lines apart. Empty: nothing is known of that.
	Together string `json:"-"`
}

// Source is the place of a citation's own text.
type Source struct {
	Path string
	Line int // from 1; 0 when not known
	// Holds reports whether a line of an older version of the memory writes the
	// citation too, so that it is older than what else was edited in its line. nil:
	// the line's last commit is the citation's.
	Holds func(line []byte) bool
}

// Verdict is what became of a citation. The texts are part of the contract with
// programs that read them.
type Verdict string

// The verdicts.
const (
	Valid        Verdict = "valid"        // the text is where the citation says
	Moved        Verdict = "moved"        // the same text is at another line, perhaps of another file
	Renamed      Verdict = "renamed"      // git knows the file's new name, and the same text is in it
	Changed      Verdict = "changed"      // similar or edited text, a suggestion with a score
	Gone         Verdict = "gone"         // neither the text nor anything like it is left
	Ambiguous    Verdict = "ambiguous"    // several equal places, and nothing says which
	Unverifiable Verdict = "unverifiable" // nothing to check against: no snippet and no commit, binary, submodule
	Outside      Verdict = "outside"      // the path leaves the repository; it was not read
)

// Verdicts are all verdicts, best first.
func Verdicts() []Verdict {
	return []Verdict{Valid, Moved, Renamed, Changed, Ambiguous, Gone, Outside, Unverifiable}
}

// True reports whether what the citation says still holds, if perhaps elsewhere.
func (v Verdict) True() bool { return v == Valid || v == Moved || v == Renamed }

// Checkable reports whether the verdict counts at all.
func (v Verdict) Checkable() bool { return v != Unverifiable }

// Fixable reports whether the citation can be rewritten without a person
// looking: the same text is known to be at Result.Path and Result.Line.
func (v Verdict) Fixable() bool { return v == Moved || v == Renamed }

// Place is a line of a file.
type Place struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text,omitempty"` // the line, trimmed and at most maxText bytes
}

// Result is the verdict on one citation: the citation itself, and what became of
// it. Its JSON is a part of what reports say, and a contract.
type Result struct {
	Citation
	Verdict Verdict `json:"verdict"`
	// Low says that a valid citation is only likely: the text is at its line behind the
	// sign of a comment, or as a part of it, and nothing says whether it was.
	Low bool `json:"low_certainty,omitempty"`
	// Reason is one sentence for people.
	Reason string `json:"reason"`
	// FoundPath, FoundLine and FoundEnd are where it is now: for Valid the
	// citation's own place, for Moved, Renamed and Changed the (suggested) new one,
	// else empty. FoundEnd is 0 for a citation of a single line.
	FoundPath string `json:"found_path,omitempty"`
	FoundLine int    `json:"found_line,omitempty"`
	FoundEnd  int    `json:"found_end_line,omitempty"`
	// Around are the surroundings of a valid citation as they are now, for keeping
	// beside it: what a later check takes as Surroundings. Only where Options ask.
	Around string `json:"-"`
	// FoundText is the line found, trimmed and at most 1,000 bytes.
	FoundText string `json:"found_text,omitempty"`
	// Score is 1 for equal text, and for Changed the similarity from 0 to 1:
	// 0.6 times that of the text and 0.4 times that of its surroundings.
	Score float64 `json:"score,omitempty"`
	// Candidates are the equal places of Ambiguous and near misses of Gone, at
	// most ten.
	Candidates []Place `json:"candidates,omitempty"`
}

// maxText bounds Result.FoundText and Place.Text, maxCandidates Result.Candidates.
const (
	maxText       = 1000
	maxCandidates = 10
)
