package framework

var hexRows = []row{
	{name: "phoenix", kind: Meta, any: "phoenix", weak: "phoenix_html phoenix_live_view", entry: "Phoenix.Endpoint|Phoenix.Router"},
	{name: "nerves", kind: Framework, any: "nerves"},
	{name: "scenic", kind: Framework, any: "scenic"},
	{name: "hologram", kind: Meta, any: "hologram"},
	{name: "membrane", kind: Framework, any: "membrane_core"},
	{name: "commanded", kind: Framework, any: "commanded"},
	{name: "absinthe", kind: Library, any: "absinthe"},
	{name: "bandit", kind: Library, any: "bandit"},
	{name: "cowboy", kind: Library, any: "plug_cowboy cowboy"},
}
