package find

import (
	"iter"
	"strings"
	"sync"
)

// acceptPhrases mean acceptance criteria anywhere in a heading.
var acceptPhrases = []string{
	"acceptance criteria", "acceptance criterion", "acceptance criterias", "acceptance criterions",
	"acceptance conditions", "acceptance condition", "acceptance requirements", "acceptance checklist",
	"accept criteria", "acceptable criteria", "acceptance checks",
	"conditions of satisfaction", "conditions of acceptance", "criteria for acceptance", "criteria of acceptance", "conditions for acceptance",
	"success criteria", "success criterion", "criteria for success", "completion criteria", "exit criteria", "done criteria", "closing criteria", "validation criteria",
	"verification criteria", "satisfaction criteria", "pass criteria", "resolution criteria", "criteria of success",
	// German
	"akzeptanzkriterien", "akzeptanzkriterium", "akzeptanz kriterien", "akzeptanz kriterium", "abnahme kriterium", "abnahmekriterium", "abnahmekriterien", "abnahme kriterien", "abnahmebedingungen", "erfolgskriterien",
	// French
	"critères d'acceptation", "critère d'acceptation", "criteres d'acceptation", "critères d'acceptance", "critères de validation", "critères de succès",
	"critères d'acceptabilité", "conditions d'acceptation", "critères de recette",
	// Spanish, Portuguese, Italian, Catalan, Romanian
	"criterios de aceptación", "criterios de aceptacion", "criterio de aceptación", "condiciones de aceptación", "criterios de éxito",
	"critérios de aceitação", "criterios de aceitação", "critérios de aceitacao", "criterios de aceitacao", "critério de aceitação", "critérios de aceite", "criterios de aceite", "critério de aceite",
	"critérios de sucesso", "condições de aceitação",
	"criteri di accettazione", "criterio di accettazione", "criteri di accettabilità", "criteri d'accettazione",
	"criteris d'acceptació", "criterii de acceptare", "criterii de acceptanță",
	// Dutch, Scandinavian, Finnish
	"acceptatiecriteria", "acceptatie criteria", "acceptatiecriterium", "acceptatievoorwaarden",
	"acceptanskriterier", "acceptkriterier", "acceptkriterium", "acceptanskriterium", "akseptansekriterier", "akseptansekriterie", "acceptans kriterier", "godkjenningskriterier", "godkendelseskriterier",
	"hyväksymiskriteerit", "hyväksyntäkriteerit", "hyväksymisehdot",
	// Slavic, Hungarian, Turkish, Greek, Baltic
	"kryteria akceptacji", "kryterium akceptacji", "kryteria akceptacyjne", "warunki akceptacji", "kryteria odbioru",
	"akceptační kritéria", "akceptacni kriteria", "kritéria přijetí", "akceptačné kritériá", "kriteriji prihvatljivosti", "kriteriji prihvaćanja", "kriterijumi prihvatanja", "kriteriji sprejemljivosti",
	"критерии приемки", "критерии приёмки", "критерии принятия", "критерии приема", "критерии приёма", "критерий приемки", "критерии готовности", "условия приемки", "условия приёмки", "приемочные критерии",
	"критерії приймання", "критерії прийняття", "критерії прийому", "критерии за приемане",
	"elfogadási kritériumok", "elfogadási feltételek", "átvételi kritériumok",
	"kabul kriterleri", "kabul kriteri", "kabul koşulları", "kabul şartları",
	"κριτήρια αποδοχής", "aktsepteerimiskriteeriumid", "vastuvõtukriteeriumid", "priėmimo kriterijai", "pieņemšanas kritēriji",
	// Asian and right-to-left
	"受け入れ条件", "受入条件", "受け入れ基準", "受入基準", "受入れ条件", "受入れ基準", "受け入れ要件", "受入要件", "完了条件", "完了基準",
	"验收标准", "验收条件", "验收准则", "接受标准", "接收标准", "验收要求", "验收点", "完成标准", "驗收標準", "驗收條件", "驗收準則", "接受條件", "完成條件", "完成条件",
	"인수 조건", "인수조건", "인수 기준", "수용 기준", "수용 조건", "수락 기준", "완료 조건", "완료조건", "승인 기준",
	"kriteria penerimaan", "tiêu chí chấp nhận", "tiêu chí nghiệm thu", "điều kiện chấp nhận", "เกณฑ์การยอมรับ", "स्वीकृति मानदंड",
	"معايير القبول", "شروط القبول", "معیارهای پذیرش", "קריטריוני קבלה", "תנאי קבלה",
}

