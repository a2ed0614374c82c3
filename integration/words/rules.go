package main

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rule is a form to avoid. It is applied to one sentence.
type rule struct {
	out   *regexp.Regexp
	plain string
	but   *regexp.Regexp // what else the form may be part of
}

// things are data and documents: people and programs say, tell, know and ask, they do not.
const things = `(rows?|tables?|columns?|files?|fields?|values?|keys?|flags?|lines?|lists?|registry|tests?|schemas?|commits?|versions?|status|indexes|index|documents?|pages?|reports?|hash|state|configuration|settings?|marks?|names?|numbers?|counts?|dates?|results?|errors?|answers?|types?|constants?|variables?|branch(es)?|worktrees?)`

var rules = []rule{
	{out: regexp.MustCompile(`(?i)\b(\w+ )?(is|are|was|were) no \w+`), plain: `write "is not a …"`,
		but: regexp.MustCompile(`(?i)\bthere (is|are|was|were) no |(is|are|was|were) no (longer|more|less|further|worse|better|one)\b`)},
	{out: regexp.MustCompile(`(?i)\bgives\b( back)?`), plain: `write "returns", or the verb of what it does`},
	{out: regexp.MustCompile(`(?i)\b(no|some|any)body\b`), plain: `name who: no agent, another agent, a person; in a comment, no one or someone`},
	{out: regexp.MustCompile(`(?i)\bto be had\b`), plain: `write "available"`},
	{out: regexp.MustCompile(`(?i)\b(seldom|ever so often)\b`), plain: `write "rarely"`},
	{out: regexp.MustCompile(`(?i)\bshall\b`), plain: `write "must" or "will"`},
	{out: regexp.MustCompile(`(?i)\bsays? (so|which)\b`), plain: `write "reports it" or "names it"`},
	{out: regexp.MustCompile(`(?i)\b(is|are|was|were) not there\b|\b(is|are|was|were) there([.,;:)]|$)`), plain: `write "exists" or "does not exist"`,
		but: regexp.MustCompile(`\?`)},
	{out: regexp.MustCompile(`(?i)\band (so on|the like)\b`), plain: `name the others, or stop`},
	{out: regexp.MustCompile(`(?i)(^|[.;:] )without one, |, of which\b|\bin whose\b`), plain: `write a sentence of its own`},
	{out: regexp.MustCompile(`(?i)\blonger than nothing\b`), plain: `write "not empty"`},
	{out: regexp.MustCompile(`(?i)\bends? a (claim|registration)\b`), plain: `write "releases a claim", "removes a registration"`},
	{out: regexp.MustCompile(`(?i)\bprocess of a session of its own\b`), plain: `write "a detached process"`},
	{out: regexp.MustCompile(`(?i)\b(the|a|an|its|this|that|each|every|no) (\w+ )?` + things + ` (says?|tells?|knows?|asks?)\b`), plain: `data does not speak: write "holds", "names", "contains" or what a reader does`},
	{out: regexp.MustCompile(`^(What|Whoever|One that|Those that|He who|They who) `), plain: `begin with a noun: the subject is a clause`,
		but: regexp.MustCompile(`^What to |\?`)},
}

// inSentence returns the rules that a sentence breaks, each with the words that break it.
func inSentence(sentence string) (out, plain []string) {
	for _, r := range rules {
		rest := sentence
		for at := r.out.FindStringIndex(rest); at != nil; at = r.out.FindStringIndex(rest) {
			words := rest[at[0]:at[1]]
			whole := words
			if r.but != nil && strings.HasSuffix(r.but.String(), `\?`) {
				whole = sentence // a question
			}
			if r.but == nil || !r.but.MatchString(whole) {
				out, plain = append(out, strings.TrimSpace(words)), append(plain, r.plain)
				break
			}
			if at[1] == 0 {
				break
			}
			rest = rest[at[1]:]
		}
	}
	return out, plain
}

// notBase are endings of verbs that are not in the imperative, and the verbs that end so anyway.
var (
	notBase   = regexp.MustCompile(`(?i)^\w+(ed|ing|s)$`)
	baseVerbs = regexp.MustCompile(`(?i)^(embed|need|feed|seed|speed|shed|bring|ring|string|spring|process|pass|address|focus|discuss|compress|express|press|cross|bypass|access|miss|guess|suppress|canvass|dismiss|assess)$`)
	speech    = regexp.MustCompile(`^(Say|Tell|Know|Hear|Speak|Ask)$`)
)

const longest = 72 // characters of a subject

// inSubject returns what is wrong with the subject of a commit.
func inSubject(subject string) (why []string) {
	if n := utf8.RuneCountInString(subject); n > longest {
		why = append(why, "it is longer than 72 characters")
	}
	first, _, _ := strings.Cut(subject, " ")
	letter, _ := utf8.DecodeRuneInString(first)
	switch {
	case !unicode.IsUpper(letter):
		why = append(why, "begin with a capital letter")
	case notBase.MatchString(first) && !baseVerbs.MatchString(first):
		why = append(why, "begin with a verb in the imperative: Add, not Added, Adds or Adding")
	case speech.MatchString(first):
		why = append(why, "name what changes, not what is said: Print, Name, Refuse, Document")
	}
	if strings.HasSuffix(subject, ".") {
		why = append(why, "end without a full stop")
	}
	out, plain := inSentence(subject)
	for i := range out {
		why = append(why, out[i]+": "+plain[i])
	}
	return why
}
