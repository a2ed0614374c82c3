package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// flagError turns pflag's error into a ValidationError. For a command that does not exist, the error is about the command and not about the
// flag.
func flagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); isParent(c) && len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	complaint := err.Error()
	name := flagIn(complaint)
	if invalid := new(pflag.InvalidValueError); errors.As(err, &invalid) {
		name, complaint = invalid.GetFlag().Name, refusedValue(invalid)
	}
	f := fault.Validation(strings.TrimLeft(name, "-"), "%s", complaint)
	if c.HasParent() {
		f.Message = called(c) + ": " + complaint
	}
	if strings.HasPrefix(complaint, "unknown ") {
		key := flagHintKey + strings.TrimLeft(name, "-")
		if hint := cmp.Or(c.Annotations[key], c.Root().Annotations[key]); hint != "" {
			return f.WithHint("%s", hint)
		}
		var names []string
		visit := func(fl *pflag.Flag) {
			if !fl.Hidden {
				names = append(names, fl.Name)
			}
		}
		c.Flags().VisitAll(visit)
		c.InheritedFlags().VisitAll(visit)
		if near := nearFlag(strings.TrimLeft(name, "-"), names); near != "" {
			return f.WithHint("did you mean --%s?", near)
		}
	}
	return f.WithHint("`%s --help` lists the flags", c.CommandPath())
}

// refusedValue explains a value that a flag does not take, in words for the kinds whose parser speaks of itself.
func refusedValue(e *pflag.InvalidValueError) string {
	kinds := map[string]string{"int": "a whole number", "int64": "a whole number", "uint": "a whole number from 0 on", "uint64": "a whole number from 0 on",
		"float64": "a number", "bool": "true or false"}
	if kind := kinds[e.GetFlag().Value.Type()]; kind != "" {
		return fmt.Sprintf("--%s takes %s, which %q is not", e.GetFlag().Name, kind, e.GetValue())
	}
	return e.Error()
}

// nearFlag returns the name of the flag that was probably meant, both without dashes: the only one that begins so, else the nearest; "" for none.
func nearFlag(given string, names []string) string {
	var begun []string
	for _, name := range names {
		if given != "" && strings.HasPrefix(name, given) {
			begun = append(begun, name)
		}
	}
	if len(begun) == 1 {
		return begun[0]
	}
	return text.Nearest(given, names)
}

// flagIn finds the flag that a message of pflag is about.
func flagIn(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,:\"'", r) }) {
		if strings.HasPrefix(word, "-") && len(word) > 1 {
			name, _, _ := strings.Cut(word, "=")
			return name
		}
	}
	return ""
}

// exclusiveKey is where cobra's MarkFlagsMutuallyExclusive keeps the groups of a flag, each as names with a space between.
const exclusiveKey = "cobra_annotation_mutually_exclusive"

// together refuses flags that exclude each other; cobra's own sentence names the group by its variables.
func together(c *cobra.Command) error {
	var refused error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusiveKey] {
			given := slices.DeleteFunc(strings.Fields(group), func(name string) bool { return !c.Flags().Changed(name) })
			if len(given) < 2 || refused != nil {
				continue
			}
			for i, name := range given {
				given[i] = "--" + name
			}
			last := len(given) - 1
			both := map[bool]string{true: "both", false: "all"}[last == 1]
			refused = fault.Validation(strings.TrimLeft(given[last], "-"), "%s: %s and %s were %s given", called(c), strings.Join(given[:last], ", "), given[last], both).
				WithHint("give one of them")
		}
	})
	return refused
}

const flagHintKey = "agit/flag-hint/"

// FlagHint returns a command's hint for a flag that it does not have but that people try; name is without dashes.
func FlagHint(cmd *cobra.Command, name, hint string) {
	annotate(cmd, flagHintKey+name, hint)
}
