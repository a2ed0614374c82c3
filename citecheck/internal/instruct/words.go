package instruct

import "github.com/agit-suite/agit/shared/text"

// The words that make a reference something other than a statement about the current tree. They are looked for in the sentence and in the
// headings above it.
var (
	// denied: according to the text it is gone, does not exist, or does not exist yet.
	denied = text.Pattern{Expr: `(?i)\b(?:no longer|not (?:exist|exists|present|available|there|yet|shipped|used anymore)|(?:doesn|don|didn|isn|aren|wasn|weren)['’]t (?:exist|have|use|ship|need)|` +
		`does not (?:exist|have|use|ship)|do not exist|never existed|there (?:is|are|was|were) no|there['’]s no|has no|have no|without (?:a|an|any)|` +
		`removed?|deleted?|gone|dropped|obsolete|deprecated|superseded|retired|replac(?:ed|es|ing)|renamed?|moved|migrat(?:ed|ing|ion|e)|converted|split (?:into|from|out)|merged into|` +
		`formerly|previously|used to|legacy|historical(?:ly)?|instead|rather than|fallback|(?:in|of|from) (?:that|another|the other|a different|their|its own) repo(?:sitory)?|(?:sibling|separate|upstream|external) repo(?:sitory)?|was (?:called|in|at|named)|planned|future|roadmap|upcoming|not implemented|unimplemented|coming soon|will be|todo|proposed|wip|if (?:it )?exists?|if present|if (?:there is|you have)|optional(?:ly)?)\b|~~|❌`}
	// exampled: according to the text the name only stands for others of its kind.
	exampled = text.Pattern{Expr: `(?i)\b(?:e\.?g|for example|for instance|examples?|such as|like|say|suppose|imagine|sample|placeholder|similar to|looks? like|hypothetical|would be|could be|might be|pattern|convention|naming|named|format|template)\b`}
	// made: according to the text it is to be made, or a program makes it.
	made = text.Pattern{Expr: `(?i)\b(?:writ(?:e|es|ing|ten)|generat(?:e|es|ed|ing)|output(?:s|ted)?|produc(?:e|es|ed)|emit(?:s|ted)?|build(?:s)? (?:to|into)|built (?:to|into)|` +
		`sav(?:e|es|ed|ing)|stor(?:e|es|ed|ing)|download(?:s|ed)?|cop(?:y|ies|ied)|cp|put(?:s)?|plac(?:e|es|ed)|scaffold(?:s|ed)?|init(?:ializ\w+)?|temp(?:orary)?|cache[ds]?|log(?:s|ged)? (?:to|into|in)|dump(?:s|ed)?|creat(?:e|es|ed|ing)|new|` +
		`never|don['’]t|do not|avoid|not\b|local(?:ly)?|gitignored?|ignored|untracked|uncommitted|user['’]?s?|global|home|install(?:s|ed)?|your)\b`}
	// added: according to the text it is to be added, unless something is added to it.
	added  = text.Pattern{Expr: `(?i)\badd(?:s|ed|ing)?\b`}
	within = text.Pattern{Expr: `(?i)\b(?:to|in|into|inside|within)\b(?: the| your)?(?: file| module| folder| directory)?[ \x60"'\[(*]*$`}
	// wildcard: no file has such a name.
	wildcard = text.Pattern{Expr: `[<>{}*$?…%=]|\.\.\.|\[[^\]]*\]`}
	// placeholder: a part of the name stands for others, unless such a file once existed.
	placeholder = text.Pattern{Expr: `(?:^|/)(?i:path|paths?/to|your|my|foo|bar|baz|qux|x{2,}|example|sample|placeholder|name|some|new|other|existing|whatever|thing|n|x|y|z|file|filename|dir|folder|lang|slug|version)(?:[/_.-]|$)|` +
		`(?i:[/_.-]|^)(?i:your|my|foo|bar|xxx|new)[-_]|[/_.-](?:NAME|X+|N+|FOO|BAR|YYYY\S*)(?:[/_.-]|$)|(?:^|/)(?:[A-Z]+_)*(?:NAME|DIR|PATH|ID|FILE|X|Y|VERSION)(?:[/.]|$)|(?:^|/)(?i:new|my)[a-z]+\.\w+$`}
	// quoted: names in a sentence, whose words do not count for another reference.
	quoted = text.Pattern{Expr: "`[^`]*`|\\]\\([^)]*\\)|(?:[\\w.@-]+/)+[\\w.@-]*"}
	// elsewhere: the path lies in a user's folder or on another machine.
	elsewhere = text.Pattern{Expr: `^(?:~|/|[A-Za-z]:[\\/]|\$|%|[\w-]+:)`}
	address   = text.Pattern{Expr: `^(?:www\.|(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|app|land|co|gov|edu|cloud|xyz)(?:/|:|$)|golang\.org|localhost)`}
)

// filled are folders that programs fill, and caches.
var filled = []string{
	"dist", "build", "out", "output", "target", "node_modules", "coverage", ".venv", "venv", "__pycache__", ".next", ".nuxt", ".svelte-kit", ".turbo",
	".cache", "cache", "tmp", "temp", "bin", "obj", "release", "debug", "site-packages", "generated", "gen", "_build", "deps", "zig-out", "zig-cache",
	".zig-cache", ".gradle", "DerivedData", "logs", "log", ".git", "artifacts", ".pytest_cache", ".mypy_cache", ".ruff_cache", "playwright-report",
	"test-results", "htmlcov", "worktrees",
}
