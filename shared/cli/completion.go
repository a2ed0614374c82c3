package cli

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/fault"
)

// mend is a text in one of cobra's completion scripts and its replacement; NAME is the program's name, as a part of a shell function's.
type mend struct{ old, new string }

// scriptMends are, by shell, the mends for cobra's handling of words that a shell would split. The words are names that agents and trackers
// chose, so a name such as "$(reboot)" must not get onto the command line or into eval unescaped.
var scriptMends = map[string][]mend{
	"bash": {
		{ // bash inserts the common prefix of several candidates as it is
			old: `        COMPREPLY+=("$compline")
`,
			new: `        COMPREPLY+=("$comp${compline#"${compline%%$tab*}"}")
`,
		},
		{
			old: `        comp=${compline%%$tab*}
        if ((${#comp}>longest)); then
`,
			new: `        if ((${#comp}>longest)); then
`,
		},
		{
			old: `        COMPREPLY[0]=$(printf "%q" "${COMPREPLY[0]%%$tab*}")
`,
			new: `        COMPREPLY[0]=${COMPREPLY[0]%%$tab*}
`,
		},
		{
			old: `        if (( ${#COMPREPLY[@]} == 1 )); then
            COMPREPLY[0]=$(printf "%q" "${COMPREPLY[0]}")
        fi
`,
			new: `        if (( ${#COMPREPLY[@]} > 0 )); then
            IFS=$'\n' read -ra COMPREPLY -d '' < <(printf "%q\n" "${COMPREPLY[@]}")
        fi
`,
		},
		{ // the package bash-completion may be missing
			old: `    _get_comp_words_by_ref "$@" cur prev words cword
`,
			new: `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    # Join the words that bash takes apart at "=" and ":".
    local i word line=$COMP_LINE rest last=''
    words=()
    cword=-1
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        rest=${line#"${line%%[![:space:]]*}"}
        if ((i > 0)) && [[ $rest == "$line" && $last$word == *[=:]* ]]; then
            words[cword]+=$word
        else
            words[++cword]=$word
        fi
        last=$word
        line=${rest#"$word"}
    done
    cur=${words[cword]}
    prev=''
    if ((cword > 0)); then
        prev=${words[cword-1]}
    fi
`,
		},
		{
			old: `            __NAME_debug "Listing directories in ."
            _filedir -d
`,
			new: `            __NAME_debug "Listing directories in ."
            if declare -F _filedir >/dev/null 2>&1; then
                _filedir -d
            else
                compopt -o filenames 2>/dev/null
                IFS=$'\n' read -ra COMPREPLY -d '' < <(compgen -d -- "$cur")
            fi
`,
		},
	},
	"zsh": {
		{ // only a flag's own "=" is a prefix; zsh inserts a prefix as it is
			old: `[[ "${lastParam}" =~ '-.*=' ]]`,
			new: `[[ "${lastParam}" =~ '^-[^=]*=' ]]`,
		},
		{
			old: `            comp=${comp//:/\\:}
`,
			new: `            comp=${comp//\\/\\\\}
            comp=${comp//:/\\:}
`,
		},
	},
	"fish": {
		{ // fish passes the words on without their quotes, and they go through eval
			old: `    set -l lastArg (string escape -- (commandline -ct))
`,
			new: `    set -l -- lastArg (commandline -ct | string unescape)
    or set -- lastArg (commandline -ot) # in a quote that is still open
    set -- lastArg "$lastArg"
`,
		},
		{
			old: ` $args[2..-1] $lastArg"
`,
			new: ` "(string join ' ' -- (string escape -- $args[2..-1] "$lastArg"))
`,
		},
		{
			old: `(string match -r -- '-.*=' "$lastArg")`,
			new: `(string match -r -- '^-[^=]*=' "$lastArg")`,
		},
	},
	"powershell": {
		{ // with TAB as in bash, it inserts the common prefix of several candidates
			old: `                    while($comp.Name.Length -lt $Longest) {
                        $comp.Name = $comp.Name + " "
                    }
`,
			new: `                    $Name = $comp.Name | __NAME_escapeStringWithSpecialChars
                    while($Name.Length -lt $Longest) {
                        $Name = $Name + " "
                    }
`,
		},
		{
			old: `$CompletionText = "$($comp.Name)$Description"`,
			new: `$CompletionText = "$Name$Description"`,
		},
	},
}

// completionScript writes the script that completes a program's words in a shell, with
// descriptions of them or without.
func completionScript(out io.Writer, root *cobra.Command, shell string, descriptions bool) error {
	var b bytes.Buffer
	var err error
	switch {
	case shell == "bash":
		err = root.GenBashCompletionV2(&b, descriptions)
	case shell == "zsh" && descriptions:
		err = root.GenZshCompletion(&b)
	case shell == "zsh":
		err = root.GenZshCompletionNoDesc(&b)
	case shell == "fish":
		err = root.GenFishCompletion(&b, descriptions)
	case descriptions:
		err = root.GenPowerShellCompletionWithDesc(&b)
	default:
		err = root.GenPowerShellCompletion(&b)
	}
	if err != nil {
		return err
	}
	text := b.String()
	for _, m := range scriptMends[shell] {
		old, mended := strings.ReplaceAll(m.old, "NAME", root.Name()), strings.ReplaceAll(m.new, "NAME", root.Name())
		if strings.Count(text, old) != 1 { // a new version of cobra, whose script was not checked
			return fault.Operation(nil, "the %s script of this version of cobra cannot be made safe", shell)
		}
		text = strings.Replace(text, old, mended, 1)
	}
	_, err = io.WriteString(out, text)
	return err
}

// tuneCompletion makes cobra's completion command print our scripts.
func tuneCompletion(env *Env, root, completion *cobra.Command) {
	Parent(completion)
	completion.Short = "Print the completion script of a shell"
	for _, c := range completion.Commands() {
		if c.Name() == "bash" {
			c.Long = strings.Replace(c.Long, bashNeeds, "", 1)
		}
		o := &completionOptions{out: env.Streams.Out, root: root, Shell: c.Name()}
		Command(c, o, o.take, runCompletion)
	}
}

type completionOptions struct {
	out   io.Writer
	root  *cobra.Command
	Shell string
	Bare  bool // without descriptions
}

// take reads a flag of cobra's own.
func (o *completionOptions) take(g Given) (err error) {
	o.Bare, err = g.cmd.Flags().GetBool("no-descriptions")
	return err
}

func runCompletion(_ context.Context, o *completionOptions) error {
	return completionScript(o.out, o.root, o.Shell, !o.Bare)
}

// bashNeeds is the sentence in cobra's help about the package that a script needs.
const bashNeeds = `This script depends on the 'bash-completion' package.
If it is not installed already, you can install it via your OS's package manager.

`
