package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
)

func newConfigSet(env *Env, run Func[configOptions]) *cobra.Command {
	return configCommand(env, &configOptions{}, run, &cobra.Command{
		Use:   "set KEY VALUE...",
		Short: "Write one value into your configuration file",
		Long: `Write one value into your own configuration file, leaving its comments alone.
Keys that are lists take several values. The value "-" is read from standard
input, which is how secrets are given: an argument stays in the shell's history.`,
		Example: strings.ReplaceAll("BIN config set agent.stale_after 10m\nBIN config set hooks.post_spawn 'npm ci' 'make setup'\n"+
			"pass show linear | BIN config set providers.linear.api_key -", "BIN", env.Name),
		ValidArgsFunction: completeKeys,
	})
}

// maxValue bounds a value read from standard input.
const maxValue = 64 << 10

// setByPerson refuses to let agents set the keys that decide how their work is judged.
func setByPerson(o *configOptions) error {
	who := config.AgentOf(o.env.Getenv)
	if who == "" || !config.IsPersons(o.Key) {
		return nil
	}
	return fault.Operation(nil, "%s is a person's to set, and %s may not", o.Key, who).WithHint("leave it to a person")
}

func runConfigSet(_ context.Context, o *configOptions) error {
	if err := setByPerson(o); err != nil {
		return err
	}
	values := o.Values
	switch {
	case len(values) == 1 && values[0] == "-":
		text, err := o.readValue()
		if err != nil {
			return err
		}
		values = []string{text}
	case config.IsSecret(o.Key):
		return fault.Validation(o.Key, "%s is a secret, and an argument stays in the shell's history", o.Key).
			WithHint("pipe it in: `config set %s -`", o.Key)
	}
	if err := config.Set(o.sources(), o.Key, values...); err != nil {
		return err
	}
	o.env.Streams.Notice("%s is set.", o.Key)
	return nil
}

func (o *configOptions) readValue() (string, error) {
	if o.env.Streams.InTTY {
		return "", fault.Validation("-", "\"-\" reads the value from standard input, and nothing is piped into it").
			WithHint("pipe the value into this command")
	}
	data, err := io.ReadAll(io.LimitReader(o.env.Streams.In, maxValue+1))
	if err != nil {
		return "", fault.Operation(err, "read standard input")
	}
	if len(data) > maxValue {
		return "", fault.Validation("-", "a value of more than %d kB is not configuration", maxValue>>10)
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

func newConfigUnset(env *Env, run Func[configOptions]) *cobra.Command {
	return configCommand(env, &configOptions{}, run, &cobra.Command{
		Use:               "unset KEY",
		Short:             "Take one value out of your configuration file",
		Example:           env.Name + " config unset agent.stale_after",
		ValidArgsFunction: completeKeys,
	})
}

func runConfigUnset(_ context.Context, o *configOptions) error {
	if err := setByPerson(o); err != nil {
		return err
	}
	if err := config.Unset(o.sources(), o.Key); err != nil {
		return err
	}
	o.env.Streams.Notice("%s was taken out of your configuration file.", o.Key)
	return nil
}
