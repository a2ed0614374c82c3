package command

const (
	aText     = "the text is an argument: `memoryd remember TEXT --key KEY`"
	aQuestion = "the question is an argument: `memoryd recall QUESTION`"
	asContent = "did you mean --content?"
	asSummary = "did you mean --summary?"
	mostHits  = "did you mean --limit?"
	asItem    = "did you mean --item ID?"
	archived  = "`memoryd forget KEY` archives, `memoryd forget KEY --purge` deletes"
	always    = "`memoryd remember TEXT --importance 5` keeps a memory for good"
)

// flagWords returns flags that people try, with the sentence that names what there is.
func flagWords() map[string]string {
	return map[string]string{
		"--verbose --debug":                             "did you mean --log-level debug?",
		"remember --content --text --body --message -m": aText,
		"remember --force --overwrite --update":         "storing under a key that exists updates it: `memoryd remember TEXT --key KEY`",
		"remember --pin --permanent --forever":          always,
		"remember --category --kind":                    "did you mean --type?",
		"remember --label --labels":                     "did you mean --tag?",
		"remember --ttl --until":                        "did you mean --expires?",
		"remember --file --path":                        "did you mean --cite PATH:LINE?",
		"recall --query --question --search -Q":         aQuestion,
		"recall --top --max --count":                    mostHits,
		"recall --since --sort":                         "`memoryd recall` without a question lists the most important, `memoryd recall --json --jq '.memories[]'` filters them",
		"recall --semantic --vector":                    "`memoryd embed --help` shows how meaning counts too",
		"recall --full --long":                          "`memoryd recall QUESTION --all` shows every hit, `memoryd recall --key KEY` one memory",
		"recall --archived --deleted":                   "`memoryd restore` lists the archived memories",
		"session start --name --title --message -m":     "`memoryd session note TEXT` records what the session is about, --item its ticket or task",
		"session start --task --ticket --issue":         asItem,
		"session start --resume --continue":             "did you mean --resume-last?",
		"session end --message --text -m":               asSummary,
		"session note --kind":                           "did you mean --type?",
		"session list --since --sort":                   "the newest come first: `memoryd session list --limit 5`",
		"agent bug --message --title --text -m":         "did you mean --note?",
		"agent grade --grade --score":                   "a commit has two grades: --agent-grade and --user-grade",
		"agent sheet --name":                            "the name is an argument: `memoryd agent sheet NAME`",
		"decay --days --older-than --age":               "did you mean --min-age?",
		"decay --force --archive --yes":                 "did you mean --apply?",
		"forget --reason --message -m":                  "did you mean --why?",
		"forget --force --hard --delete":                archived,
		"update --text --message --body -m":             asContent,
		"update --tags --labels --label":                "did you mean --tag?",
		"update --reason":                               "did you mean --why?",
		"export --format":                               "an export is JSON, one object a line",
		"import --force --overwrite":                    "an import only adds what is missing: `memoryd update KEY` changes a memory",
		"history --days --after":                        "did you mean --since?",
	}
}
