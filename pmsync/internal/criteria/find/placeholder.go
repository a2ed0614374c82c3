package find

import (
	"slices"
	"strings"
	"unicode"
)

// isPlaceholder reports the remains of a template: nothing, dots, "criterion 1", brackets to be filled in, "Given [context], when [action],
// then [outcome]".
func isPlaceholder(s string) bool {
	key := labelKey(s)
	if strings.Trim(key, " 0123456789") == "" && !strings.ContainsFunc(s, unicode.IsLetter) {
		return true
	}
	if placeholderWords[strings.TrimSpace(strings.TrimRight(key, "0123456789 "))] || emptyWords[key] {
		return true
	}
	t := strings.Trim(strings.TrimSpace(s), "*_`. ")
	if n := len(t); n > 2 && n < 200 && (t[0] == '[' && strings.IndexByte(t, ']') == n-1 || t[0] == '<' && strings.IndexByte(t, '>') == n-1 ||
		t[0] == '{' && strings.Trim(t, "{}") == strings.Trim(strings.ReplaceAll(t, "}", ""), "{")) {
		return true
	}
	return startsWith(strings.ToLower(t), "e.g.", "e.g ", "eg.", "eg:", "example:", "ex:", "for example,", "z.b.", "insert ", "lorem ipsum", "_no response_", "no response") ||
		isUnfilled(t) || isInstruction(t) || isVague(key)
}

// isInstruction reports a template's instruction to its reader: "Describe the acceptance criteria here".
func isInstruction(s string) bool {
	first, rest, _ := strings.Cut(strings.ToLower(strings.Trim(s, "*_()[] ")), " ")
	if !instructs.has(first) || len(s) > 160 {
		return false
	}
	about := []string{"criteria", "criterion", "acceptance", "this issue", "the issue", "this ticket", "this story",
		"considered complete", "considered done", "must be true", "the conditions", "what must", "what needs to"}
	return slices.ContainsFunc(about, func(what string) bool { return strings.Contains(rest, what) }) ||
		strings.HasSuffix(rest, " here") || strings.HasSuffix(rest, " here.")
}

var instructs = set("add give list describe define specify enter write provide insert include fill use explain state put replace derive please what how outline")

// isVague reports a scenario with "something" in every step.
func isVague(key string) bool {
	vague := false
	for word := range strings.FieldsSeq(key) {
		switch {
		case strings.HasPrefix(word, "some"), word == "else":
			vague = true
		case !fillers.has(word):
			return false
		}
	}
	return vague
}

var emptyWords = map[string]bool{"": true, "tbd": true, "tba": true, "tbc": true, "todo": true, "to do": true, "to be defined": true, "to be determined": true, "to be added": true, "to be confirmed": true, "to be done": true, "n a": true, "na": true, "none": true, "xxx": true, "xx": true, "x": true, "none yet": true, "coming soon": true,
	"no response": true, "fill in": true, "fill me in": true, "add more": true, "add more as needed": true, "add here": true, "etc": true, "wip": true, "noch offen": true, "offen": true, "zu klären": true, "noch zu klären": true, "wird ergänzt": true, "folgt": true, "à définir": true, "à confirmer": true, "à préciser": true, "à compléter": true, "por definir": true, "a definir": true, "未定": true, "待定": true}

// placeholderWords stand in for a criterion, mostly followed by a number.
var placeholderWords = map[string]bool{"criterion": true, "criteria": true, "criteria here": true, "acceptance criteria": true, "acceptance criterion": true, "ac": true, "requirement": true, "requirements": true, "condition": true, "item": true, "first criterion": true, "second criterion": true, "third criterion": true,
	"first acceptance criterion": true, "second acceptance criterion": true, "your criteria here": true, "your criterion here": true, "add acceptance criteria": true, "add acceptance criteria here": true, "add criteria here": true, "list acceptance criteria": true, "list acceptance criteria here": true, "describe acceptance criteria": true, "acceptance criteria here": true,
	"specific measurable outcome": true, "kriterium": true, "critère": true, "criterio": true, "critério": true, "given when then": true, "given and when then": true, "given when and then": true, "given and when and then": true, "given and when and then and": true, "given when then and": true, "as a i want so that": true, "text": true, "some text": true, "task": true, "foo": true, "scenario": true, "scenario name": true, "title": true}

// fillers are the words of a sentence whose content is still in brackets.
var fillers = set("as a an i want to so that can be able given when then and but the is it user system should must will in order am have has of for if with on do does my at")

// isUnfilled reports a sentence whose content words are all in brackets.
func isUnfilled(s string) bool {
	opening, closing := "[<{", "]>}"
	if strings.Contains(s, "...") || strings.Contains(s, "…") { // "Given ... (your condition)"
		opening, closing = opening+"(", closing+")"
	}
	var open []rune
	var bracketed, outside int
	word := strings.Builder{}
	end := func() {
		if w := strings.ToLower(word.String()); w != "" && !fillers.has(w) {
			outside++
		}
		word.Reset()
	}
	for _, r := range s {
		switch {
		case strings.ContainsRune(opening, r):
			end()
			open = append(open, r)
		case strings.ContainsRune(closing, r):
			if len(open) > 0 {
				bracketed++
				open = open[:len(open)-1]
			}
		case len(open) > 0:
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word.WriteRune(r)
		case r == '…':
			bracketed++
			end()
		default:
			end()
		}
	}
	end()
	bracketed += strings.Count(s, "...") + strings.Count(s, "___")
	return bracketed > 0 && outside == 0
}
