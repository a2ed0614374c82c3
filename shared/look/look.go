// Package look is the one visual language of the suite's pages: what `agit web` serves,
// and the single pages that commands write for mails and CI. Colours, type and spacing
// stand in look.css, as custom properties, and nowhere else.
package look

import (
	_ "embed"
	"html/template"
)

//go:embed look.css
var sheet string

// CSS is the style sheet.
func CSS() string { return sheet }

// Inline is the style sheet for the style element of a template's page.
// It is ours, and holds nothing of anyone else.
func Inline() template.CSS { return template.CSS(sheet) }
