package command

import (
	_ "embed"
	"strings"
)

// words are what people type for a command, with its command line.
var words = map[string]string{
	"rm": "remove", "delete": "remove", "ps": "agents", "who": "agents", "ls": "status", "list": "status", "info": "status", "switch": "cd", "open": "cd",
	"tail": "logs --follow", "ready": "tasks --ready", "todo": "tasks", "done": "finish", "land": "merge", "inbox": "review",
	"history": "log", "run": "work", "sync": "update", "pull": "update", "tui": "top", "dashboard": "top", "ui": "top", "add-task": "tasks create", "cost": "usage",
	"costs": "usage", "trash": "cleanup --trash", "events": "log",
}

// Words for which another program or command is right, and flags that people try: a line for each sentence that names what there is, behind
// all words that lead to it. A line of flags begins with their command, unless they are tried everywhere.
var (
	//go:embed words/instead.txt
	insteadText string
	//go:embed words/flags.txt
	flagText string
)

// instead are words for which another program or command is right, with the sentence that names it.
func instead() map[string]string { return sentencesOf(insteadText) }

// flagWords returns flags that people try, with the sentence that names what there is.
func flagWords() map[string]string { return sentencesOf(flagText) }

func sentencesOf(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		words, sentence, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for word := range strings.SplitSeq(words, ", ") {
			all[word] = sentence
		}
	}
	return all
}
