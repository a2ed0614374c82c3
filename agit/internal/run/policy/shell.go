package policy

import (
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// command is one command of a line, with the files of its redirections.
type command struct {
	words         []string
	writes, reads []string
}

// runsInput reports whether a command runs what it reads, such as `sh`, `sudo bash -s` or `xargs rm`: it ends with the name of an
// interpreter, and options. A script or the code after -c would follow the name.
func (c command) runsInput() bool {
	words := c.words
	for len(words) > 1 && strings.HasPrefix(words[len(words)-1], "-") {
		words = words[:len(words)-1]
	}
	return len(words) > 0 && interpreters[filepath.Base(words[0])] && interpreters[filepath.Base(words[len(words)-1])]
}

// split splits a command line into its commands, at ; & | && || and ends of lines. plain is false when only a shell can interpret the
// line: with substitutions, assignments, groups, control words or here-documents.
func split(line string) (commands []command, plain bool) {
	s := splitter{rest: line, plain: true}
	for s.rest != "" || s.some {
		if !s.next() {
			break
		}
	}
	s.endCommand()
	return s.commands, s.plain
}

type splitter struct {
	rest     string
	plain    bool
	commands []command
	at       command
	word     strings.Builder
	some     bool // a word has begun; it may be empty
	quoted   bool // a part of the word is quoted
	redirect byte // the next word is a file
}

// next consumes one character or one operator.
func (s *splitter) next() bool {
	if s.rest == "" {
		return false
	}
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch c {
	case ' ', '\t', '\r':
		s.endWord()
	case '\n', ';':
		s.endCommand()
	case '|':
		s.rest = strings.TrimPrefix(strings.TrimPrefix(s.rest, "|"), "&")
		s.endCommand()
	case '&':
		if strings.HasPrefix(s.rest, ">") { // &>FILE
			s.endWord()
			s.redirection('>')
			break
		}
		s.rest = strings.TrimPrefix(s.rest, "&")
		s.endCommand()
	case '>', '<':
		if w := s.word.String(); s.quoted || strings.Trim(w, "0123456789") != "" {
			s.endWord()
		} else {
			s.word.Reset() // it is the number of a stream
			s.some = false
		}
		s.redirection(c)
	case '\\':
		if s.rest != "" {
			if s.rest[0] != '\n' {
				s.add(s.rest[:1])
			}
			s.rest = s.rest[1:]
		}
	case '\'':
		inner, rest, closed := strings.Cut(s.rest, "'")
		s.plain = s.plain && closed
		s.quote(inner)
		s.rest = rest
	case '"':
		s.doubleQuoted()
	case '`', '(', ')', '{', '}', '!':
		s.plain = false
		s.add(string(c))
	case '$':
		s.plain = false
		s.add("$")
	case '#':
		if s.some {
			s.add("#")
		} else { // a comment
			_, s.rest, _ = strings.Cut(s.rest, "\n")
			s.endCommand()
		}
	default:
		s.add(string(c))
	}
	return true
}

func (s *splitter) add(text string) {
	s.word.WriteString(text)
	s.some = true
}

func (s *splitter) quote(text string) {
	s.add(text)
	s.quoted = true
}

func (s *splitter) doubleQuoted() {
	s.quote("")
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; c {
		case '"':
			s.rest = s.rest[i+1:]
			return
		case '\\':
			if i+1 < len(s.rest) && strings.IndexByte("\"\\$`\n", s.rest[i+1]) >= 0 {
				i++
			}
			s.add(s.rest[i : i+1])
		case '`':
			s.plain = false
			s.add("`")
		case '$': // a variable is one word here, whatever its value is
			if text, rest, ok := hereText(s.rest[i:]); ok {
				s.add(text)
				i = len(s.rest) - len(rest) - 1
				continue
			}
			s.plain = s.plain && !strings.HasPrefix(s.rest[i:], "$(") && !strings.HasPrefix(s.rest[i:], "${") && len(s.at.words) > 0
			s.add("$")
		default:
			s.add(string(c))
		}
	}
	s.plain, s.rest = false, ""
}

// redirection reads an operator that begins with c; the next word is its file.
func (s *splitter) redirection(c byte) {
	switch {
	case c == '<' && (strings.HasPrefix(s.rest, "<") || strings.HasPrefix(s.rest, "(")), c == '>' && strings.HasPrefix(s.rest, "("):
		s.plain = false
	case strings.HasPrefix(s.rest, "&"):
		target := strings.TrimLeft(s.rest[1:], "0123456789-")
		if len(target) == len(s.rest)-1 {
			s.plain = false
		}
		s.rest = target
		return
	}
	if c == '>' {
		s.rest = strings.TrimPrefix(strings.TrimPrefix(s.rest, ">"), "|")
	} else if strings.HasPrefix(s.rest, ">") { // <> opens for reading and writing
		c, s.rest = '>', s.rest[1:]
	}
	if s.redirect != 0 {
		s.plain = false
	}
	s.redirect = c
}

func (s *splitter) endWord() {
	if !s.some {
		return
	}
	w := s.word.String()
	switch {
	case s.redirect == '>':
		s.at.writes = append(s.at.writes, w)
	case s.redirect == '<':
		s.at.reads = append(s.at.reads, w)
	default:
		if len(s.at.words) == 0 && (assignment(w) || control[w] && !s.quoted) {
			s.plain = false
		}
		s.at.words = append(s.at.words, w)
	}
	s.redirect, s.some, s.quoted = 0, false, false
	s.word.Reset()
}

func (s *splitter) endCommand() {
	s.endWord()
	if s.redirect != 0 {
		s.plain = false
		s.redirect = 0
	}
	if len(s.at.words)+len(s.at.writes)+len(s.at.reads) > 0 {
		s.commands = append(s.commands, s.at)
	}
	s.at = command{}
}

// assignment reports whether a word sets a variable, which can change what a command does.
func assignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+") == ""
}

// control are the shell's reserved words, and commands that run others.
var control = map[string]bool{"if": true, "then": true, "else": true, "elif": true, "fi": true, "for": true, "while": true, "until": true, "do": true, "done": true,
	"case": true, "esac": true, "function": true, "select": true, "time": true, "coproc": true, "[[": true,
	"eval": true, "exec": true, "source": true, ".": true, "alias": true, "trap": true, "set": true, "export": true, "unset": true}

var hereBegin = text.Pattern{Expr: `^\$\(cat <<-?[ \t]*['"]([A-Za-z_]+)['"][ \t]*\n`}

// hereText reads $(cat <<'WORD' … WORD), which clients write for a text of several lines. It is a literal and runs nothing.
func hereText(line string) (text, rest string, ok bool) {
	m := hereBegin.Regexp().FindStringSubmatch(line)
	if m == nil {
		return "", line, false
	}
	text, rest, ok = strings.Cut("\n"+line[len(m[0]):], "\n"+m[1]+"\n")
	rest, closed := strings.CutPrefix(strings.TrimLeft(rest, " \t\n"), ")")
	return strings.TrimPrefix(text, "\n"), rest, ok && closed
}
