package redact

import (
	"strings"
	"unicode/utf8"
)

// operators join a name and its value; the longest that fits wins.
var operators = []struct {
	text string
	kind link
}{
	{":=", assigned}, {"<-", assigned}, {"<<-", assigned}, {"- ", spread}, {"=>", assigned}, {"===", assigned}, {"!==", assigned}, {"==", assigned}, {"!=", assigned}, {"?=", assigned}, {"+=", assigned}, {"||=", assigned}, {"??=", assigned}, {"||", assigned}, {"??", assigned}, {"->", assigned}, {"=", assigned},
	{"：", colon}, {"﹕", colon}, {"︰", colon}, {"＝", assigned}, {":", colon}, {">>", assigned}, {">", colon}, {"→", assigned}, {"⇒", assigned}, {"»", assigned}, {"—", said}, {"–", said}, {"|", cell}, {"／", said}, {"…", said},
}

// letterOperators are words that join the two without a blank, in languages that have none.
var letterOperators = byFirst("已改为", "已改成", "已更改为", "已重置为", "已设置为", "已改為", "更改为", "重置为", "设置为", "改為", "が", "を変更：", "是", "为", "為", "は", "が", "：", "は：", "이", "은", "는", "을", "를", "改为", "改成", "を")

// copulas follow a name directly and introduce its value.
var copulas = byFirst("by lazy { ", "is now ", "is: ", "is set to ", "is still ", "is ", "was ", "are ", "equals ", "ist jetzt ", "ist: ", "ist ", "lautet: ", "lautet ", "war ", "heißt ", "est maintenant ", "est : ", "est ", "sont ", "es: ", "es ahora ", "es ", "è ", "e\u0300 ", "e' ", "é: ", "é ", "e\u0301 ", "är ", "er ", "on ", "to ", "jest ", "je: ", "je ", "это ", "есть ", "be ", "becomes ", "será ", "sarà ", "sera ", "wordt ", "blir ", "brzmi ", "zní ", "olan ", "a ", "is\u00a0", "value=", "value ", "= ", "now ", "currently ", "changed to ", "set to ", "reset to ", "adalah ", "là ", "这是 ", "是 ", "は ", "です ", "입니다 ")

// linking are words between a name and a statement about it, in the languages of names: The password for staging was changed to …
var linking = set(`is was are were be been has have had now currently still the a an of for in on at to by from with and our my your their this that new old temporary initial default current changed change set reset rotated updated switched moved became become becomes again today yesterday it its host server db database admin root user account login prod production staging stage dev test box vm cluster router wifi backup ci production, staging,
	das der die den dem des für fuer von zum zur im in auf ist wurde wird lautet jetzt nun neu neue neues geändert geaendert gesetzt heißt ab
	le la les du de des pour sur est a été ete maintenant changé change changée en par nouveau défini mis est à
	se el los las del para con es ahora fue ha sido cambiada cambiado a nueva cambió cambio establecida por
	il lo della del dello per è stata stato ora cambiata cambiato in nuova impostata su
	o os as da do das dos para com é foi agora alterada alterado mudou mudada trocada definida nova
	het voor van op gewijzigd veranderd naar nieuw nieuwe ingesteld werd werd nu wordt
	är till för ändrat ändrades ändrad nytt nya nu på av blev satt har ändrats
	jest dla do na zmieniono zmienione ustawiono nowe nowy to teraz zostało zostalo ma
	je pro na změněno zmeneno nastaveno nové nove nyní bylo byl
	для от на это изменён изменен новый новая теперь сменён сменили к в был установлен
	er til ble ble endret endra ny nå blev ændret sat`)

// last are the linking words that end a clause before its value.
var last = set(`is was are to now becomes be: ist lautet auf jetzt est à en es a è in é para su naar är till på jest na je это на теперь er til wordt : = —`)

// closers skips the closing marks of a quoted, styled or bracketed name. It returns where the rest begins, and whether quotes or tags were
// skipped.
func (t *text) closers(i int) (to int, quotes, tags bool) {
	for n := 0; n < 24 && i < len(t.s); n++ {
		switch c := t.s[i]; {
		case c == '"' || c == '\'' || c == '`' || c == '\\' && t.byteAt(i+1) != '\n':
			quotes = true
			i++
		case c == ']' || c == '*' || c == ')' && quotes || c == '}' && t.byteAt(i+1) == '}' || c == '}' && t.byteAt(i-1) == '}' || c == '?' && t.byteAt(i+1) == ':' || c == '!' && (t.byteAt(i+1) == '.' || t.byteAt(i+1) == ':' || t.byteAt(i+1) == ' '):
			i++
		case c == '_' && t.byteAt(i+1) == '_' || c == '~' && t.byteAt(i+1) == '~' || c == '|' && t.byteAt(i+1) == '|' && strings.IndexByte(" =\"'`", t.byteAt(i+2)) < 0:
			i += 2
		case c == '<':
			end := t.tag(i)
			if end == 0 {
				return i, quotes, tags
			}
			i, tags = end, true
		case strings.HasPrefix(t.s[i:], "&quot;"):
			i, quotes = i+6, true
		case strings.HasPrefix(t.s[i:], "&#34;"), strings.HasPrefix(t.s[i:], "&#39;"):
			i, quotes = i+5, true
		case strings.HasPrefix(t.s[i:], "”"), strings.HasPrefix(t.s[i:], "“"):
			i, quotes = i+3, true
		case strings.HasPrefix(t.s[i:], "」"), strings.HasPrefix(t.s[i:], "»"):
			_, size := utf8.DecodeRuneInString(t.s[i:])
			i, quotes = i+size, true
		default:
			return i, quotes, tags
		}
	}
	return i, quotes, tags
}

