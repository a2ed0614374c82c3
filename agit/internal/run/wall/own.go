package wall

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Placeholders of a custom command. An argument with one of the first three is repeated for each path.
const (
	holdWrite   = "{write}"   // writable paths
	holdFixed   = "{fixed}"   // read-only paths inside them
	holdHide    = "{hide}"    // hidden paths
	holdDir     = "{dir}"     // the worktree
	holdHome    = "{home}"    // the user's home
	holdTmp     = "{tmp}"     // a folder for temporary files of this run
	holdDoor    = "{door}"    // the folder of the socket to the worker
	holdCommand = "{command}" // the client's whole command; appended if not named
)

func checkWords(words []string) error {
	if words[0] == "" || slices.Contains(words[:1], holdCommand) {
		return fault.Validation("work.sandbox", "the command of work.sandbox has no program").WithHint("its first word is the program")
	}
	known := []string{holdWrite, holdFixed, holdHide, holdDir, holdHome, holdTmp, holdDoor, holdCommand}
	for _, word := range words {
		rest := word
		for _, k := range known {
			rest = strings.ReplaceAll(rest, k, "")
		}
		if open := strings.Index(rest, "{"); open >= 0 && strings.Contains(rest[open:], "}") {
			return fault.Validation("work.sandbox", "%q of work.sandbox has a placeholder that is not known", word).WithHint("there are %s", strings.Join(known, ", "))
		}
		if strings.Contains(word, holdCommand) && word != holdCommand {
			return fault.Validation("work.sandbox", "%q of work.sandbox has more than {command}", word).WithHint("make {command} a word of its own")
		}
	}
	return nil
}

// own returns a command that runs in the user's own sandbox command.
func (w *Wall) own(r Room, list []mount, command []string) (in Inside, err error) {
	tmp, err := os.MkdirTemp("", "agit-")
	if err != nil {
		return in, fmt.Errorf("make a folder for temporary files: %w", err)
	}
	paths := map[string][]string{}
	for _, m := range list {
		switch m.how {
		case write:
			paths[holdWrite] = append(paths[holdWrite], m.source())
		case read, copied:
			paths[holdFixed] = append(paths[holdFixed], m.at)
		case empty, blank:
			paths[holdHide] = append(paths[holdHide], m.at)
		}
	}
	if r.Door != "" {
		paths[holdWrite] = append(paths[holdWrite], r.Door)
	}
	paths[holdWrite] = append(paths[holdWrite], tmp)
	one := strings.NewReplacer(holdDir, r.Dir, holdHome, w.set.Home, holdTmp, tmp, holdDoor, r.Door)
	in.Command, in.Maker = []string{w.path}, filepath.Base(w.path)
	in.Maker = in.Maker[:min(len(in.Maker), 15)] // of a process's name the kernel keeps as much
	put := false
	for _, word := range w.Words[1:] {
		if word == holdCommand {
			in.Command, put = append(in.Command, command...), true
			continue
		}
		many := ""
		for _, k := range []string{holdWrite, holdFixed, holdHide} {
			if strings.Contains(word, k) {
				many = k
			}
		}
		if many == "" {
			in.Command = append(in.Command, one.Replace(word))
			continue
		}
		for _, p := range paths[many] {
			in.Command = append(in.Command, strings.ReplaceAll(one.Replace(word), many, p))
		}
	}
	if !put {
		in.Command = append(in.Command, command...)
	}
	in.Env, in.after = elsewhereEnv(r, tmp), func() { _ = os.RemoveAll(tmp) }
	return in, nil
}
