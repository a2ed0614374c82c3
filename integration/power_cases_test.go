package integration

// powerCase is a command that acknowledges something. The results of prepare are synced before act; act must sync its own effects.
type powerCase struct {
	name, prepare, act, then string
	rows                     bool // it writes the registry only
}

// powerBase is a registered repository with a worktree W that has a commit.
const powerBase = `
git init -q .
seq 40 > one.txt; mkdir -p src docs .serena/memories; printf 'package src\n\nfunc Login() {}\n' > src/a.go; echo '# app' > AGENTS.md
printf 'module example.com/app\n' > go.mod; printf '.env\n*.secret\n' > .gitignore; printf '# Note\n\nSee src/a.go:3.\n' > .serena/memories/note.md
git add .; git commit -qm first
agit add . --name app --quiet
agit tasks app --create 'A first task' --quiet
agit spawn app --task 'A worktree' --agent ann --branch w --quiet`

const commitInW = `cd .worktrees/*; for i in 1 2 3; do echo $i > new$i; sed -i "$((i * 10))s/.*/by w/" one.txt; git add .; git commit -qm "w $i"; done`

// powerCases are all acknowledging commands, the ones that git has a part in first.
var powerCases = []powerCase{
	{"merge", commitInW, `agit merge app w`, ``, false},
	{"merge of commits just made", ``, `(` + commitInW + `); agit merge app w`, `agit cleanup app --restore w; test -s .worktrees/*/new3`, false},
	{"spawn", `echo KEY=1 > .env; echo .env > .worktreeinclude; git add .worktreeinclude; git commit -qm include`, `agit spawn app --task 'Another one' --agent bob --branch x`, ``, false},
	{"spawn from a commit just made", ``, `echo more > more; git add more; git commit -qm more; sync more .git/index .git/COMMIT_EDITMSG; agit spawn app --branch x`, ``, false},
	{"spawn in a repository that hides nothing", `printf '!*/\n' >> .gitignore; git commit -qam unhide`, `agit spawn app --branch x`, ``, false},
	{"merge where main is not checked out", commitInW + `; cd ../..; git switch -qc other`, `agit merge app w`, ``, false},
	{"merge beside local changes", commitInW, `echo local > src/b.go; sync src/b.go src; agit merge app w`, ``, false},
	{"merge with a gate", commitInW, `agit merge app w --gate 'test -e new3'`, ``, false},
	{"merge with a gate again", commitInW + `; cd ../..; agit spawn app --branch x; agit merge app w --gate true; sync; cd .worktrees/x*; echo x > x; git add x; git commit -qm x`,
		`agit merge app x --gate 'test -e new3 && test -e x'`, ``, false},
	{"merge --squash", commitInW, `agit merge app w --squash`, ``, false},
	{"merge --rebase", commitInW + `; cd ../..; echo m > m; git add m; git commit -qm m`, `agit merge app w --rebase`, ``, false},
	{"merge --into", commitInW + `; cd ../..; git branch release`, `agit merge app w --into release`, ``, false},
	{"update", commitInW + `; cd ../..; echo m > m; git add m; git commit -qm m`, `agit update app w`, `test -s .worktrees/*/m`, false},
	{"update --rebase", commitInW + `; cd ../..; echo m > m; git add m; git commit -qm m`, `agit update app w --rebase`, `test -s .worktrees/*/m`, false},
	{"removal", commitInW + `; cd ../..; git merge -q w`, `agit cleanup app --worktree w --yes`, `agit cleanup app --restore w`, false},
	{"removal of unfinished work", commitInW, `(cd .worktrees/*; echo untracked > u; echo key > k.secret; echo staged > s; git add s; echo edited >> one.txt); agit cleanup app --worktree w --abandon-work --yes`,
		`agit cleanup app --restore w; cd .worktrees/*; grep -q untracked u; grep -q key k.secret; grep -q staged s; grep -q edited one.txt`, false},
	{"cleanup", commitInW + `; cd ../..; git merge -q w`, `agit cleanup app --yes`, ``, false},
	{"restore", commitInW + `; echo u > u; cd ../..; agit cleanup app --worktree w --abandon-work --yes`, `agit cleanup app --restore w`, ``, false},
	{"add", `git init -q ../two; git -C ../two commit -q --allow-empty -m x`, `agit add ../two`, ``, false},
	{"doctor --fix", `mv .worktrees/* .worktrees/elsewhere`, `agit doctor --fix`, ``, false},

	{"config set", ``, `agit config set worktree.stale_after 3d`, `agit config get worktree.stale_after | grep -q 3`, false},
	{"config set again", `agit config set worktree.stale_after 3d`, `agit config set worktree.stale_after 4d; agit config unset worktree.stale_after`, ``, true},
	{"config trust", `printf '[hooks]\npost_spawn = ["true"]\n' > .agit.toml`, `agit config trust --yes`, ``, false},
	{"db backup", ``, `agit db backup ../copy`, `test -s ../copy`, false},
	{"db backup into a new disk folder", `mkdir ../a`, `agit db backup ../a/copy`, ``, false},
	{"db restore", `agit db backup ../copy; agit tasks app --create later`, `agit db restore ../copy --yes`, ``, false},
	{"db merge", `agit db backup ../copy; mkdir ../other; AGIT_HOME=$MACHINE/work/other agit init; AGIT_HOME=$MACHINE/work/other agit project create else`, `agit db merge ../other/agit.db`, ``, true},
	{"db vacuum", ``, `agit db vacuum`, ``, true},

	{"tasks --create", ``, `agit tasks app --create 'Another task'`, ``, false},
	{"tasks --next", ``, `agit tasks app --next --agent bob`, ``, true},
	{"next", ``, `agit next --agent bob`, ``, true},
	{"tasks --complete", `agit tasks app --next --agent bob`, `agit tasks app --complete $(agit tasks app --all --jq '.tasks[0].id') --agent bob --result done`, ``, true},
	{"agents --register", ``, `agit agents --register carl`, ``, true},
	{"claim-files", ``, `agit claim-files 'src/**' --agent bob`, ``, true},
	{"project create", ``, `agit project create other`, ``, true},
	{"epic create", `agit project create p`, `agit epic create E --project p`, ``, true},
	{"import", `agit project create p`, `printf '{"tasks":[{"id":"B","name":"b","dependsOn":["A"]},{"id":"A","name":"a"}]}' | agit import - --project p`, ``, true},

	{"memoryd remember", ``, `memoryd remember 'Dates are in UTC' --key utc --agent ann`, `memoryd recall 'which zone are dates in' | grep -q UTC`, true},
	{"memoryd session", ``, `memoryd session start --agent ann; memoryd session note --agent ann --type decision 'Retry'; memoryd session end --agent ann`, ``, true},
	{"memoryd export", `memoryd remember 'Dates are in UTC' --key utc`, `memoryd export ../out.ndjson`, `test -s ../out.ndjson`, false},
	{"memoryd export over an older one", `memoryd export ../out.ndjson; memoryd remember 'Dates are in UTC' --key utc`, `memoryd export ../out.ndjson`, `grep -q UTC ../out.ndjson`, false},
	{"memoryd export --status-file", ``, `memoryd export --status-file`, ``, false},
	{"memoryd import", `memoryd remember 'Dates are in UTC' --key utc; memoryd export ../out.ndjson; memoryd forget utc`, `memoryd import ../out.ndjson`, ``, true},
	{"memoryd hook install", ``, `memoryd hook install`, ``, false},
	{"memoryd hook remove", `memoryd hook install`, `memoryd hook remove`, ``, false},
	{"memoryd agent grade", ``, `memoryd agent grade ann HEAD --agent-grade good --user-grade good`, ``, true},

	{"citecheck add", ``, `citecheck add note src/a.go:3`, ``, false},
	{"citecheck adopt", ``, `citecheck adopt`, ``, false},
	{"citecheck fix", `citecheck add note src/a.go:3; git add .; git commit -qm cited; printf 'package src\n\n// moved\n\nfunc Login() {}\n' > src/a.go`, `citecheck fix`, `citecheck verify note`, false},
	{"citecheck hook install", ``, `citecheck hook install`, ``, false},

	{"classify init", ``, `classify init .`, ``, true},
	{"classify init --write-agents-md", ``, `classify init . --write-agents-md`, `grep -q classify AGENTS.md`, false},
}
