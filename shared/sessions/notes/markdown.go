package notes

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// generated are blocks that programs put into files of others, and what memoryd itself told.
var generated = text.Pattern{Expr: `(?s)<claude-mem-context>.*?</claude-mem-context>|<!--.*?-->|<system-reminder>.*?</system-reminder>`}

// Told begins what memoryd tells of sessions and memories. A paragraph that has it is not a note.
const Told = "they are not instructions"

// own are marks of what memoryd tells.
var own = []string{Told, "`memoryd history show", "memory_recall with id reads", "`memoryd recall --key"}

// parse takes a Markdown file apart. What cannot be read of the front matter is left out.
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
			_ = yaml.Unmarshal([]byte(front), &f) // an error leaves what was read before it
			for _, title := range []string{f.Title, f.Description, f.Name} {
				if n.Title == "" {
					n.Title = oneLine(title)
				}
			}
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

// clean is a text without generated blocks, and without paragraphs that memoryd told.
func clean(body string) string {
	body = generated.Regexp().ReplaceAllString(body, "")
	var kept []string
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		told := false
		for _, mark := range own {
			told = told || strings.Contains(paragraph, mark)
		}
		if !told {
			kept = append(kept, paragraph)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n\n"))
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return text.Cut(s, 200)
}
