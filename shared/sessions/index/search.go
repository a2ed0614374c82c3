package index

import (
	"context"
	"strings"
	"time"
	"unicode"

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
	File    string         `json:"file"`            // of the client, where it stands
	Hits    int            `json:"hits"`            // places of the session that match
	// Held is the share of the question's words that stand in the place, 0 to 1, and Words how
	// many they are.
	Held  float64 `json:"-"`
	Words int     `json:"-"`
	// Began is when the session's first prompt was asked.
	Began   time.Time `json:"-"`
	lineage int64
}

// most is how many places one question weighs.
const most = 400

// common is how many places may hold a word that is asked for beside others: one that more
// places hold tells little, and takes long.
const common = 3000

// Search returns the best hits, each lineage once; without a question the newest first.
func (x *Index) Search(ctx context.Context, q Query) ([]Hit, error) {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	words := terms(q.Text)
	if len(words) == 0 {
		hits, err := x.hits(ctx, q, "")
		return hits, err
	}
	hits, err := x.hits(ctx, q, strings.Join(words, " AND "))
	if err != nil || len(hits) >= q.Limit || len(words) == 1 {
		return hits, err
	}
	var rare []string
	for _, w := range words {
		var n int
		if err := x.file.Get(ctx, `SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)`, []any{w, common}, &n); err != nil {
			return nil, err
		}
		if n > 0 && n < common {
			rare = append(rare, w)
		}
	}
	if len(rare) == 0 {
		return hits, nil
	}
	more, err := x.hits(ctx, q, strings.Join(rare, " OR "))
	if err != nil {
		return nil, err
	}
	have := map[int64]bool{}
	for _, h := range hits {
		have[h.lineage] = true
	}
	for _, h := range more {
		if !have[h.lineage] && len(hits) < q.Limit {
			hits = append(hits, h)
		}
	}
	return hits, nil
}

// asking are words that only ask.
var asking = " a an and are as at be been but by can could did do does for from had has have how i in is it its me my of on or our should so that the their then there these they this to was we were what when where which who why will with would you your "

// terms are the words of a question as the index takes them.
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

// hits are the places that match, one of each lineage.
func (x *Index) hits(ctx context.Context, q Query, match string) ([]Hit, error) {
	var from strings.Builder
	var args []any
	from.WriteString(`SELECT s.lineage, s.name, e.at, e.kind, p.project, p.folder, e.branch, e.text, e.path, e.failed, f.path, s.client FROM `)
	order := ` ORDER BY e.at DESC`
	if match != "" {
		from.WriteString(`words JOIN entries e ON e.id = words.rowid`)
		order = ` ORDER BY words.rank`
	} else {
		from.WriteString(`entries e`)
	}
	from.WriteString(` JOIN transcripts s ON s.id = e.session JOIN places p ON p.id = e.place JOIN files f ON f.id = e.file WHERE 1 = 1`)
	where := func(condition string, values ...any) {
		from.WriteString(" AND " + condition)
		args = append(args, values...)
	}
	if match != "" {
		where(`words MATCH ?`, match)
	}
	if q.Client != "" {
		where(`s.client = ?`, q.Client)
	}
	if q.Projects != nil {
		values := make([]any, len(q.Projects))
		for i, one := range q.Projects {
			values[i] = one
		}
		where(`p.project IN (`+strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")+`)`, values...)
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
	args = append(args, most)
	var found []Hit
	at := map[int64]int{}
	err := x.file.Each(ctx, func(scan func(...any) error) error {
		var h Hit
		var ms int64
		var kind int
		if err := scan(&h.lineage, &h.ID, &ms, &kind, &h.Project, &h.Folder, &h.Branch, &h.Text, &h.Path, &h.Failed, &h.File, &h.Client); err != nil {
			return err
		}
		if i, ok := at[h.lineage]; ok {
			found[i].Hits++
			return nil
		}
		if at[h.lineage] = len(found); len(found) == q.Limit {
			delete(at, h.lineage)
			return nil
		}
		h.At, h.Kind, h.Hits = timestamp.Of(time.UnixMilli(ms)), kindName(kind), 1
		if match != "" {
			h.Held, h.Words = held(h.Text, terms(q.Text))
			h.Text = around(h.Text, match)
		}
		found = append(found, h)
		return nil
	}, from.String()+order+` LIMIT ?`, args...)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].Title, found[i].Began, err = x.title(ctx, found[i].lineage); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// title is the first prompt of a lineage and its time, "" where it has none.
func (x *Index) title(ctx context.Context, lineage int64) (title string, at time.Time, err error) {
	var ms int64
	err = x.file.Each(ctx, func(scan func(...any) error) error {
		err := scan(&title, &ms)
		at = time.UnixMilli(ms)
		return err
	}, `SELECT substr(e.text, 1, 300), e.at FROM transcripts s JOIN entries e ON e.session = s.id WHERE s.lineage = ? AND e.kind = ? AND e.agent = 0 ORDER BY e.at LIMIT 1`, lineage, int(sessions.Prompt))
	return OneLine(title, 120), at, err
}

// Held is the share of a question's words that begin words of a text, 0 to 1, and how many words
// the question has that do more than ask.
func Held(text, question string) (share float64, words int) { return held(text, terms(question)) }

// held is the share of the words of a question that begin words of a text, by their first
// letters, since the index compares words without their endings.
func held(text string, words []string) (share float64, of int) {
	if len(words) == 0 {
		return 0, 0
	}
	text = " " + strings.Join(split(text), " ")
	n := 0
	for _, w := range words {
		w = strings.Trim(w, `"`)
		if strings.Contains(text, " "+cut(strings.TrimSuffix(w, "s"), stem)) {
			n++
		}
	}
	return float64(n) / float64(len(words)), len(words)
}

// stem is how many bytes of a word are compared where endings do not count.
const stem = 6

// split is the words of a text in small letters.
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

// around is the part of a text around the first word that matches.
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

// OneLine is the beginning of a text in one line.
func OneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		return cut(text, most) + "…"
	}
	return text
}