// acceptTestPhrases name acceptance tests. They are the criteria when the ticket has no others; beside others they describe how to try
// those.
var acceptTestPhrases = []string{
	"acceptance tests", "acceptance test", "acceptance scenarios",
	"akzeptanztests", "abnahmetests", "akzeptanztest", "abnahmetest", "tests d'acceptation", "tests d'acceptance", "pruebas de aceptación", "testes de aceitação", "受け入れテスト", "인수 테스트",
}

// acceptWhole are too short or too common to be looked for inside a heading.
var acceptWhole = []string{
	"ac", "acs", "a c", "ac s", "ac's", "acceptance", "criteria", "acs list", "ac list", "ac dod", "dod ac", "ak", "aks", "uat", "uat criteria",
	"done when", "this is done when", "it is done when", "we are done when", "we're done when", "done if", "done means", "this issue is done when", "this ticket is done when", "this task is done when",
	"this story is done when", "this is complete when", "complete when", "this issue is complete when", "what does done look like", "what done looks like", "done looks like", "what does success look like", "what success looks like", "success looks like", "what good looks like", "how will we know we succeeded", "how do we know this is done",
	"how will we know this is done", "how do we know we're done", "how do we know we are done", "how will we know when this is done", "how do we know it's done", "how do we know when it's done",
	"how will we know we're done", "we will know this is done when", "we know we are done when", "what must be true", "must be true", "acceptable when", "accepted when",
	"this can be closed when", "this issue can be closed when", "can be closed when", "close when", "close this when", "resolved when",
	"kriterien", "critères", "criterios", "critérios", "criteri", "kriterier", "kryteria", "kriteria", "критерии", "критерії",
	"fertig wenn", "erledigt wenn",
}

// requirePhrases begin or end headings of requirements.
var requirePhrases = []string{
	"requirements", "requirement", "functional requirements", "non functional requirements", "nonfunctional requirements", "user requirements", "business requirements",
	"business rules", "must haves", "must have", "musts", "reqs", "specification", "specifications", "functional specification", "rules",
	"validation rules", "goals and requirements",
	"anforderungen", "funktionale anforderungen", "anforderung", "exigences", "exigences fonctionnelles", "besoins", "règles de gestion", "règles métier",
	"requisitos", "requisitos funcionales", "requisitos funcionais", "requerimientos", "reglas de negocio", "regras de negócio", "requisiti", "requisiti funzionali",
	"vereisten", "eisen", "krav", "kravspecifikation", "vaatimukset", "wymagania", "wymagania funkcjonalne", "požadavky", "požiadavky", "требования", "функциональные требования", "вимоги",
	"követelmények", "gereksinimler", "απαιτήσεις", "要件", "機能要件", "仕様", "需求", "功能需求", "功能要求", "요구사항", "요구 사항", "기능 요구사항", "persyaratan", "yêu cầu", "المتطلبات", "דרישות",
}

