#!/bin/sh
# An agent's client that tries each wall: it writes what it got past, one word a line, to AGIT_PLAYED/got, and then does its
# task. AGIT_VICTIM is another worktree of the repository. What is inherited is descriptor 9, where the test left one open.
cat >/dev/null
common=$(git rev-parse --path-format=absolute --git-common-dir)
entry=$(git rev-parse --absolute-git-dir)
main=$(dirname "$common")
got() { echo "$1" >>"$AGIT_PLAYED/got"; }
try() { # NAME COMMAND: it got past when the command succeeded
	if sh -c "$2" >/dev/null 2>&1; then got "$1"; fi
}
try hook "echo 'touch $AGIT_PLAYED/hooked' >'$common/hooks/pre-commit'"
try hooks-moved "mv '$common/hooks' '$common/hooks2'"
try config "git config core.fsmonitor /bin/evil"
try config-file "echo x >>'$common/config'"
try config-moved "mv '$common/config' '$common/config2'"
try config-worktree "echo x >>'$entry/config.worktree'"
try commondir "echo /tmp >'$entry/commondir'"
try commondir-moved "rm -f '$entry/commondir'"
try git-file "echo 'gitdir: /tmp/x' >.git"
try git-file-removed "rm -f .git"
try attributes "mkdir -p '$common/info' && echo '* filter=x' >>'$common/info/attributes'"
try alternates "echo /tmp >'$common/objects/info/alternates'"
try modules "mkdir -p '$entry/modules/x'"
try pack "rm -f '$common'/objects/pack/*.pack"
try pack-written "echo x >'$common/objects/pack/x.pack'"
try other "echo x >../other"
try victim-file "echo x >'$AGIT_VICTIM/stolen.txt'"
try victim-index "cd '$AGIT_VICTIM' && echo x >new.txt && git add new.txt"
try victim-index-removed "rm -f '$common'/worktrees/$(basename "$AGIT_VICTIM")/index"
try main-file "echo x >'$main/stolen.txt'"
try main-index "rm -f '$common/index'"
try main-index-lock "touch '$common/index.lock'"
try main-ref "git update-ref refs/heads/main HEAD~1"
try main-ref-file "echo 0000 >'$common/refs/heads/main'"
try victim-ref "git update-ref refs/heads/$AGIT_VICTIM_BRANCH HEAD~1"
try victim-ref-file "echo 0000 >'$common/refs/heads/$AGIT_VICTIM_BRANCH'"
try victim-ref-removed "rm -f '$common/refs/heads/$AGIT_VICTIM_BRANCH'"
try packed-ref "git update-ref refs/heads/agit/packed HEAD~1"
try packed-refs "rm -f '$common/packed-refs'"
try branch-made "git branch made-up"
try tag "git tag made-up"
try key "test -s '$HOME/.ssh/id_ed25519'"
try aws "test -s '$HOME/.aws/credentials'"
try gh "test -s '$HOME/.config/gh/hosts.yml'"
try netrc "test -s '$HOME/.netrc'"
try hidden "test -s '$HOME/vault/key'"
try registry-read "test -s '$HOME/.agit/agit.db'"
try registry "echo x >>'$HOME/.agit/agit.db'"
try token "test -s '$HOME/.agit/config.toml'"
try home "echo x >'$HOME/planted'"
try profile "echo x >>'$HOME/.profile'"
try descriptor "echo x >&9"
try kill "kill -0 $AGIT_WORKER"
try mount "mount -o remount,rw /"
try umount "umount '$HOME/.ssh'"
try unshare "unshare -Urm sh -c 'mount -o remount,bind,rw / && echo x >\"$HOME/planted\"'"
try tmp "echo x >/tmp/agit-wall-escaped && test -e /tmp/agit-wall-marker"
try proc "cat /proc/$AGIT_WORKER/environ"
setsid sh -c 'while :; do sleep 0.1; done' </dev/null >/dev/null 2>&1 &
(trap '' TERM INT HUP; sleep 600 </dev/null >/dev/null 2>&1 &)
# What it needs, it has.
must() { # NAME COMMAND
	if ! sh -c "$2" >"$AGIT_PLAYED/out" 2>&1; then got "lacks-$1: $(cat "$AGIT_PLAYED/out")"; fi
}
must tmp "echo x >/tmp/mine && echo x >/var/tmp/mine && test \"\$TMPDIR\" = /tmp"
must cache "mkdir -p '$HOME/.cache/tool' && echo x >'$HOME/.cache/tool/x'"
must read "test -s '$HOME/.profile' && test -s '$main/check.sh'"
must null "echo x >/dev/null && head -c1 /dev/urandom"
must status "git status && git log && git diff main"
must commit "echo good >'$AGIT_TASK.txt' && git add '$AGIT_TASK.txt' && git commit -qm 'Do $AGIT_TASK'"
must amend "git commit -q --amend -m 'Do it all'"
must merge "git merge -q --no-edit main"
must rebase "git rebase -q main"
must reset "git reset -q --soft HEAD~1 && git commit -qm again"
# The suite's programs go through the door.
must agit-status "agit status --json | grep -q '\"T-1\"\\|T-1'"
must agit-check "agit check one.txt"
must agit-hook "echo '{}' | agit hook stop --client claude-code"
must memoryd "memoryd remember 'the wall stands' --key wall && memoryd recall wall | grep -q stands"
must serve "printf '%s\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}' | agit serve --tools core | grep -q serverInfo"
try door-config "agit config set work.sandbox none"
try door-spawn "agit spawn app --exec 'touch $HOME/planted'"
try door-work "agit work app --agent eve --tasks 1 -- touch '$HOME/planted'"
try door-db "agit status --db /etc/passwd"
try door-answer "agit answer --json"
try door-update "agit update"
must door-hook "echo '{}' | memoryd hook nothing"
