package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/text"
)

// Tree is the command line of a binary: the beginning of its help, and its commands under headings.
type Tree struct {
	Short, Example string
	Sections       []Section
	// Words are words that people type for a command, with the command line that each stands for: "ready" for "tasks --ready". Help does
	// not list them.
	Words map[string]string
	// Instead holds words that people type for another program or command, with a sentence that names it. A key of two words, such as "pr
	// list", is a command and an argument: its sentence is the hint of the error when the argument names nothing.
	Instead map[string]string
	// Flags are hints for flags that people try and that do not exist. A key is a command and such flags, "merge --force -f"; without a
	// command they are flags of any.
	Flags func() map[string]string
	// Path is the hint for a file or folder given alone, "" where a command takes one.
	Path string
	// Folder is the command for a folder given alone, "" for none.
	Folder string
	// ID is the command for a task's or ticket's id given alone, "" for none.
	ID string
	// Alone runs without arguments. When it is nil or returns ErrHelp, the help is printed.
	Alone func(ctx context.Context, env *Env) error
	// JQ compiles --jq expressions. It is a field because not every program that
	// links this package prints documents.
	JQ func(expression string) (output.Filter, error)
}

// ErrHelp asks for the help to be printed.
var ErrHelp = errors.New("print the help")

// Section is a heading of a binary's help with its commands.
type Section struct {
	Title    string
	Commands []Entry
}

// Entry is a command that is made only when it is needed: making all of them, with their flags, takes as long as a query.
type Entry struct {
	Name  string
	build func(*Env) *cobra.Command
}

// Leaf returns the entry of a command that build makes from a run function.
func Leaf[O any](name string, build func(*Env, Func[O]) *cobra.Command, run Func[O]) Entry {
	return Entry{name, func(env *Env) *cobra.Command { return build(env, run) }}
}

// Branch returns the entry of a command that build makes with its subcommands.
func Branch(name string, build func(*Env) *cobra.Command) Entry { return Entry{name, build} }

// Serve is `serve`, which every binary has, with the port of its HTTP server.
func Serve(port int) Entry {
	return Branch("serve", func(env *Env) *cobra.Command { return ServeCommand(env, port) })
}

// Config is `config`, which every binary has.
func Config() Entry { return Branch("config", ConfigCommand) }

// Root builds the command tree for the arguments of a run; it opens nothing. When the arguments begin with the name of a command, only that
// one is made; when they ask for the version, none; else all.
func (t Tree) Root(env *Env, args []string) *cobra.Command {
	env.JQ = t.JQ
	args = t.meant(env, args)
	env.args = args
	root := NewRoot(env, t.Short)
	t.word(env, root, args)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		t.hintFlags(root) // only now: most runs have no use for the table
		return flagError(c, err)
	})
	root.Example = t.Example
	for _, s := range t.Sections {
		root.AddGroup(&cobra.Group{ID: s.Title, Title: s.Title})
	}
	if namesOwn(root, args) || slices.Equal(args, []string{"--version"}) {
		return root
	}
	if s, e, ok := t.find(args); ok {
		cmd := add(root, env, s, e)
		if len(args) > 1 && t.Instead[args[0]+" "+args[1]] != "" {
			hint(cmd, args[1], t.Instead[args[0]+" "+args[1]])
		}
		return root
	}
	for _, s := range t.Sections {
		for _, e := range s.Commands {
			add(root, env, s, e)
		}
	}
	return root
}

// hintFlags adds to the commands that were made the hints for flags that they do not have.
func (t Tree) hintFlags(root *cobra.Command) {
	if t.Flags == nil {
		return
	}
	for key, sentence := range t.Flags() {
		c := root
		for _, word := range strings.Fields(key) {
			if c != nil && strings.HasPrefix(word, "-") {
				FlagHint(c, strings.TrimLeft(word, "-"), sentence)
			} else if c != nil {
				c = named(c, word)
			}
		}
	}
}

// named returns the subcommand of a name, nil when it was not made.
func named(c *cobra.Command, name string) *cobra.Command {
	for _, sub := range c.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}

// word makes the root command answer a run without arguments, and words for which another command is right.
func (t Tree) word(env *Env, root *cobra.Command, args []string) {
	otherwise := root.RunE
	if len(args) > 0 && t.Instead[args[0]] != "" {
		root.FParseErrWhitelist.UnknownFlags = true // the flags belong to the missing command
	}
	root.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 && t.Alone != nil:
			if err := t.Alone(c.Context(), env); !errors.Is(err, ErrHelp) {
				return err
			}
		case len(args) > 0 && t.Instead[args[0]] != "":
			return fault.Validation("command", "there is no command %q", args[0]).WithHint("%s", t.Instead[args[0]])
		case len(args) > 0 && t.Path != "" && exists(env, args[0]):
			return fault.Validation("command", "there is no command %q", args[0]).WithHint("%s", t.Path)
		case len(args) > 0 && t.ID != "" && text.Identifies(args[0]):
			return fault.Validation("command", "there is no command %q", args[0]).WithHint("did you mean `%s %s %s`?", c.CommandPath(), t.ID, args[0])
		}
		return otherwise(c, args)
	}
}

// exists reports whether a word names a file or folder.
func exists(env *Env, word string) bool {
	path, err := env.Path(word)
	if err == nil {
		_, err = os.Lstat(path)
	}
	return err == nil
}

// hint adds a hint to a command's errors about a word: one argument too many, an unknown subcommand, or the name of nothing.
func hint(c *cobra.Command, word, sentence string) {
	fits, run := c.Args, c.RunE
	if fits != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := usageError(c, fits(c, args)); err != nil {
				return fault.From(err).WithHint("%s", sentence)
			}
			return nil
		}
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		err := run(c, args)
		if f := fault.From(err); f != nil && (f.Field == "command" || f.EntityID == word || strings.Contains(f.Hint, "usage: ")) {
			return f.WithHint("%s", sentence)
		}
		return err
	}
}

// find returns the command that arguments begin with.
func (t Tree) find(args []string) (Section, Entry, bool) {
	for _, s := range t.Sections {
		for _, e := range s.Commands {
			if len(args) > 0 && e.Name == args[0] {
				return s, e, true
			}
		}
	}
	return Section{}, Entry{}, false
}

func add(root *cobra.Command, env *Env, s Section, e Entry) *cobra.Command {
	cmd := e.build(env)
	cmd.GroupID = s.Title
	root.AddCommand(cmd)
	return cmd
}
