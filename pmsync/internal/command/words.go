package command

const (
	inDescription = "did you mean --description?"
	isNew         = "`pmsync ticket status KEY STATUS` moves a ticket; a new one is open"
	oneOf         = "did you mean --status?"
	filtered      = "`pmsync ticket list --json --jq '.tickets[]'` filters by any field"
	mine          = "what is assigned to others is left out already; --any-assignee shows it too"
	sides         = "`pmsync resolve ID --keep local` or --keep remote"
)

// flagWords returns flags that people try, with the sentence that names what there is.
func flagWords() map[string]string {
	return map[string]string{
		"--verbose --debug": "did you mean --log-level debug?",
		"ticket create --body --desc --text --message -m": inDescription,
		"ticket create --tag --tags --labels":             "did you mean --label?",
		"ticket create --epic --milestone":                "did you mean --parent?",
		"ticket create --assign --to":                     "did you mean --assignee?",
		"ticket create --story-points --size --effort":    "did you mean --points?",
		"ticket create --state --status":                  isNew,
		"ticket create --id":                              "did you mean --key?",
		"ticket list --state":                             oneOf,
		"ticket list --assigned-to --assign --me":         "did you mean --assignee?",
		"ticket list --sort --order --epic --priority":    filtered,
		"ticket list --query --filter --text":             "did you mean --search?",
		"ticket list --tag --tags --labels":               "did you mean --label?",
		"ticket update --state":                           oneOf,
		"ticket update --add-labels --add-tag":            "did you mean --add-label?",
		"ticket update --unassign":                        "`pmsync ticket update KEY --assignee ''` takes the person away",
		"ticket update --assign --to":                     "did you mean --assignee?",
		"ticket update --body --desc --text":              inDescription,
		"ticket update --message -m":                      "did you mean --comment?",
		"ticket show --web --open --browser":              "the address stands in the output: `pmsync ticket show KEY --jq .url`",
		"ticket show --full --all":                        "`pmsync ticket show KEY --comments 10 --history` shows all that is known",
		"pull --force --all":                              "did you mean --full?",
		"push --all":                                      "a push sends all that waits",
		"push --yes":                                      "a push asks nothing; --dry-run shows what it would send",
		"sync --watch --every":                            "`pmsync watch` pulls and pushes again and again",
		"connect --url --host --site":                     "`pmsync config set providers.jira.url URL` names a site; `pmsync providers` shows what is missing",
		"connect --token --key --password":                "a token is not an argument: `pmsync connect` asks for it on a terminal, or pipe it into `pmsync config set providers.NAME.token -`",
		"plan create --body --desc --text":                inDescription,
		"plan create --parent --epic":                     "did you mean --ticket?",
		"plan create --depends-on --after":                "did you mean --blocked-by?",
		"plan update --done --complete --close":           "did you mean --status completed?",
		"ready --mine --me":                               mine,
		"ready --all":                                     "`pmsync ready --limit 0` lists all, --any-assignee those of others too",
		"ac verify --pass --met --done --ok":              "the verdict is an argument: `pmsync ac verify CRITERION verified`",
		"ac verify --evidence --proof":                    "evidence is named by its kind: --file, --test, --commit, --screenshot or --notes",
		"resolve --ours --local --mine":                   sides,
		"resolve --theirs --remote":                       sides,
		"sprint status --current --active":                "without a name it is the running sprint",
		"watch --interval":                                "did you mean --every?",
	}
}
