package find

import "strings"

// hardPhrases name sections that are excluded even inside the criteria, and
// whose scenarios do not count either. The other excluded wordings, such as
// "Documentation", may name a group of criteria.
var hardPhrases = []string{
	"definition of done", "definition of ready", "definitions of done", "definitions of ready", "dod", "dor", "out of scope", "not in scope", "non goals", "nongoals", "non goal", "not included", "future work", "nice to have", "nice to haves", "stretch goals", "stretch goal", "won't do", "won't have",
	"tasks", "deliverables", "subtasks", "sub tasks", "todo", "to do", "todos", "task list", "action items", "next steps", "implementation notes", "implementation details", "implementation plan", "implementation steps", "technical notes", "technical details", "tech notes", "dev notes", "developer notes",
	"notes", "note", "links", "references", "reference", "related", "related issues", "resources", "see also", "attachments", "screenshots", "mockups", "designs", "dependencies", "depends on", "blocked by", "open questions", "questions", "assumptions", "risks",
	"steps to reproduce", "to reproduce", "how to reproduce", "reproduction steps", "repro steps", "actual behavior", "actual behaviour", "actual result", "actual results", "current behavior", "current behaviour", "environment", "alternatives", "estimate", "story points", "template", "before submitting", "additional context", "additional notes", "comments", "background", "context",
	"aufgaben", "nicht im scope", "hinweise", "anmerkungen", "notizen", "schritte zum reproduzieren", "hors périmètre", "tâches", "remarques", "fuera de alcance", "fuera del alcance", "tareas", "notas", "fora do escopo", "fora de escopo", "tarefas", "observações", "задачи", "примечания", "вне скоупа", "шаги воспроизведения",
	"taken", "buiten scope", "opmerkingen", "zadania", "poza zakresem", "uwagi", "対象外", "スコープ外", "やらないこと", "タスク", "再現手順", "備考", "不在范围", "超出范围", "任务", "备注", "범위 외", "제외", "작업", "참고", "完了の定義", "完成的定义",
}

// hardExcluded reports whether a title excludes what stands below it wherever it
// stands: it is such a wording, a short title that holds one of several words,
// or names criteria that are not this ticket's.
func hardExcluded(title string) bool {
	key, hard := labelKey(title), wordings().hard
	if hard.whole(key) {
		return true
	}
	words := strings.Fields(key)
	return len(words) <= maxLabelWords && (hard.within(words, 2) || wordings().accept.within(words, 1) && excludesAcceptance(key, words))
}

// hardExcludedWithin asks the same of a section and those around it.
func hardExcludedWithin(s *section) bool {
	for ; s != nil && s.means != accepts; s = s.parent {
		if s.means == excluded && hardExcluded(s.title) {
			return true
		}
	}
	return false
}
