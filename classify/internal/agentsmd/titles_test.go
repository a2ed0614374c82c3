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

func TestHeadingsOfSteps(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]bool{"the server": true, "locally": true, "quill from source": false, "with docker": true, "": false, "thesauri": false} {
		if got := startsWithGerund(rest); got != want {
			t.Errorf("%q: %t", rest, got)
		}
	}
}

// A title that tells what the project is counts before a weaker sentence, and a sentence about "it" not at all beside the one that it goes back to.
func TestAboutByTitleOrSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# An offline reader of scanned paper books for small phones\n\nSee the wiki.\n":                "An offline reader of scanned paper books for small phones",
		"# Books\n\nQuill is a library for folding paper. It is a fast tool for hats of all sizes.\n":   "Quill is a library for folding paper",
		"# React TypeScript App\n\nSee the wiki.\n":                                                     "",
		"# Quill\n\nEach of them is a fast tool for hats.\n":                                            "",
		"# Quill\n\nThe skeleton application for the Laravel framework.\n\nQuill is a shop for hats.\n": "Quill is a shop for hats",
	} {
		if got, sure := About(text, "quill"); got != want && (sure || want != "") {
			t.Errorf("%.60q: %q (%t), want %q", text, got, sure, want)
		}
	}
}
