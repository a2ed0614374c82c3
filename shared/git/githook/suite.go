package githook

import "bytes"

// Commits are memoryd's parts: commits are kept in the records of their agents.
// A machine without memoryd commits and pushes as before.
var Commits = [...]Part{commits("post-commit"), commits("pre-push")}

func commits(hook string) Part {
	return Part{
		Hook: hook, Program: "memoryd", ByHand: "memoryd hook " + hook,
		Lines: "# Commits are kept in the records of the agents that make them (memoryd hook " + hook + ").\n" +
			"if command -v memoryd >/dev/null 2>&1; then\n  memoryd hook " + hook + " </dev/null || true\nfi\n",
	}
}

// Citations is citecheck's part: a commit that makes a citation false is refused. A machine without citecheck commits as before.
var Citations = Part{
	Hook: "pre-commit", Program: "citecheck", ByHand: "citecheck hook run || exit $?",
	Lines: "# Citations of memories into files of this commit are checked (citecheck hook run).\n" +
		"if command -v citecheck >/dev/null 2>&1; then\n  citecheck hook run || exit $?\nfi\n",
	Option: "--instructions",
}

// Suite are the parts of all programs of the suite.
func Suite() []Part { return append(Commits[:], Citations) }

// Look returns the state of the hook at path, and changes nothing: absent (without the lines), current, or stale (Install would change it).
func (p Part) Look(path string) (string, error) {
	hook, _, err := p.read(path)
	if err != nil {
		return "", err
	}
	if _, found := p.without(hook); !found {
		return "absent", nil
	}
	after, err := p.with(hook)
	if err != nil || !bytes.Equal(hook, after) {
		return "stale", nil
	}
	return "current", nil
}
