package instruct

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// told lists the references that Parse found, one a line.
func told(refs []Reference) []string {
	out := []string{}
	for _, r := range refs {
		line := fmt.Sprintf("%d %s %s", r.Line, r.Kind, r.Target)
		if r.Tool != "" {
			line += " by " + r.Tool
		}
		if r.Anchor != "" {
			line += " #" + r.Anchor
		}
		if r.Base != "" {
			line += " in " + r.Base
		}
		out = append(out, line)
	}
	return out
}

func TestParseFindsWhatATextNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text    string
		imports bool
		want    []string
	}{
		"paths": {
			text: "See `src/a.ts` and `docs/`, and docs/b.md too.\n",
			want: []string{"1 path src/a.ts", "1 path docs/", "1 path docs/b.md"},
		},
		"a place in a file is a reference of its own": {
			text: "`src/a.ts:12` and `src/a.ts#main` and `tests/a.py::test_b`\n",
			want: []string{"1 place src/a.ts:12", "1 path src/a.ts", "1 path tests/a.py"},
		},
		"words, options and calls are not paths": {
			text: "`--docs/x`, `https://a.b/c.md`, `a || b`, `v1.2`, `.ts`, `foo(a/b)`, `x`\n",
		},
		"links": {
			text: "[a](docs/a.md#how-to) [b](#here) [c](https://x.y/z.md) [d](mdc:src/d.js) [e](my%20a.md)\n",
			want: []string{"1 link docs/a.md #how-to", "1 link  #here", "1 link src/d.js", "1 link my a.md"},
		},
		"imports": {
			text: "@docs/a_b_c.md and me@example.com, `@not/this.md`\n\n- @~/own.md\n", imports: true,
			want: []string{"1 import docs/a_b_c.md", "1 path @not/this.md", "3 import ~/own.md"},
		},
		"symbols have several words in them": {
			text: "`parseConfig()`, `Foo::do_it`, `config`, `MAX_RETRIES`, `useAll`\n",
			want: []string{"1 symbol parseConfig", "1 symbol MAX_RETRIES", "1 symbol useAll"},
		},
		"commands": {
			text: "Run `npm run build`, then `make -C sub all V=1`.\n\n```bash\n# first\ncd web && pnpm lint | cat\nFOO=1 go test ./x/... ./...\ncargo test -p core --test flow # all\nbash scripts/a.sh \"a b\"\n```\n",
			want: []string{"1 command build by npm #run", "1 command all by make", "5 command lint by pnpm in web", "6 path ./x by go", "7 command core by cargo #-p", "7 command flow by cargo #--test", "8 path scripts/a.sh by bash"},
		},
		"a folder stays changed in a block": {
			text: "```sh\ncd api\nmake run\ncd /srv\nmake run\n```\n",
			want: []string{"3 command run by make in api", "5 command run by make in …"},
		},
		"other languages hold no commands": {
			text: "```ts\nmake(all)\nimport x from './a.ts'\n```\n",
		},
		"drawn folders": {
			text: "```\nsrc/\n├── main.rs   # begins\n├── core/\n│   └── a.rs\n└── two words\n```\n",
			want: []string{"3 path src/main.rs", "4 path src/core", "5 path src/core/a.rs"},
		},
		"a heading without a text": {
			text: "#\n`src/a.ts`\n\n## <!-- later -->\n\n`src/b.ts`\n",
			want: []string{"2 path src/a.ts", "6 path src/b.ts"},
		},
		"front matter, comments and what a program put in": {
			text: "---\nglobs: src/x.ts\n---\n<!-- `src/a.ts` -->\n<claude-mem-context>\n`src/b.ts`\n</claude-mem-context>\n\n<rules>\n`src/c.ts`\n</rules>\n",
			want: []string{"10 path src/c.ts"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, told(Parse([]byte(c.text), c.imports)), cmp.Comparer(func(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseKnowsWhereATargetStands(t *testing.T) {
	t.Parallel()
	text := "One `src/a.ts:3`.\n\nTwo [x](docs/b.md#c) and `./lib/c.go::x`, docs/d.md.\n"
	for _, r := range Parse([]byte(text), false) {
		if got := text[r.Start:r.End]; got != r.Target {
			t.Errorf("%q stands at %d, where %q is", r.Target, r.Start, got)
		}
	}
}

func TestSentenceEndsAtSentencesAndRows(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"It is gone. Look at HERE now. Then go.", "HERE", "Look at HERE now."},
		{"See e.g. HERE, if any", "HERE", "See e.g. HERE, if any"},
		{"| a | gone |\n| b | HERE |\n| c | d |", "HERE", "| b | HERE |"},
	} {
		at := strings.Index(c[0], c[1])
		if got := strings.Trim(sentence(c[0], at, at+len(c[1])), ". "); got != strings.Trim(c[2], ". ") {
			t.Errorf("around %q in %q: %q", c[1], c[0], got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"`src/a.ts:1` @a.md [x](y#z)\n", "```\na/\n├── b\n└── c\n```\n", "---\n\n---\n<!--", "```sh\ncd \"a\nnpm run 'x\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Parse([]byte(text), true) {
			if r.Start < 0 || r.End < r.Start || r.End > len(text) {
				t.Fatalf("%q stands at %d to %d of %d bytes", r.Target, r.Start, r.End, len(text))
			}
			if r.Start < r.End && text[r.Start:r.End] != r.Target {
				t.Fatalf("%q is not what stands there: %q", r.Target, text[r.Start:r.End])
			}
			if r.Line < 1 {
				t.Fatalf("line %d", r.Line)
			}
		}
	})
}
