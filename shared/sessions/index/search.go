package index

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Query selects sessions. Everything that is set must hold.
type Query struct {
	Text     string // a question in plain words; "" lists the newest sessions
	Client   string
	Projects []string // main folders; nil is all
	Since    time.Time
	Until    time.Time // before it; zero is now
	File     string    // a path, or the end of one, that an edit names
	Command  string    // words of a command
	Failed   bool      // commands that failed, and what they said
	Limit    int
}

// DefaultLimit is how many hits a Query without a limit returns at most.
const DefaultLimit = 10

// Hit is the best place of one session, or of sessions that share rows.
type Hit struct {
	ID      string         `json:"id"`
	Client  string         `json:"client"`
	Project string         `json:"project,omitempty"`
	Folder  string         `json:"folder,omitempty"`
	Branch  string         `json:"branch,omitempty"`
	At      timestamp.Time `json:"at"`
	Kind    string         `json:"kind"`
	Text    string         `json:"text"`
	Path    string         `json:"path,omitempty"`
	Failed  bool           `json:"failed,omitempty"`
	Title   string         `json:"title,omitempty"` // the session's first prompt
	File    string         `json:"file"`            // the client's file with the place
	Hits    int            `json:"hits"`            // places of the session that match
	// Held is the share of the question's words that occur in the place, 0 to 1; Words is how many words it has.
	Held  float64 `json:"-"`
	Words int     `json:"-"`
	// Began is when the session's first prompt was asked.
	Began   time.Time `json:"-"`
	lineage int64
}

// most is how many places of one question are ranked.
const most = 400

// Search returns the best hits, each lineage once; without a question the newest first.
func (x *Index) Search(ctx context.Context, q Query) ([]Hit, error) {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	words := terms(q.Text)
	if len(words) == 0 {
		return x.newest(ctx, q)
	}
	w, err := x.weigh(ctx, words)
	if err != nil {
		return nil, err
	}
	return x.best(ctx, q, w)
}

// asking are question words and other words without meaning for a search.
var asking = " a an and are as at be been but by can could did do does for from had has have how i in is it its me my of on or our should so that the their then there these they this to was we were what when where which who why will with would you your "

// terms returns the words of a question in the form of the index.
func terms(question string) (all []string) {
	seen := map[string]bool{}
	for _, w := range split(question) {
		if seen[w] || strings.Contains(asking, " "+w+" ") {
			continue
		}
		seen[w] = true
		all = append(all, `"`+w+`"`)
	}
	return all[:min(len(all), 24)]
}

// places returns the query for the places that a Query selects: those that match some words, or all with "". Scan them with place.
func places(q Query, match string) (query string, args []any) {
	var from strings.Builder
	where := func(condition string, values ...any) {
		from.WriteString(" AND " + condition)
		args = append(args, values...)
	}
	rank, order := "0", " ORDER BY e.at DESC"
	table := "entries e"
	if match != "" {
		rank, order = "words.rank", " ORDER BY words.rank"
		table = "words JOIN entries e ON e.id = words.rowid"
	}
	from.WriteString(`SELECT s.lineage, s.name, e.at, e.kind, p.project, p.folder, e.branch, e.text, e.path, e.failed, f.path, s.client, ` + rank + ` FROM ` + table +
		` JOIN transcripts s ON s.id = e.session JOIN places p ON p.id = e.place JOIN files f ON f.id = e.file WHERE 1 = 1`)
	if match != "" {
		where(`words MATCH ?`, match)
	}
	if q.Client != "" {
		where(`s.client = ?`, q.Client)
	}
	if q.Projects != nil {
		in, values := registry.In(q.Projects)
		where(`p.project IN (`+in+`)`, values...)
	}
	if !q.Since.IsZero() {
		where(`e.at >= ?`, q.Since.UnixMilli())
	}
	if !q.Until.IsZero() {
		where(`e.at < ?`, q.Until.UnixMilli())
	}
	switch {
	case q.File != "":
		where(`e.kind = ? AND (e.path = ? OR e.path LIKE ? ESCAPE '\')`, int(sessions.Edit), q.File, `%/`+escapeLike(strings.TrimPrefix(q.File, "/")))
	case q.Command != "":
		where(`e.kind = ? AND e.text LIKE ? ESCAPE '\'`, int(sessions.Command), `%`+escapeLike(q.Command)+`%`)
	}
	if q.Failed {
		where(`e.failed = 1`)
	}
	if match == "" && q.File == "" && q.Command == "" && !q.Failed {
		where(`e.kind = ?`, int(sessions.Prompt)) // a list of sessions names what was asked
	}
	return from.String() + order + ` LIMIT ?`, append(args, most)
}

