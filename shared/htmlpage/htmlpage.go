// Package htmlpage holds the one visual language of the suite's pages: the pages that `agit web` serves, and the single pages that commands
// write for mails and CI. Colours, type and spacing stand in page.css, as custom properties, and nowhere else.
package htmlpage

import _ "embed"

//go:embed page.css
var sheet string

// CSS is the style sheet, for a file or for the style element of a single page.
func CSS() string { return sheet }

// single are the rules that pages of one document share.
const single = `body { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
header p { color: var(--soft); margin: .2rem 0 1.2rem; }
h2 { margin: 2rem 0 .6rem; }
svg { max-width: 100%; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem; margin: 1.2rem 0; }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); padding: .5rem .7rem; }
dt { color: var(--soft); font-size: var(--small); } dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
`

// Policy is the content security policy of a single page: it allows the page's own style, and nothing else.
const Policy = `default-src 'none'; style-src 'unsafe-inline'; img-src 'none'`

// Begin returns the beginning of a single page, up to and including its body tag. The title must be escaped; more holds further style rules
// of this page.
func Begin(title, more string) string {
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="` + Policy + `">
<title>` + title + `</title>
<style>
` + sheet + single + more + `</style>
</head>
<body>
`
}
