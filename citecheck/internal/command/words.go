package command

const (
	checks  = "`citecheck` alone checks the instructions for agents here, `citecheck verify-all` what memories cite"
	formats = "`citecheck ci --format sarif` has other formats, -o json works everywhere"
	written = "`citecheck fix` writes, unless --dry-run is given"
)

// flagWords returns flags that people try, with the sentence that names what there is.
func flagWords() map[string]string {
	return map[string]string{
		"--fix":                              "`citecheck fix` updates citations of code that moved",
		"--strict":                           checks,
		"--all":                              "`citecheck verify-all` checks all memories, `citecheck fix` mends all",
		"--verbose --debug":                  "did you mean --log-level debug?",
		"verify --format --output-format":    formats,
		"verify-all --format":                formats,
		"verify-all --changed --diff --base": "did you mean --since REVISION?",
		"verify-all --staged --cached":       "did you mean --index?",
		"ci --base --changed --diff":         "did you mean --since REVISION?",
		"fix --write --yes --force -y":       written,
		"add --text --code --content":        "did you mean --snippet?",
		"search --top --max":                 "did you mean --limit?",
		"instructions --format":              formats,
		"instructions --readme":              "did you mean --docs?",
	}
}
