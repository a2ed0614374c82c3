package manifest

import "strings"

// A token of a program text that is read without running it: enough to distinguish names, strings and brackets, and to skip comments.
type token struct {
	kind tokenKind
	text string // of a string, what is between its quotes
	line int
}

type tokenKind uint8

const (
	nameToken tokenKind = iota
	stringToken
	punctToken
	newlineToken
)

// maxTokens bounds the memory for a hostile file; build files have some thousands of tokens.
const maxTokens = 400_000

// A lexer splits a text; languages differ in their comments and strings.
type lexer struct {
	text   string
	pos    int
	line   int
	tokens []token
	// lineComment starts a comment to the end of the line; block says whether /* */ comments exist.
	lineComment string
	block       bool
	triple      bool // """ and ''' strings
	newlines    bool // keep line ends as tokens
	dollar      bool // $ belongs to names
	erlang      bool // strings go on over line ends, and $" is a character
	long        bool // [[ ]] strings, and comments --[[ ]]
}

// hashTokens splits Python and Elixir, and what looks like them.
func hashTokens(text string) []token {
	return (&lexer{text: text, lineComment: "#", triple: true}).run()
}

// gradleTokens splits Groovy and Kotlin alike.
func gradleTokens(text string) []token {
	return (&lexer{text: text, lineComment: "//", block: true, triple: true, newlines: true, dollar: true}).run()
}

func (l *lexer) run() []token {
	l.line = 1
	for l.pos < len(l.text) && len(l.tokens) < maxTokens {
		c := l.text[l.pos]
		switch {
		case c == '\n':
			if l.newlines && (len(l.tokens) == 0 || l.tokens[len(l.tokens)-1].kind != newlineToken) {
				l.emit(newlineToken, "\n", 1)
			} else {
				l.pos++
			}
			l.line++
		case c == '\\' && strings.HasPrefix(l.text[l.pos+1:], "\n"): // the line continues
			l.pos += 2
			l.line++
		case c == ' ' || c == '\t' || c == '\f':
			l.pos++
		case l.erlang && c == '$':
			l.pos = min(l.pos+2, len(l.text))
		case l.long && strings.HasPrefix(l.text[l.pos:], "--[["):
			l.skipTo("]]", 2)
		case l.long && strings.HasPrefix(l.text[l.pos:], "[["):
			start, line := l.pos+2, l.line
			l.skipTo("]]", 2)
			l.tokens = append(l.tokens, token{stringToken, strings.TrimSuffix(l.text[min(start, l.pos):l.pos], "]]"), line})
		case strings.HasPrefix(l.text[l.pos:], l.lineComment):
			l.skipTo("\n", 0)
		case l.block && strings.HasPrefix(l.text[l.pos:], "/*"):
			l.skipTo("*/", 2)
		case l.triple && (strings.HasPrefix(l.text[l.pos:], `"""`) || strings.HasPrefix(l.text[l.pos:], `'''`)):
			l.quoted(l.text[l.pos : l.pos+3])
		case c == '"' || c == '\'' || c == '`':
			l.quoted(string(c))
		case isWord(rune(c)) || l.dollar && c == '$' || c >= 0x80:
			end := l.pos
			for end < len(l.text) && (isWord(rune(l.text[end])) || l.dollar && l.text[end] == '$' || l.text[end] >= 0x80) {
				end++
			}
			l.emit(nameToken, l.text[l.pos:end], end-l.pos)
		default:
			l.emit(punctToken, string(c), 1)
		}
	}
	return l.tokens
}

func (l *lexer) emit(kind tokenKind, text string, size int) {
	l.tokens = append(l.tokens, token{kind, text, l.line})
	l.pos += size
}

// skipTo skips everything up to the mark, and keep bytes of the mark.
func (l *lexer) skipTo(mark string, skip int) {
	end := strings.Index(l.text[l.pos:], mark)
	if end < 0 {
		l.pos = len(l.text)
		return
	}
	l.line += strings.Count(l.text[l.pos:l.pos+end+skip], "\n")
	l.pos += end + skip
}

// quoted reads a string up to its closing quote or the end of the line, so that a stray quote costs one line.
func (l *lexer) quoted(quote string) {
	start, line := l.pos+len(quote), l.line
	end := start
	for end < len(l.text) && !strings.HasPrefix(l.text[end:], quote) {
		if l.text[end] == '\\' && end+1 < len(l.text) {
			end++
		}
		if l.text[end] == '\n' {
			if len(quote) == 1 && !l.erlang {
				break
			}
			l.line++
		}
		end++
	}
	end = min(end, len(l.text))
	for len(quote) == 3 && strings.HasPrefix(l.text[end:], quote) && strings.HasPrefix(l.text[end+3:], quote[:1]) {
		end++ // the last three end it
	}
	l.tokens = append(l.tokens, token{stringToken, l.text[start:end], line})
	l.pos = end
	if strings.HasPrefix(l.text[end:], quote) {
		l.pos += len(quote)
	}
}
