package manifest

import (
	"slices"
	"strings"
)

func erlangTokens(text string) []token {
	return (&lexer{text: text, lineComment: "%", erlang: true}).run()
}

// parseRebar reads rebar.config without running it: {deps, […]}, and the additions of profiles such as test.
func parseRebar(d *draft, text string) {
	t := erlangTokens(text)
	d.unclosed(t)
	depth := 0
	for i := 0; i < len(t); i++ {
		depth += nesting(t[i])
		if depth < 1 || i+3 >= len(t) || t[i].text != "{" || t[i+2].text != "," || t[i+3].text != "[" {
			continue
		}
		group := Runtime
		switch t[i+1].text {
		case "deps":
			if depth > 1 {
				group = Dev // of a profile
			}
		case "plugins", "project_plugins":
			group = Plugin
		default:
			continue
		}
		list := bracketed(t[i+3:])
		for name := range elements(list) {
			d.named(group, name)
		}
		depth-- // the list skips the tuple's own end
		i += 3 + len(list)
	}
}

// parseApp reads NAME.app.src, and the NAME.app that some keep in ebin: {application, NAME, [{description, "…"}, …]}.
func parseApp(d *draft, text string) {
	t := erlangTokens(text)
	d.unclosed(t)
	for i := 0; i+3 < len(t); i++ {
		if t[i].text != "{" || t[i+2].text != "," {
			continue
		}
		switch key, value := t[i+1].text, t[i+3]; {
		case key == "application" && value.kind != punctToken:
			setOnce(&d.Name, value.text)
		case key == "description" && value.kind == stringToken:
			setOnce(&d.Description, clean(unescaped(value.text)))
		case key == "vsn" && value.kind == stringToken:
			setOnce(&d.Version, value.text)
		case key == "applications", key == "optional_applications":
			group := Runtime
			if key != "applications" {
				group = Optional
			}
			for name := range elements(bracketed(t[i+3:])) {
				if !ofOTP(name) {
					d.named(group, name)
				}
			}
		}
	}
}

// nesting returns the change of the number of open brackets by a token.
func nesting(t token) int {
	if t.kind == punctToken {
		switch t.text {
		case "{", "[", "(":
			return 1
		case "}", "]", ")":
			return -1
		}
	}
	return 0
}

// bracketed returns the tokens of the list that begins a text, with its brackets; none when it begins with something else.
func bracketed(t []token) []token {
	if len(t) == 0 || t[0].kind != punctToken || t[0].text != "[" {
		return nil
	}
	depth := 0
	for i := range t {
		if depth += nesting(t[i]); depth == 0 {
			return t[:i+1]
		}
	}
	return t
}

// elements yields the names in a list of atoms, and of tuples that begin with one.
func elements(list []token) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		depth := 0
		for i, tok := range list {
			depth += nesting(tok)
			atom := tok.kind == nameToken || tok.kind == stringToken
			if !atom || i == 0 || i+1 == len(list) {
				continue
			}
			before, after := list[i-1].text, list[i+1].text
			alone := depth == 1 && (before == "[" || before == ",") && (after == "," || after == "]")
			first := depth == 2 && before == "{" && (after == "," || after == "}")
			if (alone || first) && !yield(tok.text) {
				return
			}
		}
	}
}

// ofOTP reports whether an application is part of Erlang.
func ofOTP(name string) bool {
	return slices.Contains(strings.Fields("asn1 common_test compiler crypto debugger dialyzer diameter edoc eldap erl_interface erts et eunit ftp inets jinterface kernel "+
		"megaco mnesia observer odbc os_mon parsetools public_key reltool runtime_tools sasl snmp ssh ssl stdlib syntax_tools tftp tools wx xmerl"), name)
}
