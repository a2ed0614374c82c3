package framework

import (
	"slices"
	"strings"
	"sync"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// table joins the ecosystems' rows on first use. To add a framework, add its row in the file of its ecosystem, before the rows that it is
// built on, and its fixture in testdata/rows.
var table = sync.OnceValue(func() []*row {
	all := make([]*row, 0, 800)
	for _, part := range []struct {
		eco  manifest.Ecosystem
		rows []row
	}{
		{manifest.NPM, npmRows},
		{manifest.PyPI, pypiRows},
		{manifest.RubyGems, rubyRows},
		{manifest.Composer, composerRows},
		{manifest.Go, goRows},
		{manifest.Cargo, cargoRows},
		{manifest.Maven, mavenRows},
		{manifest.NuGet, nugetRows},
		{manifest.Hex, hexRows},
		{manifest.Pub, pubRows},
		{manifest.SwiftPM, swiftRows},
		{manifest.Native, nativeRows},
	} {
		for i := range part.rows { // in place: copying them would take a noticeable part of a short command's time
			part.rows[i].eco = part.eco
			all = append(all, &part.rows[i])
		}
	}
	return all
})

// languages are the languages of an ecosystem's frameworks.
var languages = map[manifest.Ecosystem][]string{
	manifest.NPM:      {"javascript", "typescript", "jsx", "tsx", "vue", "svelte", "astro", "coffeescript", "marko", "riot", "mdx", "ejs", "pug", "elm", "rescript"},
	manifest.Composer: {"php", "blade", "twig", "hack"},
	manifest.Cargo:    {"rust"},
	manifest.PyPI:     {"python", "jupyter notebook", "cython"},
	manifest.Go:       {"go", "templ"},
	manifest.Maven:    {"java", "kotlin", "groovy", "scala", "clojure"},
	manifest.RubyGems: {"ruby", "haml", "slim"},
	manifest.NuGet:    {"c#", "f#", "visual basic"},
	manifest.Hex:      {"elixir", "erlang"},
	manifest.Pub:      {"dart"},
	manifest.SwiftPM:  {"swift"},
	manifest.Native:   {"c", "c++", "gdscript", "qml"},
}

// documents are the languages that do not determine the program that serves the documents.
var documents = []string{
	"", "unknown", "html", "css", "scss", "sass", "less", "stylus", "markdown", "yaml", "json", "toml", "xml", "liquid", "html+erb", "mustache",
	"handlebars", "nunjucks", "jinja", "dockerfile", "makefile", "shell",
}

// ecosystemsOf returns the ecosystems of a language's frameworks; all ecosystems for a document language.
func ecosystemsOf(language string) []manifest.Ecosystem {
	language = strings.ToLower(language)
	if slices.Contains(documents, language) {
		return []manifest.Ecosystem{manifest.NPM, manifest.Composer, manifest.Cargo, manifest.PyPI, manifest.Go, manifest.Maven, manifest.RubyGems}
	}
	for eco, own := range languages {
		if slices.Contains(own, language) {
			return []manifest.Ecosystem{eco}
		}
	}
	return nil
}
