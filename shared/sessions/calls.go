package sessions

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// edits are the tools by which clients change the files that they name, in lower case, without the marks between words and without the name
// of an extension before them.
var edits = map[string]bool{
	"edit": true, "editfile": true, "editfilev2": true, "write": true, "writefile": true, "writetofile": true, "create": true, "createfile": true,
	"multiedit": true, "notebookedit": true, "editnotebook": true, "editnotebookfile": true, "replace": true, "replaceinfile": true,
	"replacestring": true, "replacestringinfile": true, "multireplacestring": true, "multireplacestringinfile": true, "strreplace": true, "strreplaceeditor": true, "searchreplace": true,
	"searchandreplace": true, "applydiff": true, "insertcontent": true, "insertedit": true, "inserteditintofile": true, "insert": true,
	"texteditor": true, "deletefile": true, "delete": true, "undoedit": true,
}

// toolName returns the name of a tool as it stands in edits: "developer__text_editor" and "copilot_replaceString" become "texteditor" and
// "replacestring".
func toolName(name string) string {
	if at := strings.LastIndex(name, "__"); at >= 0 {
		name = name[at+2:]
	}
	name = strings.ToLower(strings.TrimPrefix(name, "copilot_"))
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(name)
}

// called emits the rows of a tool call: an edit for each file that it changes, or a command. Other calls have no row. key is the same in
// every copy of the call.
func called(row Row, key, name string, input json.RawMessage, out *sink) {
	var members map[string]json.RawMessage
	if json.Unmarshal(input, &members) != nil {
		var text string // some clients keep the input as a text
		if json.Unmarshal(input, &text) != nil {
			return
		}
		if strings.Contains(text, "*** Begin Patch") {
			row.Key = key
			patched(row, text, out)
			return
		}
		if json.Unmarshal([]byte(text), &members) != nil {
			return
		}
	}
	first := func(names ...string) string {
		for _, n := range names {
			var text string
			if json.Unmarshal(members[n], &text) == nil && text != "" {
				return text
			}
		}
		return ""
	}
	row.Key = key
	name = toolName(name)
	if patch := first("patch", "input", "patchText"); name == "applypatch" || strings.Contains(patch, "*** Begin Patch") {
		patched(row, patch, out)
		return
	}
	if edits[name] {
		row.Kind = Edit
		row.Path = local(first("file_path", "filePath", "path", "target_file", "relativeWorkspacePath", "absolute_path", "notebook_path", "filename"))
		switch {
		case row.Path == "":
			replaced(row, members["replacements"], out)
		case first("command") != "view":
			out.put(row)
		}
		return
	}
	if row.Text = first("command", "cmd"); row.Text == "" {
		var words []string
		if json.Unmarshal(members["command"], &words) != nil {
			return
		}
		row.Text = shellLine(words)
	}
	if row.Text != "" && !strings.Contains(name, "editor") {
		row.Kind = Command
		out.put(row)
	}
}

// replaced emits an edit for each file that a list of replacements names.
func replaced(row Row, list json.RawMessage, out *sink) {
	var all []struct {
		Path string `json:"filePath"`
	}
	if json.Unmarshal(list, &all) != nil {
		return
	}
	key := row.Key
	for _, one := range all {
		if path := local(one.Path); path != "" {
			row.Path, row.Key = path, key+" "+path
			out.put(row)
		}
	}
}

// shellLine returns a command, given as words, in the form that people type.
func shellLine(command []string) string {
	if len(command) == 3 && strings.HasPrefix(command[1], "-") && strings.HasSuffix(command[1], "c") {
		return command[2] // bash -lc COMMAND
	}
	return strings.Join(command, " ")
}

// failedWith emits that the call with a key failed, with its output.
func failedWith(row Row, key, text string, out *sink) {
	row.Kind, row.Key, row.Failed, row.Text = Result, key, true, text
	out.put(row)
}

// speakers are the names that clients have for a person and for the model.
var speakers = map[string]Kind{"user": Prompt, "assistant": Answer, "model": Answer, "gemini": Answer}

// speaks emits what one of the speakers wrote.
func speaks(row Row, key, role, text string, out *sink) {
	row.Kind, row.Key, row.Text = speakers[role], key, strings.TrimSpace(text)
	if row.Kind != 0 && row.Text != "" && !generated(row.Text) {
		out.put(row)
	}
}

// block is one part of a message in the form of Anthropic's API, which other clients keep as well.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Call    string          `json:"tool_use_id"`
	Call2   string          `json:"toolUseID"`
	Content json.RawMessage `json:"content"`
	Error   bool            `json:"is_error"`
	Run     *struct {
		Status string          `json:"status"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	} `json:"run"`
}

// blocks returns the parts of a content; a content that is a text is one part. Parts whose members have unexpected types are left out.
func blocks(content json.RawMessage) []block {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var raw []json.RawMessage
	if json.Unmarshal(content, &raw) != nil {
		return nil
	}
	var all []block
	for _, one := range raw {
		var b block
		if json.Unmarshal(one, &b) == nil {
			all = append(all, b)
		}
	}
	return all
}

// moment returns a time in the forms that clients write: a text, or seconds or milliseconds since 1970; the zero time for anything else.
func moment(raw json.RawMessage) time.Time {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05"} {
			if at, err := time.Parse(layout, text); err == nil {
				return sane(at)
			}
		}
		raw = json.RawMessage(text)
	}
	var number float64
	if json.Unmarshal(raw, &number) != nil || number <= 0 {
		return time.Time{}
	}
	if number < 1e11 {
		number *= 1000
	}
	if number > 1e14 {
		return time.Time{}
	}
	return sane(time.UnixMilli(int64(number)).UTC())
}

// sane returns a time of this or the next century, else the zero time.
func sane(at time.Time) time.Time {
	if at.Year() < 1990 || at.Year() > 2200 {
		return time.Time{}
	}
	return at
}

// local returns the path of a file that a client names by its path or by a file URI.
func local(name string) string {
	if !strings.Contains(name, "://") {
		return name
	}
	u, err := url.Parse(name)
	if err != nil || u.Scheme != "file" && u.Scheme != "vscode-remote" {
		return ""
	}
	return drive(u.Path)
}

// drive returns the path of a URI in this system's form.
func drive(path string) string {
	if len(path) > 2 && path[0] == '/' && path[2] == ':' { // file:///c:/src
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

// noUsage is for files that hold no token counts.
func noUsage([]byte) bool { return false }
