package agentsmd

import "testing"

func TestTitlesOfOnlyAFramework(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]bool{
		"React TypeScript App": true, "My Django Project": true, "Next.js + Express": true, "A simple Laravel website": true, "Vue/Nuxt, Basic": true,
		"React Feather Shop": false, "App": false, "The Sample": false, "": false, "Feather & React": false,
	} {
		if got := onlyFramework(title); got != want {
			t.Errorf("%q: %t", title, got)
		}
	}
}

func TestSubjectsInAnotherSentence(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]bool{"It folds paper": true, "they fold paper": true, "These fold paper": true, "That folds paper": true, "Italics fold paper": false, "This folds paper": false, "Quill folds it": false, "": false} {
		if got := pronoun(sentence); got != want {
			t.Errorf("%q: %t", sentence, got)
		}
	}
}

func TestCommandsOfAProgram(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		subject, name string
		want          bool
	}{
		{"quill fold", "quill", true}, {"quill fold", "quill-press", true}, {"quill fold", "Quill", true}, {"quill", "quill", false}, {"Quill Fold", "quill", false}, {"quill Fold", "quill", false},
		{"quill cli", "quill", false}, {"quill library", "quill", false}, {"hat fold", "quill", false}, {"quill fold it", "quill", false}, {"quill fold --all", "quill", true}, {"quill fold", "", false},
	} {
		if got := commandOf(c.subject, c.name); got != c.want {
			t.Errorf("%q of %q: %t", c.subject, c.name, got)
		}
	}
}

func TestTitlesWithoutTheirVersion(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{"🎩 Hat Suite v2.1": "Hat Suite", "Hat Suite 2.1.0": "Hat Suite", "Hats 2": "Hats 2", "v2.1": "v2.1", "Area 51.": "Area", "Hat v": "Hat v", "": "", "🎩": "", "1.0 of Hats": "1.0 of Hats"} {
		if got := withoutVersion(title); got != want {
			t.Errorf("%q: %q", title, got)
		}
	}
}

func TestLinesOfAVersion(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"v0.5.0 | March": true, "1.2": true, "Stable: v1.2.3": true, "Stable: hats": false, "2.5 hats for all": false, "v2 | March": false, "": false} {
		if got := ofRelease(s); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}

func TestSentencesThatGoOnBelow(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"This repository serves for": true, "for": true, "A tool for hats": false, "": false} {
		if got := goesOn(s); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}

func TestWithoutBrackets(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"Tools (such as hats) for all (of us)": "Tools  for all ", "Tools (such": "Tools (such", "a) b": "a) b", "": ""} {
		if got := withoutBrackets(s); got != want {
			t.Errorf("%q: %q", s, got)
		}
	}
}

func TestHeadingsOfSteps(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]bool{"the server": true, "locally": true, "quill from source": false, "with docker": true, "": false, "thesauri": false} {
		if got := startsWithGerund(rest); got != want {
			t.Errorf("%q: %t", rest, got)
		}
	}
}

// A title that describes the project outranks a weaker sentence; a sentence about "it" never outranks the one that it refers to.
func TestAboutByTitleOrSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# An offline reader of scanned paper books for small phones\n\nSee the wiki.\n":                "An offline reader of scanned paper books for small phones",
		"# Books\n\nQuill is a library for folding paper. It is a fast tool for hats of all sizes.\n":   "Quill is a library for folding paper",
		"# React TypeScript App\n\nSee the wiki.\n":                                                     "",
		"# Quill\n\n`quill fold` is a tool for hats.\n":                                                 "",
		"# Quill\n\nTools (such as the \"fold a paper\" one)\n":                                         "",
		"# Quill\n\nThis repository serves for:\n\n- hats\n":                                            "",
		"# Quill\n\nThis repo contains everything you need to run the app locally.\n":                   "",
		"# Quill\n\nOne thing to figure out: the API server for hats seems to be closed.\n":             "",
		"# Quill\n\nThis is based on the work of others on paper tools.\n":                              "",
		"# Quill\n\nEach of them is a fast tool for hats.\n":                                            "",
		"# Quill\n\nThe skeleton application for the Laravel framework.\n\nQuill is a shop for hats.\n": "Quill is a shop for hats",
	} {
		if got, sure := About(text, "quill"); got != want && (sure || want != "") {
			t.Errorf("%.60q: %q (%t), want %q", text, got, sure, want)
		}
	}
}
