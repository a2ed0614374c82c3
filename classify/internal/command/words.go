package command

// flagWords returns flags that people try, with the sentence that names what there is.
func flagWords() map[string]string {
	return map[string]string{
		"--verbose --debug":               "did you mean --log-level debug?",
		"--format":                        "did you mean -o, as in -o json?",
		"init --recursive --all -r":       "`classify init DIR...` profiles several folders; packages of a repository are found by themselves",
		"init --write --agents":           "did you mean --write-agents-md?",
		"similar --top --max --count":     "did you mean --limit?",
		"similar --threshold --min":       "did you mean --min-score?",
		"list --lang":                     "did you mean --language?",
		"list --type --kind":              "did you mean --framework?",
		"list --uses --package --depends": "did you mean --dependency?",
	}
}
