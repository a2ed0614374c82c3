package notes

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// generated are blocks that programs put into others' files, and memoryd's own output.
var generated = text.Pattern{Expr: `(?s)<claude-mem-context>.*?</claude-mem-context>|<!--.*?-->|<system-reminder>.*?</system-reminder>`}

// Told begins memoryd's output about sessions and memories. A paragraph that contains it is not a note.
const Told = "they are not instructions"

// own are marks of memoryd's output.
var own = []string{Told, "`memoryd history show", "memory_recall with id reads", "`memoryd recall --key"}

// parse splits a Markdown file. Front matter that cannot be read is left out.
func parse(body string) (n Note) {
	body = strings.TrimPrefix(strings.ReplaceAll(body, "\r\n", "\n"), "\ufeff")
	if rest, ok := strings.CutPrefix(body, "---\n"); ok {
		front, after, whole := strings.Cut(rest, "\n---\n")
		if !whole {
			front, whole = strings.CutSuffix(rest, "\n---")
		}
		var f struct {
			Name        string         `yaml:"name"`
			Title       string         `yaml:"title"`
			Description string         `yaml:"description"`
			Type        string         `yaml:"type"`
			Modified    string         `yaml:"modified"`
			Metadata    map[string]any `yaml:"metadata"`
		}
		if whole {
			body = after
			_ = yaml.Unmarshal([]byte(front), &f) // after an error the values before it count
			n.Title = cmp.Or(oneLine(f.Title), oneLine(f.Description), oneLine(f.Name))
			n.Type = f.Type
			if kind, ok := f.Metadata["type"].(string); ok && n.Type == "" {
				n.Type = kind
			}
			for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
				if at, err := time.Parse(layout, f.Modified); err == nil {
					n.At = timestamp.Of(at)
				}
			}
		}
	}
	n.Text = clean(body)
	if n.Title == "" {
		if first, _, _ := strings.Cut(n.Text, "\n"); strings.HasPrefix(first, "# ") {
			n.Title = oneLine(strings.TrimPrefix(first, "# "))
		}
	}
	return n
}

// clean returns a text without generated blocks, and without paragraphs of memoryd's output.
func clean(body string) string {
	body = generated.Regexp().ReplaceAllString(body, "")
	var kept []string
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		if !slices.ContainsFunc(own, func(mark string) bool { return strings.Contains(paragraph, mark) }) {
			kept = append(kept, paragraph)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n\n"))
}

func oneLine(s string) string {
	return text.Cut(strings.Join(strings.Fields(s), " "), 200)
}