// excludedPhrases name sections with lists of something else.
var excludedPhrases = []string{
	"definition of done", "definition of ready", "definitions of done", "definitions of ready", "dod", "dor", "done checklist", "ready checklist",
	"tasks", "task", "subtasks", "sub tasks", "sub task", "to do", "todo", "todos", "to dos", "task list", "tasklist", "task breakdown", "work breakdown", "breakdown",
	"action items", "actions", "next steps", "implementation steps", "implementation tasks", "implementation plan", "implementation details", "implementation notes", "implementation", "dev tasks", "development tasks",
	"dev notes", "developer notes", "development notes", "technical notes", "technical details", "tech notes", "technical tasks", "technical approach", "technical implementation", "technical design", "technical considerations", "engineering notes",
	"plan", "rollout plan", "test plan", "testing plan", "testing notes", "testing", "tests", "tests to write", "tests to add", "required tests", "test cases", "test steps", "how to test", "testing instructions", "testing steps", "qa notes", "qa steps", "test data", "unit tests", "qa",
	"steps to reproduce", "step to reproduce", "reproduction steps", "reproduction", "repro steps", "repro", "how to reproduce", "to reproduce", "steps", "steps taken", "reproduce", "minimal reproduction", "reproducible example",
	"actual behaviour", "actual behavior", "actual result", "actual results", "actual outcome", "actual", "deliverables", "deliverable", "current behaviour", "current behavior", "current result", "observed behaviour", "observed behavior", "what happened", "what happens", "what actually happens", "what actually happened",
	"current state", "current situation", "as is", "problem", "problem statement", "the problem", "root cause", "cause",
	"environment", "environments", "system info", "system information", "your environment", "version", "versions", "versions affected", "affected versions", "platform", "platforms", "desktop", "smartphone", "browsers", "browser", "device", "devices", "setup", "software versions", "configuration", "tech stack", "hardware", "system requirements", "hardware requirements", "software requirements", "minimum requirements", "environment requirements", "installation requirements",
	"out of scope", "not in scope", "non goals", "nongoals", "non goal", "not included", "exclusions", "scope exclusions", "won't do", "wont do", "future work", "future enhancements", "future", "later", "nice to have", "nice to haves", "stretch goals", "stretch", "follow up", "follow ups", "followups", "followup", "bonus", "won't have", "could have", "optional",
	"links", "useful links", "references", "reference", "related", "related issues", "related tickets", "related links", "related stories", "related prs", "related work", "related to", "resources", "see also", "documentation links", "designs", "design links", "attachments", "screenshots", "screenshot", "mockups", "mockup", "wireframes", "files", "files to modify", "files to change", "affected files", "key files", "files touched", "relevant files", "sources", "further reading", "materials",
	"dependencies", "dependency", "depends on", "blocked by", "blockers", "blocking", "blocks", "prerequisites", "prerequisite", "pre requisites", "preconditions", "precondition", "assumptions", "assumption", "risks", "risk", "open questions", "questions", "open issues", "decisions", "unknowns", "impediments",
	"notes", "note", "additional notes", "additional info", "additional information", "additional context", "additional details", "other information", "comments", "comment", "remarks", "hints", "hint", "tips",
	"alternatives", "alternatives considered", "alternative solutions", "describe alternatives you've considered", "rejected alternatives", "rejected", "rejected ideas", "considered and rejected", "discarded", "discarded ideas", "verworfen", "rejeté", "options", "possible solutions", "possible solution", "suggested fix", "possible fix", "workaround", "workarounds",
	"estimate", "estimates", "estimation", "effort", "story points", "priority", "severity", "impact", "labels", "assignee", "assignees", "team", "stakeholders", "personas", "roles", "timeline", "milestones", "schedule", "metrics", "success metrics", "kpis", "kpi", "key metrics",
	"logs", "log", "log output", "logs and output", "error", "error message", "error messages", "stack trace", "stacktrace", "traceback", "console output", "output", "debug output", "crash report", "code", "example", "examples", "sample", "sample code", "code sample", "example usage",
	"before submitting", "before you submit", "pre submission checklist", "checklist", "checklists", "submission checklist", "prior to submission", "first check", "preflight checklist", "preflight", "verify canary release", "contribution", "contributing", "contributor guide", "code of conduct", "agreement", "terms", "confirmation", "i have", "are you willing to submit a pr", "willing to contribute", "is there an existing issue for this", "please confirm", "pr checklist", "review checklist", "reviewer checklist", "release checklist", "deployment checklist", "qa checklist", "code review checklist", "type of change", "type", "types of changes", "kind", "area", "component", "components", "affected area", "affected areas", "category",
	"changelog", "change log", "what changed", "changes", "changes made", "what's changed", "history", "status", "progress", "updates", "update", "background", "why", "motivation", "rationale", "context",
	"lessons learned", "acceptance criteria template", "instructions", "how to use this template", "template", "deployment", "deployment notes", "rollback", "rollback plan", "monitoring", "documentation", "benefits", "value", "business value", "user value", "user stories", "user story", "story", "use cases", "use case", "research", "data", "ideas", "discussion", "agenda", "attendees", "meeting notes",
	"test results", "testing results", "results of testing", "test result", "qa results", "qa result", "qa status", "test evidence", "evidence", "proof", "verified on", "tested on", "verification", "verification steps", "verification results", "verification plan", "how to verify", "how tested", "how has this been tested", "manual testing", "manual test", "manual verification",
	"test scenarios", "test scenario", "test case", "testing scenarios", "testing checklist", "test checklist", "testing strategy", "test strategy", "testing required", "areas to test", "test coverage", "regression tests",
	"glossary", "definitions", "definition", "terminology", "vocabulary", "abbreviations", "acronyms", "legend", "keywords",
	"files to create", "files changed", "files involved", "files likely affected", "files modified", "locations", "location", "code location", "code locations", "affected code", "affected components", "source files", "urls", "url", "endpoints affected", "test environments", "test accounts", "credentials", "supported environments",
	"priority and estimate", "sizing", "size", "complexity", "estimated effort", "effort estimate", "estimated hours", "time estimate", "risk level", "skills required", "skills", "sprint", "epic",
	"before merging", "merge checklist", "readiness checklist", "pull request readiness checklist", "issue submission checklist", "contributor checklist", "author checklist", "pull request checklist", "template checklist",
	"questions for product", "questions for design", "clarifications", "to clarify", "to be clarified", "to discuss", "for discussion", "open points", "remaining tasks", "required actions", "recommendations", "recommended fix", "recommended solution", "root causes", "sub issues", "subissues", "child issues", "child tickets", "linked issues",
	"testergebnisse", "testergebnis", "glossar", "begriffe", "betroffene dateien", "fragen", "priorität", "aufwand", "schätzung", "testprotokoll", "résultats des tests", "glossaire", "fichiers", "estimation", "priorité", "resultados de pruebas", "glosario", "archivos", "prioridad", "prioridade", "glossário", "arquivos", "resultados dos testes",
	// other languages
	"aufgaben", "teilaufgaben", "unteraufgaben", "schritte zum reproduzieren", "reproduktion", "umgebung", "nicht im scope", "nicht enthalten", "nicht teil", "hinweise", "anmerkungen", "notizen", "abhängigkeiten", "offene fragen", "verweise", "technische hinweise", "technische details", "aktuelles verhalten", "ist zustand", "definition of done kriterien",
	"zu erledigen", "noch zu tun", "noch zu erledigen", "offene punkte", "nächste schritte", "umsetzung", "implementierung", "technische umsetzung", "checkliste", "prüfliste", "testfälle", "testdaten", "hintergrund",
	"à faire", "reste à faire", "étapes suivantes", "prochaines étapes", "mise en œuvre", "liste de contrôle", "cas de test", "données de test", "questions ouvertes", "contexte",
	"por hacer", "pendientes", "próximos pasos", "lista de verificación", "casos de prueba", "a fazer", "próximos passos", "da fare", "prossimi passi", "te doen", "do zrobienia", "сделать", "чек лист",
	"tâches", "sous tâches", "étapes pour reproduire", "étapes de reproduction", "environnement", "hors périmètre", "hors scope", "liens", "remarques", "dépendances", "notes techniques", "comportement actuel", "définition de terminé",
	"tareas", "subtareas", "pasos para reproducir", "entorno", "fuera de alcance", "fuera del alcance", "enlaces", "notas", "notas técnicas", "dependencias", "comportamiento actual", "definición de hecho", "definición de terminado", "criterios de terminado",
	"tarefas", "subtarefas", "passos para reproduzir", "ambiente", "fora do escopo", "fora de escopo", "links úteis", "observações", "dependências", "comportamento atual", "definição de pronto", "definição de feito",
	"attività", "compiti", "passi per riprodurre", "fuori ambito", "note", "dipendenze", "definizione di fatto",
	"taken", "subtaken", "stappen om te reproduceren", "omgeving", "buiten scope", "opmerkingen", "afhankelijkheden", "notities",
	"zadania", "podzadania", "kroki do odtworzenia", "środowisko", "poza zakresem", "uwagi", "zależności", "definicja ukończenia",
	"задачи", "подзадачи", "шаги воспроизведения", "шаги для воспроизведения", "шаги", "окружение", "вне скоупа", "не входит", "ссылки", "примечания", "заметки", "зависимости", "фактический результат", "определение готовности",
	"завдання", "підзадачі", "кроки відтворення", "посилання", "примітки",
	"uppgifter", "oppgaver", "opgaver", "beroenden", "anteckningar", "länkar", "görevler", "notlar",
	"タスク", "作業内容", "やること", "todoリスト", "再現手順", "環境", "対象外", "スコープ外", "やらないこと", "参考", "関連", "備考", "メモ", "補足", "現状", "背景", "課題", "実装方針", "実装メモ", "完了の定義",
	"任务", "子任务", "待办", "复现步骤", "重现步骤", "环境", "不在范围", "超出范围", "参考", "相关", "备注", "说明", "依赖", "背景", "现状", "完成的定义", "完成定义", "任務", "參考", "備註",
	"작업", "할 일", "할일", "재현 방법", "재현 단계", "환경", "범위 외", "제외", "참고", "관련", "비고", "메모", "배경", "완료의 정의", "완료 정의",
}

