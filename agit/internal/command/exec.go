package command

import (
	"strings"

	"github.com/mattn/go-shellwords"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
)

// execFlag is a command to start: as one argument, split into words without a
// shell, or as all arguments behind "--exec --". In the second form "--" is the
// flag's value, and what follows it is no longer looked at for flags.
type execFlag struct {
	flags *pflag.FlagSet
	given bool
	words []string
	from  int // arguments from this one on are the command; for "--exec --" only
}

const execHint = "agit spawn REPO --exec 'COMMAND ARG', or: agit spawn REPO --exec -- COMMAND ARG"

func (e *execFlag) Type() string   { return "command" }
func (e *execFlag) String() string { return "" }

// Set only stores the value; command checks it, with errors of its own.
func (e *execFlag) Set(value string) error {
	e.given, e.words = true, []string{value}
	if value == "--" {
		e.words, e.from = nil, e.flags.NArg()
		e.flags.SetInterspersed(false)
	}
	return nil
}

// command takes the command out of the arguments. It is nil where none was given.
func (e *execFlag) command(g cli.Given) (rest, words []string, err error) {
	args := g.Args
	switch {
	case !e.given:
		return args, nil, nil
	case e.words == nil:
		rest, words = args[:e.from], args[e.from:]
	default:
		if strings.HasPrefix(e.words[0], "-") {
			return nil, nil, fault.Validation("exec", "--exec is followed by %q, and not by a command", e.words[0]).WithHint(execHint)
		}
		if _, _, dash := g.AtDash(); dash {
			return nil, nil, fault.Validation("exec", "a command is given both with --exec and after --").WithHint(execHint)
		}
		rest = args
		if words, err = splitWords(e.words[0]); err != nil {
			return nil, nil, err
		}
	}
	if len(words) == 0 || words[0] == "" {
		return nil, nil, fault.Validation("exec", "--exec has no command").WithHint(execHint)
	}
	return rest, words, nil
}

// splitWords splits a line as a shell does, and refuses what only a shell can do.
func splitWords(line string) ([]string, error) {
	p := &shellwords.Parser{}
	words, err := p.Parse(line)
	if err != nil {
		return nil, fault.Validation("exec", "--exec %q cannot be split into words: a quote or bracket is not closed, or stands alone", line).
			WithHint("`--exec -- COMMAND ARG` takes arguments as they are")
	}
	if p.Position >= 0 {
		return nil, fault.Validation("exec", "--exec %q needs a shell, for one of ; & | < >, and none reads it", line).
			WithHint("`--exec -- sh -c 'COMMANDS'` starts one; put the sign in quotes when it is part of a word")
	}
	return words, nil
}
