package framework

import (
	"strings"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// ecosystemsOf returns the ecosystems of a language's frameworks; all ecosystems for a document language, which does not determine the
// program that serves the documents.
func ecosystemsOf(language string) []manifest.Ecosystem {
	switch strings.ToLower(language) {
	case "javascript", "typescript", "jsx", "tsx", "vue", "svelte", "astro", "coffeescript", "marko", "riot", "mdx", "ejs", "pug", "elm", "rescript":
		return []manifest.Ecosystem{manifest.NPM}
	case "php", "blade", "twig", "hack":
		return []manifest.Ecosystem{manifest.Composer}
	case "rust":
		return []manifest.Ecosystem{manifest.Cargo}
	case "python", "jupyter notebook", "cython":
		return []manifest.Ecosystem{manifest.PyPI}
	case "go", "templ":
		return []manifest.Ecosystem{manifest.Go}
	case "java", "kotlin", "groovy", "scala", "clojure":
		return []manifest.Ecosystem{manifest.Maven}
	case "ruby", "haml", "slim":
		return []manifest.Ecosystem{manifest.RubyGems}
	case "c#", "f#", "visual basic":
		return []manifest.Ecosystem{manifest.NuGet}
	case "elixir", "erlang":
		return []manifest.Ecosystem{manifest.Hex}
	case "dart":
		return []manifest.Ecosystem{manifest.Pub}
	case "swift":
		return []manifest.Ecosystem{manifest.SwiftPM}
	case "c", "c++", "gdscript", "qml":
		return []manifest.Ecosystem{manifest.Native}
	case "", "unknown", "html", "css", "scss", "sass", "less", "stylus", "markdown", "yaml", "json", "toml", "xml", "liquid", "html+erb", "mustache",
		"handlebars", "nunjucks", "jinja", "dockerfile", "makefile", "shell":
		return []manifest.Ecosystem{manifest.NPM, manifest.Composer, manifest.Cargo, manifest.PyPI, manifest.Go, manifest.Maven, manifest.RubyGems}
	}
	return nil
}
