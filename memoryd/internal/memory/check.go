package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/text/words"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Limits of a memory.
const (
	MaxContent   = text.MaxBody // bytes
	MaxTitle     = text.MaxName
	MaxSummary   = 2 << 10
	MaxContext   = 2 << 10
	MaxTags      = 50
	MaxItems     = 50
	MaxCitations = 50
	MaxSnippet   = 4 << 10
)

const (
	headlineLimit = 120 // bytes of the line that stands for a memory in lists
	slugWords     = 6   // words in a generated key
)

// headline is the one line that stands for a memory.
func (m Memory) headline() string {
	for _, s := range []string{m.Title, m.Summary, m.Content} {
		if line := text.FirstLine(s, headlineLimit); line != "" {
			return line
		}
	}
	return m.Key
}

// Slug returns the key of a memory that is given none, made from its first words.
func Slug(s string) string {
	var b strings.Builder
	count := 0
	for _, word := range strings.FieldsFunc(strings.ToLower(text.FirstLine(s, 400)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
	}) {
		if words.Empty(word) {
			continue
		}
		if b.Len()+len(word) > 60 || count == slugWords {
			break
		}
		if count > 0 {
			b.WriteByte('-')
		}
		b.WriteString(word)
		count++
	}
	if count == 0 {
		sum := sha256.Sum256([]byte(s))
		return "note-" + hex.EncodeToString(sum[:4])
	}
	return b.String()
}

// checkType accepts a memory type; field names the parameter.
func checkType(field, t string) (string, error) {
	t = text.Key(strings.TrimSpace(t))
	if slices.Contains(Types(), t) {
		return t, nil
	}
	f := fault.Validation(field, "memory type %q is not known", t)
	if t == "" {
		f = fault.Validation(field, "no memory type is given")
	}
	return "", f.WithHint("use one of %s", strings.Join(Types(), ", "))
}

// GivenImportance returns the importance of a New from a caller's n: nil becomes 0, which leaves the importance as it was. An n outside 1
// to 5, including 0, is a Validation fault.
func GivenImportance(n *int) (int, error) {
	if n == nil {
		return 0, nil
	}
	return *n, checkImportance("importance", *n)
}

func checkImportance(field string, n int) error {
	if n < MinImportance || n > MaxImportance {
		return fault.Validation(field, "importance %d is outside %d to %d", n, MinImportance, MaxImportance).
			WithHint("1 is nice to know, 5 is never forgotten automatically")
	}
	return nil
}

func checkConfidence(c float64) error {
	if !(c >= 0 && c <= 1) { // also refuses NaN
		return fault.Validation("confidence", "confidence %v is outside 0 to 1", c).WithHint("1 is certain, 0 is refuted")
	}
	return nil
}

// checkTags returns the tags in lower case, without duplicates, in order.
func checkTags(tags []string) ([]string, error) {
	if len(tags) > MaxTags {
		return nil, fault.Validation("tags", "%d tags are given, the limit is %d", len(tags), MaxTags).WithHint("give fewer")
	}
	kept := make([]string, 0, len(tags))
	for _, tag := range tags {
		tag, err := text.Name("tags", text.Key(strings.TrimSpace(tag)))
		if err != nil {
			return nil, err
		}
		kept = append(kept, tag)
	}
	slices.Sort(kept)
	return slices.Compact(kept), nil
}

// checkItems returns the names of items without duplicates.
func checkItems(refs []string) ([]string, error) {
	if len(refs) > MaxItems {
		return nil, fault.Validation("related_items", "%d related items are given, the limit is %d", len(refs), MaxItems).WithHint("give fewer")
	}
	kept := make([]string, 0, len(refs))
	for _, ref := range refs {
		ref, err := text.Name("related_items", strings.TrimSpace(ref))
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(kept, func(k string) bool { return text.Key(k) == text.Key(ref) }) {
			kept = append(kept, ref)
		}
	}
	return kept, nil
}

