package find

import (
	"strings"
	"unicode"
)

// isOther reports a line that is not a criterion in any place: a question, the result of a test, a link or a file, a numbered test case, a
// field of the tracker such as a priority, or a promise of the writer.
func isOther(text string) bool {
	t := strings.Trim(strings.TrimSpace(text), "*_")
	return strings.HasSuffix(t, "?") || isResult(t) || isPointer(t) || isTestCase(t) || isField(t) || promises(t)
}

// isResult reports the outcome of a test: "PASSED", "Verified on build 1.4.2", "QA: passed".
func isResult(text string) bool {
	lower := strings.ToLower(text)
	first, rest := cutWord(lower)
	if testings.has(first) {
		if word, behind := cutWord(rest); verdicts.has(word) && len(strings.Fields(behind)) <= 8 {
			return true
		}
	}
	if !verdicts.has(first) {
		return false
	}
	if rest == "" || strings.HasPrefix(text, strings.ToUpper(first)) && len(first) > 2 {
		return true
	}
	word, behind := cutWord(rest)
	return trials.has(word) && (strings.ContainsFunc(behind, unicode.IsDigit) || word == "by")
}

var (
	testings = set("qa uat test result results status")
	verdicts = set("passed pass failed fail verified tested retested validated ok blocked skipped")
	trials   = set("on in with by against at using")
)

// cutWord cuts off the first word, and returns it and the rest without the signs in between.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return s, ""
	}
	return s[:end], strings.TrimLeft(s[end:], " :–—-.,;\t")
}

// isPointer reports a line of nothing but addresses, paths and names of code.
func isPointer(text string) bool {
	words := strings.Fields(withoutAsides(text))
	for _, word := range words {
		word = strings.Trim(word, "`,;:()[]<>*")
		if word != "" && !isAddress(word) && !fillerOfPaths.has(strings.ToLower(word)) {
			return false
		}
	}
	return len(words) > 0
}

var fillerOfPaths = set("and or new see the in e g etc")

// isAddress reports a URL, or a path with a folder or a file extension.
func isAddress(word string) bool {
	if strings.Contains(word, "://") || strings.HasPrefix(word, "www.") {
		return true
	}
	if strings.ContainsFunc(word, unicode.IsSpace) || !strings.ContainsFunc(word, unicode.IsLetter) {
		return false
	}
	base := word[strings.LastIndexByte(word, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	extension := dot > 0 && dot+1 < len(base) && len(base)-dot <= 6 && strings.ToLower(base[dot+1:]) == base[dot+1:]
	return extension || strings.Count(word, "/") > 1 || strings.HasSuffix(word, "/") && strings.Contains(word, "/")
}

// isTestCase reports "TC-04 …", "Test case 3: …" and "Step 2: …".
func isTestCase(text string) bool {
	lower := strings.ToLower(strings.TrimLeft(text, "[(*# "))
	for _, name := range []string{"tc", "test case", "testcase", "test", "step", "ut", "qa"} {
		if rest, ok := strings.CutPrefix(lower, name); ok {
			rest = strings.TrimLeft(rest, " -_#")
			digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
			if digits > 0 && digits < 5 && len(rest) < len(lower) && (digits == len(rest) || strings.ContainsRune(" :.)]-–", rune(rest[digits]))) {
				return true
			}
		}
	}
	return false
}

// isField reports a property of the ticket, not of the product: "Priority: high". A sentence behind the colon makes it more than a field.
func isField(text string) bool {
	name, value, found := strings.Cut(text, ":")
	key := labelKey(name)
	if !found || len(key) > 24 || !fields.has(strings.ReplaceAll(key, " ", "-")) {
		return false
	}
	return len(strings.Fields(value)) <= 5 && !hasModal(value) && !hasWords(value, behaviour) && !hasWords(value, states)
}

var fields = set("priority severity estimate estimated-effort estimated-time estimated-hours effort story-points points size complexity sprint epic assignee assigned-to reporter owner labels label component components " +
	"environment env os browser device operating-system version build branch type area risk milestone figma design designs mockup mockups wireframe wireframes link links url reference references ref docs " +
	"related related-to depends-on dependencies blocked-by blocks parent parent-issue parent-ticket ticket jira pr pull-request due due-date deadline tester tested-by reviewer author created updated date")

// promises reports statements that a template makes its writer confirm.
func promises(text string) bool {
	lower := strings.ToLower(text)
	for _, start := range []string{"i have ", "i've ", "i agree", "i confirm", "i understand", "i acknowledge", "i certify", "i did ", "i "} {
		if rest, ok := strings.CutPrefix(lower, start); ok {
			first, _ := cutWord(rest)
			if start == "i " {
				return authored.has(first)
			}
			return strings.HasPrefix(start, "i a") || strings.HasPrefix(start, "i c") || strings.HasPrefix(start, "i u") || start == "i did " || deeds.has(first)
		}
	}
	return false
}

var (
	authored = set("added updated tested ran read searched checked followed reviewed signed reproduced")
	deeds    = set("read searched checked tested added updated submitted included reviewed followed made looked verified run ran written attached assigned signed provided reproduced tried")
)

// states are words of sentences about how something is.
var states = set("is are was were has have does do doesn't don't can cannot can't will won't must should shall may no not never only gets get becomes shows displays returns remains stays works appears contains includes")

// statesOutcome reports a line of a test about the expected outcome. Lines about the tester's next action are steps.
func statesOutcome(text string) bool {
	if hasModal(text) || hasWords(text, expectations) || hasWords(text, behaviour) {
		return true
	}
	return !isTask(text) && hasVerb(text)
}

var expectations = set("verify verifies confirm ensure expect expected assert observe")

// isTask reports a line that orders a piece of work and makes no statement about the product: "Implement the parser", "Tests for the API".
func isTask(text string) bool {
	first, _ := cutWord(strings.ToLower(text))
	return imperatives.has(first) && !hasModal(text) || gerunds.has(first)
}

// saysState reports a statement about the product that can be checked: it has a verb, and is not an order.
func saysState(text string) bool {
	if isTask(text) || isOther(text) {
		return false
	}
	return hasModal(text) || hasWords(text, behaviour) || hasVerb(text)
}

// hasVerb guesses whether a line has a verb: an auxiliary, or a word near its beginning with the ending of the third person ("the view
// scrolls to now").
func hasVerb(text string) bool {
	if hasWords(text, states) {
		return true
	}
	words := strings.Fields(text)
	for i, word := range words {
		word = strings.ToLower(strings.Trim(word, "`,.;:\"'"))
		if i > 0 && i < 8 && i+1 < len(words) && len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") {
			return true
		}
	}
	return false
}

var (
	imperatives = set("add allow analyse analyze apply ask audit bring build bump call change check choose clean clear click close collect commit compare configure confirm connect consider convert copy create define delete deploy describe design " +
		"develop discuss document download drop edit enable enhance enter evaluate expand explore export extend extract find fix follow generate get go implement import improve include increase insert install integrate introduce investigate " +
		"launch load log look make manage map merge migrate modify monitor move navigate open optimise optimize paste perform pick plan prepare press provide publish put read rebuild redesign reduce refactor release remove rename replace " +
		"repeat research restart return review rewrite rotate run save scroll search select send set setup show start stop submit support switch take tap test track translate try turn type uninstall update upgrade upload use validate verify wait wire write")
	gerunds = set("adding building changing creating documenting fixing implementing improving integrating investigating migrating moving refactoring removing renaming replacing setting testing updating upgrading writing")
)