// longestTag is how many bytes an HTML or XML tag between a name and its value has at most.
const longestTag = 200

// tag returns where the tag at t.s[i:] ends, or 0 for none.
func (t *text) tag(i int) int {
	c := t.byteAt(i + 1)
	if t.byteAt(i) != '<' || !is(c, letter) && c != '/' && c != '!' {
		return 0
	}
	end := t.find('>', i)
	if end-i > longestTag || end >= len(t.s) {
		return 0
	}
	return end + 1
}

// blanks skips white space within a line, and a backslash before the line's end.
func (t *text) blanks(i int) int {
	for n := 0; n < 40; n++ {
		switch c := t.byteAt(i); {
		case c == ' ' || c == '\t':
			i++
		case c == 0xc2 && t.byteAt(i+1) == 0xa0:
			i += 2
		case c == 0xe2 && t.byteAt(i+1) == 0x80 && (t.byteAt(i+2) == 0xaf || t.byteAt(i+2) == 0x89 || t.byteAt(i+2) == 0x8b), c == 0xe3 && t.byteAt(i+1) == 0x80 && t.byteAt(i+2) == 0x80:
			i += 3
		case c == '\\' && t.byteAt(i+1) == '\n':
			i += 2
		case c == '\\' && t.byteAt(i+1) == '\r' && t.byteAt(i+2) == '\n', c == '`' && t.byteAt(i+1) == '\r' && t.byteAt(i+2) == '\n':
			i += 3
		case c == '`' && t.byteAt(i+1) == '\n' || c == '^' && t.byteAt(i+1) == '\n': // of PowerShell and cmd
			i += 2
		case c == '&' && strings.HasPrefix(t.s[i:], "&nbsp;"):
			i += 6
		default:
			return i
		}
	}
	return i
}

// opening skips the marks between an operator and its value: bold marks, tags, the tags and anchors of YAML.
func (t *text) opening(i int) int {
	for n := 0; n < 16; n++ {
		i = t.blanks(i)
		switch c := t.byteAt(i); {
		case c == '*' && t.byteAt(i+1) == '*' || c == '_' && t.byteAt(i+1) == '_' && t.byteAt(i+2) != '_' || c == '~' && t.byteAt(i+1) == '~':
			i += 2
		case c == '*' && n > 0 || (c == '*' || c == '_') && t.byteAt(i+1) == ' ':
			i++
		case c == '<':
			end := t.tag(i)
			if end == 0 {
				return i
			}
			i = end
		case c == '!' && (t.byteAt(i+1) == '!' || hasFold(t.s[i:], "!str ") || hasFold(t.s[i:], "!binary ")):
			end := t.end(written, i)
			if t.byteAt(end) != ' ' {
				return i
			}
			i = end
		case c == '&' && is(t.byteAt(i+1), letter) && t.byteAt(t.end(word, i+1)) == ' ':
			i = t.end(word, i+1)
		default:
			return i
		}
	}
	return i
}

// asides are beginnings of texts that may stand between a name and its operator.
var asides = byFirst("(", "[", "（", "for ", "of ", "on ", "in ", "to ", "at ", "für ", "von ", "pour ", "de ", "du ", "para ", "per ", "voor ", "för ", "dla ", "pro ", "для ", "del ", "da ", "do ", "van ", "der ")

// aside returns the length of a text between a name and its operator in prose: "(staging)", "for the server".
func aside(s string) int {
	if s == "" || asides.match(s) == "" {
		return 0
	}
	for i := 0; i < min(len(s), 48); i++ {
		switch c := s[i]; {
		case c == ':' || c == '=':
			return i
		case strings.HasPrefix(s[i:], "："):
			return i
		case c != ' ' && c != '(' && c != ')' && c != '\'' && c != '@' && c != '%' && c != '[' && c != ']' && !is(c, dotted) && c < utf8.RuneSelf:
			return 0
		}
	}
	return 0
}

// schemes name how a request is authorized.
var schemes = byFirst("bearer ", "bearer: ", "basic ", "token ", "token token=", "token=", "apikey ", "api-key ", "ssws ", "negotiate ", "digest ", "key ", "key=", "bot ", "jwt ", "oauth ", "geniekey ", "hmac ", "sharedkey ", "splunk ")