// limited accepts a text of several lines up to limit bytes.
func limited(field, s string, limit int) (string, error) {
	s, err := text.Verbatim(field, s)
	if err == nil && len(s) > limit {
		return "", fault.Validation(field, "%s is %d bytes long, the limit is %d", field, len(s), limit).WithHint("give a shorter text")
	}
	return s, err
}

// check normalises a memory for storing, and returns the kinds of the secrets that it removed.
func (n *New) check() (redacted []string, err error) {
	if n.Type, err = checkType("memory_type", n.Type); err != nil {
		return nil, err
	}
	if n.Importance != 0 {
		if err := checkImportance("importance", n.Importance); err != nil {
			return nil, err
		}
	}
	if n.Confidence != nil {
		if err := checkConfidence(*n.Confidence); err != nil {
			return nil, err
		}
	}
	if n.Tags, err = checkTags(n.Tags); err != nil {
		return nil, err
	}
	if n.Citations, err = checkCitations(n.Citations); err != nil {
		return nil, err
	}
	if n.Items, err = checkItems(n.Items); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name  string
		into  *string
		limit int
	}{{"content", &n.Content, MaxContent}, {"title", &n.Title, MaxTitle}, {"summary", &n.Summary, MaxSummary},
		{"context", &n.Context, MaxContext}, {"thread", &n.Thread, MaxTitle}} {
		if *f.into, err = limited(f.name, *f.into, f.limit); err != nil {
			return nil, err
		}
	}
	if n.Content == "" {
		return nil, fault.Validation("content", "the memory has no content").WithHint("say what is to be remembered")
	}
	n.Title = oneLine(n.Title)
	if !n.AllowSecrets {
		texts := []*string{&n.Content, &n.Title, &n.Summary, &n.Context, &n.Key, &n.Thread}
		for i := range n.Citations {
			texts = append(texts, &n.Citations[i].Path, &n.Citations[i].Snippet)
		}
		redacted = takeOut(texts)
	}
	if n.Key == "" {
		return redacted, nil
	}
	n.Key, err = text.VerbatimName("key", strings.TrimSpace(n.Key))
	return redacted, err
}

// takeOut removes secrets from texts, and returns their kinds.
func takeOut(texts []*string) (kinds []string) {
	for _, s := range texts {
		clean, found := redact.Text(*s)
		*s = clean
		kinds = append(kinds, found...)
	}
	return kinds
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// ContentHash returns a hash of a text that ignores case and white space.
func ContentHash(s string) string {
	sum := sha256.Sum256([]byte(text.Key(oneLine(s))))
	return hex.EncodeToString(sum[:16])
}

// Expiry parses the time from which a memory is no longer shown: a date, RFC 3339, or a duration from now, in Go's form or in days (30d).
// Empty returns nil: never.
func Expiry(given string, now time.Time) (*timestamp.Time, error) {
	if given == "" {
		return nil, nil
	}
	if days, ok := strings.CutSuffix(given, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n < 100_000 {
			return &timestamp.Time{Time: now.AddDate(0, 0, n)}, nil
		}
	}
	if d, err := time.ParseDuration(given); err == nil && d > 0 {
		return &timestamp.Time{Time: now.Add(d)}, nil
	}
	if at, ok := moment(given); ok {
		return &timestamp.Time{Time: at}, nil
	}
	return nil, fault.Validation("expires", "%q is not a time", given).WithHint("give a date such as 2027-01-31, RFC 3339, or a duration such as 30d or 12h")
}

// NewExpiry parses the expiry of an update: like Expiry, or "never", which returns the zero time. Empty returns nil, which leaves the
// expiry as it was.
func NewExpiry(given string, now time.Time) (*timestamp.Time, error) {
	if given == "never" {
		return &timestamp.Time{}, nil
	}
	return Expiry(given, now)
}

// NotedAt parses the time at which a memory was noted: a date or RFC 3339. Empty returns the zero time, which stands for now.
func NotedAt(given string) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	if at, ok := moment(given); ok {
		return at, nil
	}
	return time.Time{}, fault.Validation("at", "%q is not a time", given).WithHint("give a date such as 2027-01-31, or RFC 3339")
}

func moment(given string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, given); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
