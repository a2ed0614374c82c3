# The sessions work until nothing is ready; their server is this page's own.
command -v tmux > /dev/null || exit 0
. "$DOCS/fakeclient.sh"
agit import plan.ndjson > /dev/null || exit 1
export TMUX_TMPDIR=$HOME
over() {
  while tmux has-session -t agents 2> /dev/null || tmux list-windows -a -F '#W' 2> /dev/null | grep -q bob; do sleep 0.1; done
  tmux kill-server 2> /dev/null
  [ "$(agit review --json --jq '.reviews | length')" = 2 ] || { agit tasks; exit 1; }
}
trap over EXIT
