#!/bin/sh
# usage: agent.sh [KIND N]
# An agent without a model that does one task of a day in its worktree, in the package
# shared/text of this repository, and commits it. Without arguments its brief, on standard
# input, names the task: "use: 7". DAY_WORK is how many seconds its thinking takes.
#
#	file    adds a file of its own
#	append  adds a function at the end of nearest.go
#	use     adds a file that calls the function hidden
#	rename  gives hidden a new name, and mends its callers
#	mend    gives callers of an old name the present one
#
# When its work was returned it begins anew on the default branch. With AGIT_PLAYED it looks
# for conflicts before it commits, and keeps in that folder its runs, and which had one.
set -e
if [ $# = 0 ]; then
	brief=$(cat)
	set -- $(printf '%s\n' "$brief" | sed -n '/^## Task /{n;p;q;}' | sed 's/^> //; s/://')
	case $brief in *'conflicts with what landed'* | *'could not land'*) git reset -q --hard main ;; esac
fi
dir=shared/text
sleep "${DAY_WORK:-1}"
name=$(sed -n 's/^func \(hidden[0-9]*\)(r rune).*/\1/p' $dir/name.go)
new() { printf 'package text\n\n// day%s is of task %s of the day.\nfunc day%s(r rune) bool { return %s }\n' "$2" "$2" "$2" "$3" >"$dir/day_$1_$2.go"; }
case $1 in
file) new file "$2" "r == 'a'" ;;
append) printf '\n// day%s is of task %s of the day.\nfunc day%s(r rune) bool { return r == 0 }\n' "$2" "$2" "$2" >>$dir/nearest.go ;;
use) new use "$2" "$name(r)" ;;
rename) perl -pi -e "s/\\bhidden[0-9]*(?=[(),])/hidden$2/g" $dir/*.go ;;
mend) perl -pi -e "s/\\bhidden[0-9]*(?=[(),])/$name/g" $dir/*.go ;;
esac
sleep "${DAY_WORK:-1}"
if [ -n "$AGIT_PLAYED" ]; then
	echo "$1 $2" >>"$AGIT_PLAYED/runs"
	n=$(agit conflicts --worktree "$AGIT_WORKTREE" --json --jq '.conflicts | length' 2>/dev/null)
	[ "${n:-0}" = 0 ] || echo "$1 $2" >>"$AGIT_PLAYED/known"
fi
git add -- $dir
git diff --cached --quiet || git commit -q -m "Do task $2: $1"