// place reads one row of a query by places. rank is FTS5's bm25, lower for a better match.
func place(scan func(...any) error) (h Hit, rank float64, err error) {
	var ms int64
	var kind int
	err = scan(&h.lineage, &h.ID, &ms, &kind, &h.Project, &h.Folder, &h.Branch, &h.Text, &h.Path, &h.Failed, &h.File, &h.Client, &rank)
	h.At, h.Kind, h.Hits = timestamp.Of(time.UnixMilli(ms)), kindName(kind), 1
	return h, rank, err
}

// newest returns the newest lineages with a place that the query selects, and that place.
func (x *Index) newest(ctx context.Context, q Query) ([]Hit, error) {
	var found []Hit
	at := map[int64]int{}
	query, args := places(q, "")
	err := x.file.Each(ctx, func(scan func(...any) error) error {
		h, _, err := place(scan)
		if i, ok := at[h.lineage]; ok {
			found[i].Hits++
		} else if len(found) < q.Limit {
			at[h.lineage] = len(found)
			found = append(found, h)
		}
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return found, x.titles(ctx, found)
}

// titles fills in the first prompts of the sessions of hits.
func (x *Index) titles(ctx context.Context, found []Hit) (err error) {
	for i := range found {
		if found[i].Title, found[i].Began, err = x.title(ctx, found[i].lineage); err != nil {
			return err
		}
	}
	return nil
}

// title returns the first prompt of a lineage and its time, "" when it has none.
func (x *Index) title(ctx context.Context, lineage int64) (title string, at time.Time, err error) {
	var ms int64
	err = x.file.Each(ctx, func(scan func(...any) error) error {
		err := scan(&title, &ms)
		at = time.UnixMilli(ms)
		return err
	}, `SELECT substr(e.text, 1, 300), e.at FROM transcripts s JOIN entries e ON e.session = s.id WHERE s.lineage = ? AND e.kind = ? AND e.agent = 0 ORDER BY e.at LIMIT 1`, lineage, int(sessions.Prompt))
	return OneLine(title, 120), at, err
}

// Held returns the share of a question's words that begin words of a text, 0 to 1, and how many words the question has, question words not
// counted.
func Held(text, question string) (share float64, words int) { return held(text, terms(question)) }

// held returns the share of the words of a question that begin words of a text, and how many words there are.
func held(text string, words []string) (share float64, of int) {
	if len(words) == 0 {
		return 0, 0
	}
	text = spaced(text)
	n := 0
	for _, w := range words {
		if stands(text, w) {
			n++
		}
	}
	return float64(n) / float64(len(words)), len(words)
}

// spaced returns a text in lower case with one space before each word.
func spaced(text string) string { return " " + strings.Join(split(text), " ") }

// stands reports whether a term begins a word of a spaced text, by its first letters: the index
// compares words without their endings.
func stands(spaced, term string) bool {
	return strings.Contains(spaced, " "+cut(strings.TrimSuffix(strings.Trim(term, `"`), "s"), stem))
}

// stem is how many bytes of a word are compared when endings do not count.
const stem = 6

// split returns the words of a text in lower case.
func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func kindName(kind int) string {
	if kind == errorKind {
		return "error"
	}
	return sessions.Kind(kind).String()
}

func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}

// shown is how many bytes of a place a hit shows.
const shown = 300

// around returns the part of a text around the first word that matches.
func around(text, match string) string {
	if len(text) <= shown {
		return text
	}
	lower, first := strings.ToLower(text), len(text)
	for _, w := range strings.Fields(match) {
		w = strings.Trim(w, `"`)
		if at := strings.Index(lower, cut(w, stem)); at >= 0 && w != "AND" && w != "OR" {
			first = min(first, at)
		}
	}
	if first == len(text) || first < shown/2 || len(lower) != len(text) {
		return cut(text, shown) + "…"
	}
	rest := text[first-shown/4:]
	for i := range rest {
		if i > 0 {
			rest = rest[i:] // a whole character
			break
		}
	}
	if len(rest) <= shown {
		return "…" + rest
	}
	return "…" + cut(rest, shown) + "…"
}

// OneLine returns the beginning of a text in one line.
func OneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		return cut(text, most) + "…"
	}
	return text
}