// prosePhrases name sections about the desired state; their sentences may be criteria.
var prosePhrases = []string{
	"description", "summary", "overview", "expected", "expected results", "expected result", "expected outcome", "expected outcomes", "expected behaviour", "expected behavior", "desired behaviour", "desired behavior", "what did you expect to happen", "what you expected to happen", "what should happen",
	"proposal", "proposed solution", "solution", "feature", "feature request", "feature description", "scope", "in scope", "goal", "goals", "objective", "objectives", "purpose",
	"beschreibung", "erwartetes verhalten", "comportement attendu", "comportamiento esperado", "comportamento esperado", "ожидаемый результат", "ожидаемое поведение", "期待する動作", "期望行为", "预期行为", "기대 동작",
}

// labelWords begin the names of single criteria ("AC1").
var labelWords = set("ac acs criterion criteria crit uac ak ca ca req")

// wordSet is a set of words, made at its first use: most commands read no ticket, and making all sets takes longer than many a query. nil
// is the empty set.
type wordSet struct {
	text string
	once sync.Once
	in   map[string]bool
}

// set returns the set of the words in a text.
func set(text string) *wordSet { return &wordSet{text: text} }

func (s *wordSet) has(word string) bool {
	if s == nil {
		return false
	}
	s.once.Do(func() {
		s.in = map[string]bool{}
		for _, w := range strings.Fields(s.text) {
			s.in[w] = true
		}
	})
	return s.in[word]
}

// words yields the words of a set in their order.
func (s *wordSet) words() iter.Seq[string] { return strings.FieldsSeq(s.text) }
