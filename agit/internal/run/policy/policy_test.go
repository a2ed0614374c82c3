package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// place returns a worktree with a link to outside, in a home folder with a key.
func place(t *testing.T) (worktree, home string) {
	t.Helper()
	home = t.TempDir()
	worktree = filepath.Join(home, "w")
	for _, dir := range []string{"w/src", "w/.git", "other", ".ssh"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for to, link := range map[string]string{"../other": "out", "../.ssh": "keys"} {
		if err := os.Symlink(to, filepath.Join(worktree, link)); err != nil {
			t.Skip("links cannot be made here")
		}
	}
	return worktree, home
}

// Without user rules, work in the worktree is allowed, calls that reach beyond it are denied, and the rest is asked.
func TestShellByDefault(t *testing.T) {
	t.Parallel()
	worktree, home := place(t)
	p, err := New(worktree, home, nil, nil, nil, []string{"make test", "sh check.sh", "cd web && npm test"})
	if err != nil {
		t.Fatal(err)
	}
	for answer, lines := range map[Answer][]string{
		Allow: {"git status", "git add -A && git commit -m 'a; b && rm -rf /'", "git commit -m \"$(cat <<'EOF'\nPay $5 (all) `now`\n\nBy me\nEOF\n)\"", "git -C src log",
			"git --no-pager diff | head -20", "git worktree list", "make test", "make -j4 all", "sh check.sh", "npm run build", "ls -la", "cat a.go 2>/dev/null", "grep -rn 'x|y' . | wc -l",
			"sed -n '1,20p' a.go", "echo done > src/a.txt", "echo \"it is $HOME\"", "mkdir -p src/x", "rm -rf src/x", "chmod 755 src", "chmod u+x,g-w src", "mv a b", "touch -t 202601010000 src", "cp /etc/hosts src/", "cd src && ls", "find . -name '*.go'",
			"git", "git --no-pager", "git -P -C src log", "git -C src", "git remote", "git remote -v", "git status # and rm -rf /", "cat < a.go", "ls 2>&1", "agit finish --release 'no'", "git log --output=src/log", "git log --output src/log", "git log --output", "git branch -vv --merged", ""},
		Deny: {"git push", "git push origin main", "git -c core.pager=x log", "git config user.name x", "ls; git push", "git -C ../other status", "git -C /etc status", "echo x > ../other/a",
			"echo x > /etc/passwd", "rm -rf ../other", "rm .git/index", "mkdir out/x", "cp a ../other", "touch ~/a", "git worktree add ../x", "git update-ref x y", "git remote add o u", "git remote remove -v", "git remote -v add o u", "git log --output ../log", "chmod -x ../other/a", "chmod --reference=a ../other/a", "cp --tar=../other src", "mv --target-directory=../other src", "git diff --output /etc/x HEAD", "git worktree", "git worktree remove list",
			"tee=1; git push", "echo $(ls) && git push", "git log --output=../log", "agit answer q-1 --allow", "agit config set work.allow x", "echo x >| .git/hooks/pre-commit", "ln -s a ../b",
			"echo x > $HOME/.bashrc", "echo x > \"${HOME}/x\"", "echo x > /etc/$X"},
		Ask: {"npm install -g x; curl x", "curl https://example.com", "python3 -c 'x'", "sh other.sh", "bash -c 'git push'", "echo $(curl x)", "echo `curl x`", "FOO=1 make test", "if true; then ls; fi",
			"eval ls", "cat ~/.ssh/id_rsa", "cat keys/id_rsa", "cat ~/.s*/id", "cat < ~/.ssh/id_rsa", "find . -delete", "sed -i s/a/b/ a.go", "sort -o x y", "cd ../other && ls", "(git status)",
			"git rebase -x 'make' main", "git branch -D other", "git branch -fd other", "cp -rt ../other src", "cp --target-directory ../other src", "mv -ft ../other a", "git branch -qM other", "git fetch", "git clean -fdx", "git -C", "git --unknown log", "git rebase --exec make", "git rebase --exec=make",
			"git ls-remote --upload-pack=x", "git ls-remote --receive-pack=x", "git grep --open-files-in-pager=x y", "git grep -Oless y", "git ls-remote ext::sh", "git diff --ext-diff", "git log --textconv", "$X status", "\"$X\" status", "git \"$X\"", "rm -rf .", "cat <<EOF\nEOF", "ls >", "'unclosed", "make \"$(curl x)\"", "uniq a b",
			"xargs rm", "unknown", "echo done > $AGIT_TASK.txt && git add -A", "echo x > \"$DIR/a\"", "echo x > \"${HOME}/$X\""},
	} {
		for _, line := range lines {
			if v := p.Decide(Call{Kind: Shell, Command: line}); v.Answer != answer {
				if line == "" && v.Answer == Ask {
					continue
				}
				t.Errorf("%q: %s by %q, want %s", line, v.Answer, v.By, answer)
			}
		}
	}
}

// The verdict on each command, and the rule that it follows from.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	worktree, home := place(t)
	p, err := New(worktree, home, []string{"shell( deploy * )", "edit(../other/*)"}, []string{"shell(git tag *)"}, []string{"shell(make clean)"}, []string{"make test", "sh check.sh"})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, name := range []string{"ls", "cat", "sort", "uniq", "find", "sed", "echo", "rm", "cp", "mv", "ln", "chmod", "touch", "cd", "git", "make", "deploy", "python3", "agit", "true"} {
		for _, args := range []string{"", "src", "src a", "-x src", "-o src", "-n 1p src", "-n 1d src", "--output=src x", "-- -o", "../other", "../other/a src", "src ../other", "~/.ssh/id", "x=~/.ssh/id", "keys/id", "../*", "src/*.go", "/etc/host?", "755 src", "755 ../x",
			"-t ../other src", "--target-directory=../other src", ".", "- -", "$X", "~"} {
			lines = append(lines, strings.TrimSpace(name+" "+args))
		}
	}
	for _, sub := range []string{"status", "push", "config x", "remote", "remote -v", "remote show", "worktree", "worktree list", "worktree prune", "fetch", "branch", "branch -d x", "branch --delete x", "branch --list", "log -O", "log --output=../x", "tag v1", "rebase --exec make", "ls-remote ext::x",
		"-C src status", "-C .. status", "-C", "-c a=b status", "--git-dir=x status", "--git-dir x status", "--version", "--help", "--bare", "-P log", "$X", "--no-optional-locks status", "--literal-pathspecs status", "--exec-path x"} {
		lines = append(lines, "git "+sub)
	}
	lines = append(lines, "agit finish", "agit finish --release x", "agit tasks", "agit tasks show T-1", "agit tasks create x", "agit answer q-1", "agit config get x", "memoryd recall x", "memoryd forget x", "citecheck verify", "make clean", "make clean all", "make test", "sh check.sh", "sh check.sh x", "sh",
		"ls | sort", "ls; git push", "ls && rm -rf .git", "ls > src/a", "ls > ../a", "cat < keys/id", "cat < a", "(ls)", "X=1 ls")
	var s strings.Builder
	for _, line := range lines {
		v := p.Decide(Call{Kind: Shell, Command: line})
		fmt.Fprintf(&s, "%-36s %s %s\n", line, v.Answer, v.By)
	}
	for _, c := range []Call{{Kind: Edit, Paths: []string{"src/a"}}, {Kind: Edit, Paths: []string{"../other/a"}}, {Kind: Edit, Paths: []string{"../third/a"}}, {Kind: Edit, Paths: []string{"out/a", "src/a"}}, {Kind: Read, Paths: []string{"keys/id", "a"}}, {Kind: Fetch, URL: "https://x.example/a"},
		{Kind: MCP, Server: "agit", Tool: "x"}, {Kind: MCP, Server: "other", Tool: "agit"}, {Kind: Tool, Tool: "plan"}, {Kind: Tool, Tool: "planner"}} {
		v := p.Decide(c)
		fmt.Fprintf(&s, "%-36s %s %s; rules %q\n", strings.TrimSpace(fmt.Sprint(c.Kind, " ", c.Paths, c.URL, c.Server, " ", c.Tool)), v.Answer, v.By, p.RulesFor(c))
	}
	clitest.Golden(t, filepath.Join("testdata", "verdicts.txt"), strings.ReplaceAll(s.String(), home, "<home>"))
	if r, err := ParseRule(" shell( make * ) "); err != nil || r != (Rule{Shell, "make *"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestOthersByDefault(t *testing.T) {
	t.Parallel()
	worktree, home := place(t)
	p, err := New(worktree, home, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := func(path string) []string { return []string{filepath.Join(worktree, path)} }
	for _, test := range []struct {
		c    Call
		want Answer
	}{
		{Call{Kind: Edit, Paths: in("src/new/a.go")}, Allow}, {Call{Kind: Edit, Paths: []string{"a.go"}}, Allow}, {Call{Kind: Edit, Paths: in("../other/a.go")}, Deny},
		{Call{Kind: Edit, Paths: in("out/a.go")}, Deny}, {Call{Kind: Edit, Paths: in(".git/config")}, Deny}, {Call{Kind: Edit, Paths: append(in("a"), "/etc/passwd")}, Deny},
		{Call{Kind: Edit}, Ask}, {Call{Kind: Read}, Allow}, {Call{Kind: Read, Paths: []string{"/etc/hosts"}}, Allow}, {Call{Kind: Read, Paths: []string{filepath.Join(home, ".ssh/id")}}, Ask},
		{Call{Kind: Read, Paths: []string{"keys/id"}}, Ask}, {Call{Kind: Fetch, URL: "https://example.com/x"}, Ask}, {Call{Kind: MCP, Server: "agit", Tool: "agit_begin"}, Allow},
		{Call{Kind: MCP, Server: "github"}, Ask}, {Call{Kind: Tool, Tool: "WebSearch"}, Ask}, {Call{Kind: Tool, Tool: "think"}, Allow},
	} {
		if v := p.Decide(test.c); v.Answer != test.want {
			t.Errorf("%+v: %+v, want %s", test.c, v, test.want)
		}
	}
}

// The user's rules come before the built-in ones: deny, then allow, then ask.
func TestUsersRules(t *testing.T) {
	t.Parallel()
	worktree, home := place(t)
	p, err := New(worktree, home, []string{"shell(git push *)", "shell(npm install *)", "fetch(*.example.com)", "edit(/srv/x/*)", "mcp(github/list)", "shell(FOO=$X odd)"},
		[]string{"shell(git commit *)", "edit(go.mod)"}, []string{"shell(git push --force *)", "shell(ls)"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		c    Call
		want Verdict
	}{
		{Call{Kind: Shell, Command: "git push origin x"}, Verdict{Allow, "shell(git push *)"}},
		{Call{Kind: Shell, Command: "git push --force"}, Verdict{Deny, "shell(git push --force *)"}},
		{Call{Kind: Shell, Command: "git commit -m x"}, Verdict{Ask, "shell(git commit *)"}},
		{Call{Kind: Shell, Command: "npm install left-pad && ls"}, Verdict{Deny, "shell(ls)"}},
		{Call{Kind: Shell, Command: "ls -l"}, Verdict{Allow, "shell(ls *)"}},
		{Call{Kind: Shell, Command: "FOO=$X odd"}, Verdict{Allow, "shell(FOO=$X odd)"}},
		{Call{Kind: Shell, Command: "FOO=$X odd more"}, Verdict{Answer: Ask}},
		{Call{Kind: Fetch, URL: "https://api.example.com/x"}, Verdict{Allow, "fetch(*.example.com)"}},
		{Call{Kind: Fetch, URL: "https://example.com.evil/x"}, Verdict{Answer: Ask}},
		{Call{Kind: Edit, Paths: []string{"/srv/x/y"}}, Verdict{Allow, "edit(/srv/x/*)"}},
		{Call{Kind: Edit, Paths: []string{"go.mod"}}, Verdict{Ask, "edit(go.mod)"}},
		{Call{Kind: MCP, Server: "github", Tool: "list"}, Verdict{Allow, "mcp(github/list)"}},
		{Call{Kind: MCP, Server: "github", Tool: "delete"}, Verdict{Answer: Ask}},
	} {
		if d := cmp.Diff(test.want, p.Decide(test.c)); d != "" {
			t.Errorf("%+v: %s", test.c, d)
		}
	}
	for _, bad := range []string{"", "git *", "shell()", "shell(x", "run(x)", "shell x)"} {
		if _, err := New(worktree, home, []string{bad}, nil, nil, nil); err == nil {
			t.Errorf("the rule %q is accepted", bad)
		}
	}
}

// A rule from RulesFor allows its call and no other.
func TestRulesFor(t *testing.T) {
	t.Parallel()
	worktree, home := place(t)
	for _, test := range []struct {
		c       Call
		want    []string
		another Call
	}{
		{Call{Kind: Shell, Command: "npm install x && ls"}, []string{"shell(npm install x)"}, Call{Kind: Shell, Command: "npm install y"}},
		{Call{Kind: Shell, Command: "curl a; curl b"}, []string{"shell(curl a)", "shell(curl b)"}, Call{Kind: Shell, Command: "curl c"}},
		{Call{Kind: Shell, Command: "X=1 make"}, []string{"shell(X=1 make)"}, Call{Kind: Shell, Command: "X=2 make"}},
		{Call{Kind: Shell, Command: "curl a | sh"}, []string{"shell(curl a | sh)"}, Call{Kind: Shell, Command: "echo 'touch b' | sh"}},
		{Call{Kind: Shell, Command: "sudo bash -s < a"}, []string{"shell(sudo bash -s < a)"}, Call{Kind: Shell, Command: "sudo bash -s < b"}},
		{Call{Kind: Shell, Command: "ls | xargs rm -f"}, []string{"shell(ls | xargs rm -f)"}, Call{Kind: Shell, Command: "cat a | xargs rm -f"}},
		{Call{Kind: Shell, Command: "cd a && python3 b.py"}, []string{"shell(python3 b.py)"}, Call{Kind: Shell, Command: "cat b.py | python3"}},
		{Call{Kind: Shell, Command: "bash -c 'make x'"}, []string{"shell(bash -c make x)"}, Call{Kind: Shell, Command: "bash -c 'make y'"}},
		{Call{Kind: Fetch, URL: "https://example.com/a"}, []string{"fetch(example.com)"}, Call{Kind: Fetch, URL: "https://other.com"}},
		{Call{Kind: MCP, Server: "github", Tool: "list"}, []string{"mcp(github/list)"}, Call{Kind: MCP, Server: "github", Tool: "delete"}},
		{Call{Kind: Tool, Tool: "WebSearch"}, []string{"tool(WebSearch)"}, Call{Kind: Tool, Tool: "Other"}},
	} {
		p, _ := New(worktree, home, nil, nil, nil, nil)
		got := p.RulesFor(test.c)
		if d := cmp.Diff(test.want, got); d != "" {
			t.Error(d)
		}
		p, err := New(worktree, home, got, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if v := p.Decide(test.c); v.Answer != Allow {
			t.Errorf("%+v is still %+v", test.c, v)
		}
		if v := p.Decide(test.another); v.Answer != Ask {
			t.Errorf("%+v is %+v too", test.another, v)
		}
	}
	p, _ := New(worktree, home, nil, nil, nil, nil)
	for _, line := range []string{"sh", "/bin/sh -s", "python3 -", "env bash", "docker exec -i c sh"} {
		if got := p.RulesFor(Call{Kind: Shell, Command: line}); got != nil {
			t.Errorf("%s: %q would allow whatever it reads", line, got)
		}
	}
}

// TestSplit has lines as a shell reads them: the words of each command, with quotation marks and escapes removed. A line that is not plain
// has an exclamation mark.
func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, want string }{
		{`a b  c`, `[a b c]`},
		{`a ""`, `[a ]`},
		{`a ''`, `[a ]`},
		{`a "b c" d`, `[a b c d]`},
		{`a "b"'c'd`, `[a bcd]`},
		{`a "b`, `[a b]!`},
		{`a "`, `[a ]!`},
		{`a 'b`, `[a b]!`},
		{`a "b;c|d" e; f`, `[a b;c|d e] [f]`},
		{`a "say \"no\"" b`, `[a say "no" b]`},
		{`a "\\" b`, `[a \ b]`},
		{`a "\$X" b`, `[a $X b]`},
		{"a \"\\`b\\`\"", "[a `b`]"},
		{`a "b\n" c`, `[a b\n c]`},
		{`a "b\`, `[a b\]!`},
		{"a \"`b`\"", "[a `b`]!"},
		{`a "$X y"`, `[a $X y]`},
		{`a "x $(b)"`, `[a x $(b)]!`},
		{`a "x ${B}"`, `[a x ${B}]!`},
		{`"$X" y`, `[$X y]!`},
		{"a \"$(cat <<'E'\nthe text\nE\n)\" b", "[a the text b]"},
		{"a \"x $(cat <<'E'\nthe text\nE\n) y\" b", "[a x the text y b]"},
		{`for x`, `[for x]!`},
		{`"for" x`, `[for x]`},
		{`'for' x`, `[for x]`},
		{`echo "2">a`, `[echo 2 >a]`},
		{`echo 2>a`, `[echo >a]`},
		{`echo x2>a`, `[echo x2 >a]`},
		{`echo a\ b`, `[echo a b]`},
		{"echo a\\\nb", `[echo ab]`},
		{`a | b`, `[a] [b]`},
		{`a |& b`, `[a] [b]`},
		{`a || b`, `[a] [b]`},
		{`a & b`, `[a] [b]`},
		{`a && b`, `[a] [b]`},
		{`a&b|c;d`, `[a] [b] [c] [d]`},
		{"a\n\nb", `[a] [b]`},
		{`a &>b c`, `[a c >b]`},
		{`a 2> b c`, `[a c >b]`},
		{`a <b >>c >|d <>e`, `[a >c >d >e <b]`},
		{`a 2>&1 b`, `[a b]`},
		{`a&>b c`, `[a c >b]`},
		{`a >&b`, `[a b]!`},
		{`X=1 a`, `[X=1 a]!`},
		{`=x a`, `[=x a]`},
		{`x.y=1 a`, `[x.y=1 a]`},
		{`a "b\"`, `[a b"]!`},
		{"a \"$(cat <<'E'\nb\nE\nc)\"", "[a $(cat <<'E'\nb\nE\nc)]!"},
		{`a >; b`, `[a] [b]!`},
		{`a > > b`, `[a >b]!`},
		{`a <<b`, `[a <b]!`},
		{`a <(b)`, `[a <(b)]!`},
		{`{ a; }`, `[{ a] [}]!`},
		{`a $X`, `[a $X]!`},
		{"a `b`", "[a `b`]!"},
		{`a b#c`, `[a b#c]`},
		{"a #b; c\nd", `[a] [d]`},
	} {
		commands, plain := split(c.line)
		var all []string
		for _, at := range commands {
			words := at.words
			for _, file := range at.writes {
				words = append(words, ">"+file)
			}
			for _, file := range at.reads {
				words = append(words, "<"+file)
			}
			all = append(all, "["+strings.Join(words, " ")+"]")
		}
		got := strings.Join(all, " ")
		if !plain {
			got += "!"
		}
		if got != c.want {
			t.Errorf("%s is read as %s, want %s", c.line, got, c.want)
		}
	}
}

// A line with incomplete words or a hidden command is never plain.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a && b | c", "a 'b c' \"d $e\" > f 2>&1", "a <<EOF", "git commit -m \"$(cat <<'E'\nx\nE\n)\"", "`a`", "a\\", "'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		commands, plain := split(line)
		if plain && !strings.Contains(line, "'") && !strings.Contains(line, `\`) && !strings.Contains(line, "#") && strings.Contains(line, "`") {
			t.Errorf("%q is plain: %q", line, commands)
		}
	})
}
