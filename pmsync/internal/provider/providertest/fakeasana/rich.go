package fakeasana

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// The allowed elements of texts (https://developers.asana.com/docs/rich-text).
var (
	storyElements = []string{"body", "strong", "em", "u", "s", "code", "ol", "ul", "li", "a", "blockquote", "pre"}
	noteElements  = append([]string{"h1", "h2", "hr", "table", "tr", "td"}, storyElements...)
)

// plainText returns the text of rich text. Invalid XML and other elements are refused, as in Asana.
func plainText(field, rich string, elements []string) (string, *failure) {
	d := xml.NewDecoder(strings.NewReader(rich))
	var b strings.Builder
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && depth == 0 {
			break
		}
		if err != nil {
			return "", fail(400, "%s: XML is invalid", field)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if !slices.Contains(elements, t.Name.Local) || (depth == 0) != (t.Name.Local == "body") {
				return "", fail(400, "%s: XML is invalid: unsupported element %s", field, t.Name.Local)
			}
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			b.Write(t)
		}
	}
	return b.String(), nil
}

// richNotes are the notes as rich text.
func (t *task) richNotes() string {
	if t.html != "" {
		return t.html
	}
	return "<body>" + escape(t.notes) + "</body>"
}
