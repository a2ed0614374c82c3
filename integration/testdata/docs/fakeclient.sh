# A client that is called as Claude Code is, prints events as it does, and plays the
# role that its task's name begins with.
mkdir -p ~/bin && cat > ~/bin/claude <<'END'
#!/bin/sh
brief=$(cat)
case " $* " in *' -p '*'stream-json --verbose'*) ;; *) echo "called as: $*" >&2; exit 1 ;; esac
echo '{"type":"system","subtype":"init","session_id":"11111111-2222-3333-4444-555555555555"}'
: "${AGIT_TASK:=$(printf '%s\n' "$brief" | sed -n 's/^## Task \([^ ]*\).*/\1/p')}"
export AGIT_TASK
if printf '%s\n' "$brief" | sh "$AGIT_CLIENT" > /dev/null 2>&1; then
  echo '{"type":"result","subtype":"success","is_error":false,"result":"It is done."}'
else
  echo '{"type":"result","subtype":"success","is_error":true,"result":"I broke."}'
  exit 1
fi
END
chmod +x ~/bin/claude
export PATH=$HOME/bin:$PATH AGIT_CLIENT=$DOCS/../work/client.sh
printf '%s\n' '{"id":"P-1","name":"good: one"}' '{"id":"P-2","name":"good: two"}' > plan.ndjson
git add . && git commit --quiet -m "Plan"
