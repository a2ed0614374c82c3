# Sourced by run and lint: Node and the official MCP tools, installed once into
# a folder that git ignores. They are pinned: a new release is a change to
# review, not a surprise in CI.

root=$(cd "$here/../.." && pwd)
cache=$root/.cache/conformance
node=22
conformance=0.1.16
inspector=2.12.0

# install puts the tools on PATH, or ends with a message and status 0 when they
# cannot be had: no npm here, or no registry to reach. Any other failure is one.
install() {
	stamp=$cache/installed-$node-$conformance-$inspector
	if [ ! -e "$stamp" ]; then
		command -v npm >/dev/null || skip "npm is not installed"
		mkdir -p "$cache"
		rm -f "$cache"/installed-*
		[ -e "$cache/package.json" ] || echo '{"private":true}' >"$cache/package.json"
		# Node first: the packages choose their files by the version that installs them.
		(cd "$cache" && npm install --no-audit --no-fund --loglevel=error "node@$node") >"$cache/npm.log" 2>&1 &&
			(cd "$cache" && PATH=$cache/node_modules/.bin:$PATH npm install --no-audit --no-fund --loglevel=error \
				"node@$node" "@modelcontextprotocol/conformance@$conformance" \
				"@modelcontextprotocol/inspector@$inspector") >>"$cache/npm.log" 2>&1 ||
			refused
		: >"$stamp"
	fi
	PATH=$cache/node_modules/.bin:$PATH
	export PATH
}

# refused tells a registry that is out of reach from everything else.
refused() {
	if grep -Eq 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E40[134]|E50[0-9]' "$cache/npm.log"; then
		skip "the npm registry cannot be reached"
	fi
	cat "$cache/npm.log" >&2
	echo "npm could not install the MCP tools" >&2
	exit 1
}

skip() {
	echo "SKIPPED: $1; the MCP checks did not run" >&2
	exit 0
}
