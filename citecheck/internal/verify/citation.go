package verify

// Citation is one statement about the code: this text is at this place. Checks, reports and JSON use the same word.
type Citation struct {
	// Path is relative to the folder that the Checker was opened with, with slashes; backslashes are read as slashes unless a file has them
	// in its name.
	Path string `json:"path"`
	// Line counts from 1; 0 means the file as a whole. EndLine is the last line
	// of a range, 0 for a single line.
	Line    int `json:"line,omitempty"`
	EndLine int `json:"end_line,omitempty"`
	// Snippet is the cited text or a part of it; several lines are a block that starts at Line. When it is empty, git's history determines
	// the text of the line.
	Snippet string `json:"snippet,omitempty"`
	// After and Before are lines close above and below the cited text, for a text that is not distinctive by itself; usually empty.
	After  string `json:"after,omitempty"`
	Before string `json:"before,omitempty"`
	// Surroundings are stored with the citation (textfile.Surroundings), empty when not known. They decide when there is no history.
	Surroundings string `json:"-"`
	// Commit is where Line was right, a full or abbreviated object name, empty
	// when not known. A commit that does not fit the snippet is passed over.
	Commit string `json:"-"`
	// Source is the position of the citation itself (the memory's path relative to the Checker's folder, and line). When Commit is empty
	// and the text alone does not settle the verdict, the commit that last touched that line is used.
	Source Source `json:"-"`
	// Verified is the day, in UTC as 2006-01-02, on which the citation was found right according to the memory; empty when it has no such
	// day. When no other commit is known, the commits of that day decide which of several equal lines was meant.
	Verified string `json:"-"`
	// Together names the citing document. Citations with the same name were usually written at the same time, which distinguishes equal
	// lines. Empty when not known.
	Together string `json:"-"`
}

// Source is the place of a citation's own text.
type Source struct {
	Path string
	Line int // from 1; 0 when not known
	// Holds reports whether a line of an older version of the memory also contains the citation, so that the citation is older than other
	// edits of its line. When Holds is nil, the line's last commit counts as the citation's.
	Holds func(line []byte) bool
}

// Verdict is the state of a citation. The texts are part of the contract with programs that read them.
type Verdict string

// The verdicts.
const (
	Valid        Verdict = "valid"        // the text is where the citation says
	Moved        Verdict = "moved"        // the same text is at another line, perhaps of another file
	Renamed      Verdict = "renamed"      // git knows the file's new name, and the same text is in it
	Changed      Verdict = "changed"      // similar or edited text, a suggestion with a score
	Gone         Verdict = "gone"         // neither the text nor anything like it is left
	Ambiguous    Verdict = "ambiguous"    // several equal places, and nothing decides among them
	Unverifiable Verdict = "unverifiable" // nothing to check against: no snippet and no commit, binary, submodule
	Outside      Verdict = "outside"      // the path leaves the repository; it was not read
)

// Verdicts are all verdicts, best first.
func Verdicts() []Verdict {
	return []Verdict{Valid, Moved, Renamed, Changed, Ambiguous, Gone, Outside, Unverifiable}
}

// True reports whether the citation's statement still holds, perhaps elsewhere.
func (v Verdict) True() bool { return v == Valid || v == Moved || v == Renamed }

// Checkable reports whether the verdict counts at all.
func (v Verdict) Checkable() bool { return v != Unverifiable }

// Fixable reports whether the citation can be rewritten without review: the same text is known to be at Result.Path and Result.Line.
func (v Verdict) Fixable() bool { return v == Moved || v == Renamed }

// Place is a line of a file.
type Place struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text,omitempty"` // the line, trimmed and at most maxText bytes
}

// Result is the verdict on one citation, together with the citation. Its JSON is a part of reports, and a contract.
type Result struct {
	Citation
	Verdict Verdict `json:"verdict"`
	// Low means that a valid citation is only likely: the text at its line is commented out or only a part of the line, and nothing shows
	// that it was so before.
	Low bool `json:"low_certainty,omitempty"`
	// Reason is one sentence for people.
	Reason string `json:"reason"`
	// FoundPath, FoundLine and FoundEnd are the current place: for Valid the citation's own, for Moved, Renamed and Changed the (suggested)
	// new one, else empty. FoundEnd is 0 for a citation of a single line.
	FoundPath string `json:"found_path,omitempty"`
	FoundLine int    `json:"found_line,omitempty"`
	FoundEnd  int    `json:"found_end_line,omitempty"`
	// Around are the current surroundings of a valid citation, to be stored with it as Surroundings for later checks. Only set when Options
	// request it.
	Around string `json:"-"`
	// FoundText is the line found, trimmed and at most 1,000 bytes.
	FoundText string `json:"found_text,omitempty"`
	// Score is 1 for equal text, and for Changed the similarity from 0 to 1:
	// 0.6 times that of the text and 0.4 times that of its surroundings.
	Score float64 `json:"score,omitempty"`
	// Candidates are the equal places of Ambiguous, near misses of Gone, and the
	// new name of the file of an Unverifiable line, at most ten.
	Candidates []Place `json:"candidates,omitempty"`
}

// maxText bounds Result.FoundText and Place.Text, maxCandidates Result.Candidates.
const (
	maxText       = 1000
	maxCandidates = 10
)
