package agentsmd

import "strings"

// Domain gives the word for what a description says the project is: "CLI",
// "API", "CMS", "library"; "" when it uses none of the known ones. What it is
// stands before what it is for: a library for CLIs is a library.
func Domain(description string) string {
	head := description
	for _, apart := range []string{" for ", " to ", " that ", " which ", " containing ", " with ", " using ", " built ", " of "} {
		if before, _, ok := strings.Cut(head, apart); ok {
			head = before
		}
	}
	if domain := domainIn(head); domain != "" {
		return domain
	}
	return domainIn(description)
}

func domainIn(description string) string {
	words := wordsOf(description)
	has := func(all ...string) bool {
		for _, want := range all {
			for _, word := range words {
				if word == want || word == want+"s" {
					return true
				}
			}
		}
		return false
	}
	lower := strings.ToLower(description)
	switch {
	case has("cms") || strings.Contains(lower, "content management"):
		return "CMS"
	case has("crm"):
		return "CRM"
	case has("ecommerce", "webshop", "storefront") || strings.Contains(lower, "e-commerce") || strings.Contains(lower, "online store") || strings.Contains(lower, "online shop"):
		return "e-commerce"
	case has("blog"):
		return "blog"
	case has("cli") || strings.Contains(lower, "command line") || strings.Contains(lower, "command-line"):
		return "CLI"
	case has("tui") || strings.Contains(lower, "terminal ui"):
		return "TUI"
	case has("api", "backend", "microservice") || strings.Contains(lower, "web service") || strings.Contains(lower, "rest service"):
		return "API"
	case has("sdk"):
		return "SDK"
	case has("game"):
		return "game"
	case has("bot", "chatbot"):
		return "bot"
	case has("compiler", "interpreter", "transpiler"):
		return "compiler"
	case has("database"):
		return "database"
	case has("dashboard"):
		return "dashboard"
	case has("plugin", "extension", "addon"):
		return "plugin"
	case has("website", "site", "homepage"):
		return "website"
	case has("mobile", "android", "ios"):
		return "mobile app"
	case has("desktop"):
		return "desktop app"
	case has("framework"):
		return "framework"
	case has("library", "toolkit", "package", "module"):
		return "library"
	case has("platform"):
		return "platform"
	case has("server", "daemon", "service"):
		return "service"
	case strings.Contains(lower, "web app"), strings.Contains(lower, "webapp"), strings.Contains(lower, "web-based"):
		return "web app"
	case has("tool", "utility"):
		return "tool"
	case has("theme"):
		return "theme"
	case has("example", "sample", "demo", "tutorial"):
		return "example"
	case has("template", "starter", "boilerplate", "skeleton") && !has("engine"):
		return "template"
	}
	return ""
}
