package agentsmd

import (
	"slices"
	"strings"
)

// Domain returns the known word for the kind of project that a description names: "CLI", "API", "CMS", "library"; "" when there is none.
// Only the subject of the sentence counts: an ecosystem for APIs is not an API, and a generator that is aware of blogs is not a blog.
func Domain(description string) string {
	for _, phrase := range nounPhrases(description) {
		if domain := domainOf(phrase); domain != "" {
			return domain
		}
	}
	for _, verb := range []string{" serves an ", " serves a ", " exposes an ", " exposes a "} {
		if _, served, ok := strings.Cut(description, verb); ok {
			for _, phrase := range nounPhrases(served) {
				return domainOf(phrase)
			}
		}
	}
	return ""
}

// nounPhrases returns the phrases that name a description's subject: the words before "for", "that" and similar words, and those after a
// comma and an article.
func nounPhrases(description string) (all [][]string) {
	if _, rest, ok := predicate(description); ok {
		description = rest
	} else if name, rest, ok := strings.Cut(description, ": "); ok && len(strings.Fields(name)) <= 3 {
		description = rest
	} else if name, rest, ok := strings.Cut(description, " - "); ok && len(strings.Fields(name)) <= 3 {
		description = rest
	}
	ended := false // the subject was named; text behind a comma is about its parts or purpose
	for i, part := range strings.FieldsFunc(description, func(r rune) bool { return strings.ContainsRune(",;:(.", r) || r == '–' || r == '—' }) {
		words := strings.Fields(strings.ToLower(part))
		if i > 0 && (ended || len(all) > 0 && len(all[len(all)-1]) > 1) && !(len(words) > 1 && (words[0] == "a" || words[0] == "an")) {
			continue
		}
		end := len(words)
		for j, word := range words {
			if j > 0 && slices.Contains(joining, word) {
				end, ended = j, true
				break
			}
		}
		var phrase []string
		for _, word := range words[:end] {
			phrase = append(phrase, strings.Trim(word, "\"'`*_!?"))
		}
		if len(phrase) > 0 {
			all = append(all, phrase)
		}
	}
	return all
}

// joining are the words that begin a thing's purpose, material or company.
var joining = []string{
	"for", "to", "that", "which", "containing", "with", "using", "built", "of", "in", "on", "by", "from", "designed", "written", "based", "where", "and", "or", "like", "as", "inside", "under", "powered", "made", "featuring",
	"allowing", "providing", "-", "|", "+", "/", "&", "at", "via", "is", "it", "when", "without", "against", "running", "used", "implemented", "supporting", "inspired",
}

// domainOf reads a noun phrase by its last word, and by the one before it when that makes the difference.
func domainOf(words []string) string {
	text := " " + strings.NewReplacer("-", " ", "/", " ").Replace(strings.Join(words, " ")) + " "
	ends := func(all ...string) bool {
		return slices.ContainsFunc(all, func(end string) bool { return strings.HasSuffix(text, " "+end+" ") })
	}
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(part string) bool { return strings.Contains(text, " "+part+" ") })
	}
	program := ends("tool", "utility", "utilities", "app", "application", "program", "client", "interface", "system", "project", "solution", "software", "server", "site", "website", "platform", "service", "engine", "toolkit", "suite")
	switch {
	case ends("example", "sample", "demo", "tutorial", "examples", "samples", "demos", "tutorials"), has("example", "sample", "demo") && ends("application", "app", "project", "code", "repository"):
		return "example"
	case ends("cms", "content management system"), has("cms", "content management") && program:
		return "CMS"
	case ends("crm"), has("crm", "customer relationship management") && program:
		return "CRM"
	case ends("ecommerce", "e commerce", "webshop", "storefront", "online store", "online shop"), has("ecommerce", "e commerce", "online shop", "online store") && program:
		return "e-commerce"
	case ends("blog"), has("blog", "blogging") && ends("site", "website", "platform", "engine", "system", "app", "application"):
		return "blog"
	case ends("tui", "terminal ui", "terminal user interface"), has("tui", "terminal ui", "terminal user interface") && program:
		return "TUI"
	case ends("cli", "command line", "command line interface"), has("cli", "command line") && program:
		return "CLI"
	case ends("sdk"):
		return "SDK"
	case ends("api", "microservice", "web service", "rest service"), ends("backend", "back end") && (len(words) <= 2 || has("api", "rest", "web", "server", "app", "application", "http", "graphql")), has("api", "backend", "rest") && ends("server", "service", "application", "app"):
		return "API"
	case ends("game"):
		return "game"
	case ends("bot", "chatbot"):
		return "bot"
	case ends("compiler", "interpreter", "transpiler"):
		return "compiler"
	case ends("database", "database management system"):
		return "database"
	case ends("dashboard"):
		return "dashboard"
	case ends("plugin", "extension", "addon", "add on"):
		return "plugin"
	case ends("website", "site", "homepage") && !has("static", "documentation"):
		return "website"
	case has("mobile", "android", "ios") && ends("app", "application"):
		return "mobile app"
	case has("desktop") && ends("app", "application", "client"):
		return "desktop app"
	case ends("framework"):
		return "framework"
	case ends("library", "libraries", "toolkit", "package", "module"):
		return "library"
	case ends("platform"):
		return "platform"
	case ends("web app", "webapp", "web application"):
		return "web app"
	case ends("server", "daemon", "service"):
		return "service"
	case ends("tool", "utility"):
		return "tool"
	case ends("theme"):
		return "theme"
	case ends("template", "starter", "boilerplate", "skeleton", "starter kit"):
		return "template"
	}
	return ""
}

// ForCommandLine reports whether a description fits a program for the command line.
func ForCommandLine(description string) bool {
	if strings.Contains(description, "(1)") {
		return true // a page of the manual for commands
	}
	return hasWord(description, "cli", "command", "commands", "terminal", "tool", "tools", "toolkit", "utility", "shell", "console", "runner", "tui", "program", "manager", "git", "linter", "formatter", "generator", "compiler", "script", "scripts", "finder", "viewer", "converter")
}

// Serves reports whether a description fits a program that answers requests.
func Serves(description string) bool {
	return hasWord(description, "server", "servers", "serve", "serves", "serving", "service", "services", "web", "http", "rest", "api", "apis", "proxy", "gateway", "webhook", "webhooks", "dashboard", "platform", "backend", "hosted", "hosting", "registry", "broker")
}

// Server reports whether a description calls a program a server, or one for the web.
func Server(description string) bool {
	return hasWord(description, "server", "web", "webserver")
}
